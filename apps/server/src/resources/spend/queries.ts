import { type Kysely, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** What sums of the ledger are told apart by. */
export type SpendField = "project_id" | "user_id" | "api_key_id" | "quarter";

interface SpendQuery {
	readonly projectIds: readonly number[];
	/** Quarters of an hour, counted since 1970; the end is not included. */
	readonly from: number;
	readonly to: number;
	readonly by: readonly SpendField[];
}

/** What was spent, by stored spans and by deleted ones. Fields that are not asked for are absent. */
export interface SpendSum extends Partial<Pick<Tables["spend"], SpendField>> {
	readonly tokens: number;
	/** With `pico`, the two numbers of a `SummedCost`. */
	readonly micro: number;
	readonly pico: number;
}

/** Adds up what was spent. */
export async function sumSpend(
	db: Kysely<Tables>,
	{ projectIds, from, to, by }: SpendQuery,
): Promise<readonly SpendSum[]> {
	const fields = by.map((field) => sql.ref(field));
	const columns = sql.join([
		...fields,
		sql`cast(coalesce(sum(tokens + gone_tokens), 0) as bigint) as tokens`,
		sql`coalesce(sum(cost_micro + gone_micro), 0) as micro`,
		sql`coalesce(sum(cost_pico + gone_pico), 0) as pico`,
	]);
	const { rows } = await sql<SpendSum>`
		select ${columns} from spend
		where project_id in ${listed(projectIds)} and quarter >= ${from} and quarter < ${to}
		${by.length === 0 ? sql`` : sql`group by ${sql.join(fields)}`}`.execute(db);
	return rows;
}

/** The earliest quarter in which something was spent in one of the projects; undefined when nothing was. */
export async function firstQuarter(db: Kysely<Tables>, projectIds: readonly number[]): Promise<number | undefined> {
	const { rows } = await sql<{ earliest: number | null }>`
		select min(earliest) as earliest from (
			select (select min(quarter) from spend where project_id = known.id) as earliest
			from (select id from projects union select id from spend_projects) as known
			where id in ${listed(projectIds)}
		) as of_each`.execute(db);
	return rows[0]?.earliest ?? undefined;
}

/** Deleted projects in which something may have been spent, without those made for experiments and evaluators. */
export async function listDeletedProjects(
	db: Kysely<Tables>,
	limit: number,
): Promise<readonly Pick<Tables["spend_projects"], "id" | "name">[]> {
	return await db
		.selectFrom("spend_projects")
		.select(["id", "name"])
		.where("origin", "is", null)
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
}

/** What a key is called, or was. */
export type KeyName = Pick<Tables["spend_api_keys"], "id" | "kind" | "name" | "last_characters">;

/** The names of keys by row number, deleted ones too. */
export async function findKeyNames(db: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlyMap<number, KeyName>> {
	if (ids.length === 0) return new Map();
	const columns = ["id", "kind", "name", "last_characters"] as const;
	const [gone, there] = await Promise.all([
		db.selectFrom("spend_api_keys").select(columns).where("id", "in", listed(ids)).execute(),
		db.selectFrom("api_keys").select(columns).where("id", "in", listed(ids)).execute(),
	]);
	return new Map([...gone, ...there].map((key) => [key.id, key]));
}
