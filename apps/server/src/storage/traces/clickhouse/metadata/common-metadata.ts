import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { present } from "#base/present.ts";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import { insertProjects } from "#storage/projects/insert-projects.ts";
import type { Access } from "#storage/schema.ts";
import { ShardHistory } from "../shards/shard-history.ts";

/** A name has one value for all times, the first that was noted; the history of shards grows. */
export const CREATE_FACTS = "create table if not exists clickhouse_facts (name text primary key, value text not null)";

/** Where the traces of the installation are. */
export const NOTE_TRACES_ELSEWHERE =
	"insert into clickhouse_facts (name, value) values ('traces', 'clickhouse') on conflict (name) do nothing";

export const INSTALLATION_ID = "installation_id";
/** The id, where the traces are in ClickHouse. */
export const FIND_INSTALLATION_ELSEWHERE = `select value from clickhouse_facts where name = '${INSTALLATION_ID}'
	and exists (select 1 from clickhouse_facts where name = 'traces')`;

/** As `TraceMetadata.installationId`. */
export async function readInstallationId(db: Database): Promise<string> {
	const select = sql<{ value: string }>`select value from clickhouse_facts where name = ${INSTALLATION_ID}`;
	const { rows } = await select.execute(db.read);
	if (rows[0] !== undefined) return rows[0].value;
	return await db.write(async (transaction) => {
		await sql`insert into clickhouse_facts (name, value) values (${INSTALLATION_ID}, ${randomUUID()})
			on conflict (name) do nothing`.execute(transaction);
		const made = await select.execute(transaction);
		return present(made.rows[0], "the id of the installation").value;
	});
}

export const SHARDS = "shards";
/** The history of shards as JSON, for who has begun to write; null where none is noted. */
export const FIND_SHARDS = `(select value from clickhouse_facts where name = '${SHARDS}')`;

/** As `TraceMetadata.shardHistory`. */
export async function readShardHistory(db: Pick<Database, "read">): Promise<ShardHistory | undefined> {
	const { rows } = await sql<{ value: string }>`select value from clickhouse_facts where name = ${SHARDS}`.execute(
		db.read,
	);
	return rows[0] && ShardHistory.parse(rows[0].value);
}

/** As `TraceMetadata.noteShards`. */
export async function noteShardHistory(db: Database, history: ShardHistory): Promise<void> {
	await db.write(async (transaction) => {
		await sql`insert into clickhouse_facts (name, value) values (${SHARDS}, ${history.format()})
			on conflict (name) do update set value = excluded.value`.execute(transaction);
	});
}

/** What a metadata database that may never have been used with ClickHouse has noted, by name. Changes nothing. */
export async function readNotedFacts({
	read,
	isShared,
}: Pick<Database, "read" | "isShared">): Promise<ReadonlyMap<string, string>> {
	const findTable = isShared
		? sql`select 1 where to_regclass('clickhouse_facts') is not null`
		: sql`select 1 from sqlite_schema where name = 'clickhouse_facts'`;
	if ((await findTable.execute(read)).rows.length === 0) return new Map();
	const { rows } = await sql<{ name: string; value: string }>`select name, value from clickhouse_facts`.execute(read);
	return new Map(rows.map(({ name, value }) => [name, value]));
}

/**
 * As `TraceMetadata.addProjects`.
 * @param pinned what a variable says of the access of new projects
 * @param afterwards has the numbers of later projects be higher, where inserting a number does not
 */
export async function addMissingProjects(
	db: Database,
	projects: readonly { readonly id: number; readonly name: string }[],
	pinned: Access | undefined,
	afterwards?: RawBuilder<unknown>,
): Promise<void> {
	if (projects.length === 0) return;
	await db.write(async (transaction) => {
		const there = await transaction
			.selectFrom("projects")
			.select("id")
			.where("id", "in", listed(projects.map(({ id }) => id)))
			.execute();
		const known = new Set(there.map(({ id }) => id));
		const missing = projects.filter(({ id }) => !known.has(id));
		const now = Date.now() * 1_000;
		for (const { id, name } of missing) {
			const row = { id, description: null, maker: null, created_at: now, updated_at: now };
			const named = (name: string) => insertProjects(transaction, [{ ...row, name }], pinned);
			if ((await named(name)).length === 0) await named(`${name} (${id})`);
		}
		if (missing.length > 0) await afterwards?.execute(transaction);
	});
}
