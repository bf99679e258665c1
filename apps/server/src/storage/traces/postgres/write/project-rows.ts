import type { ClientBase } from "pg";

/** Row numbers of projects by name; creates missing ones. None can be deleted while the transaction lasts. */
export async function projectNumbers(
	client: ClientBase,
	names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
	for (;;) {
		const { rows } = await client.query<{ id: number; name: string }>({
			name: "project numbers",
			text: "select id, name from projects where name = any ($1) order by name for key share",
			values: [names],
		});
		const found = new Map(rows.map(({ id, name }) => [name, id]));
		const missing = names.filter((name) => !found.has(name)).sort();
		if (missing.length === 0) return found;
		await client.query(
			`insert into projects (name, created_at, updated_at)
			select name, $2, $2 from unnest($1::text[]) as wanted (name) on conflict (name) do nothing`,
			[missing, Date.now() * 1_000],
		);
	}
}
