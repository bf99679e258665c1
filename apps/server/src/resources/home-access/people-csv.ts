import { csvLine } from "#http/csv-line.ts";
import type { toPeople } from "./people.ts";

type Person = Awaited<ReturnType<typeof toPeople>>[number];

/** CSV (RFC 4180) with a row for each person who has a role at a home, and everything that gives it. */
export async function* peopleCsv(
	chunks: AsyncIterable<readonly Person[]>,
	escaping: Parameters<typeof csvLine>[1],
): AsyncGenerator<string> {
	yield csvLine(["username", "role", "counts_as", "because"], escaping);
	for await (const people of chunks) {
		yield people
			.map(({ username, role, counts_as, because }) =>
				csvLine([username, role, counts_as, because.map(reasonText).join("; ")], escaping),
			)
			.join("");
	}
}

function reasonText({ kind, name, team, counts_as: role }: Person["because"][number]): string {
	const by = team === undefined ? "" : ` (team ${team})`;
	return `${name === undefined ? kind : `${kind} ${name}`}${by}: ${role}`;
}
