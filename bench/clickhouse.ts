import { setTimeout as sleep } from "node:timers/promises";
import { TABLES } from "../apps/server/src/storage/traces/clickhouse/tables.ts";
import type { ClickHouse } from "../e2e/peers/clickhouse.ts";
import { POSTGRES_BIN, type Postgres } from "../e2e/peers/postgres.ts";
import { runToEnd } from "../e2e/peers/process.ts";
import { startServer, type TestServer } from "../e2e/server.ts";

/** What a server keeps its traces and everything else in. */
export interface Stores {
	readonly clickhouse: ClickHouse;
	readonly postgres: Postgres;
}

/** A server with traces in ClickHouse. @param name of the database there, and of the schema of PostgreSQL */
export function startWithTracesInClickHouse(
	{ clickhouse, postgres }: Stores,
	name: string,
	env: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
	return startServer({
		storage: { url: postgres.url, schema: name },
		env: { SERVICE_CLICKHOUSE_URL: clickhouse.url, SERVICE_CLICKHOUSE_DATABASE: name, ...env },
	});
}

/** Resolves when the text index has all that was stored before. */
export async function untilIndexed(clickhouse: ClickHouse, database: string): Promise<void> {
	const signed = `select max(version) from ${database}.text_signatures where project_id = 0`;
	const last = await readNumber(clickhouse, `select max(version) from ${database}.span_contents`);
	while ((await readNumber(clickhouse, signed)) < last) await sleep(1_000);
}

/** Spans that readers see. */
export async function countSpans(clickhouse: ClickHouse, database: string): Promise<number> {
	return await readNumber(clickhouse, `select count() from ${database}.spans final`);
}

/** Bytes on the disk of some tables, of all of a database without them. */
export async function storedBytes(
	clickhouse: ClickHouse,
	database: string,
	tables?: readonly string[],
): Promise<number> {
	const only = tables === undefined ? "" : ` and table in (${tables.map((name) => `'${name}'`).join(", ")})`;
	const parts = `system.parts where active and database = '${database}'${only}`;
	return await readNumber(clickhouse, `select sum(bytes_on_disk) from ${parts}`);
}

/** Merges each partition of a database into one part. */
export async function mergeAll(clickhouse: ClickHouse, database: string): Promise<void> {
	for (const { name } of TABLES) {
		const parts = `system.parts where active and database = '${database}' and table = '${name}'`;
		const partitions = await ask(clickhouse, `select distinct partition_id from ${parts}`);
		for (const id of partitions.split("\n").filter((line) => line !== ""))
			await ask(clickhouse, `optimize table ${database}.${name} partition id '${id}' final`);
	}
}

/** The active parts of the partition that has most of them. */
export async function countMostParts(clickhouse: ClickHouse, database: string): Promise<number> {
	const partitions = `select count() as parts from system.parts where active and database = '${database}' group by table, partition_id`;
	return await readNumber(clickhouse, `select max(parts) from (${partitions})`);
}

/** Mutations of a database that are not done. */
export async function countOpenMutations(clickhouse: ClickHouse, database: string): Promise<number> {
	return await readNumber(
		clickhouse,
		`select count() from system.mutations where database = '${database}' and not is_done`,
	);
}

/** Seconds of CPU of the engine's own threads: without the process around it, which serves it. */
export async function readThreadCpu(clickhouse: ClickHouse): Promise<number> {
	const event = "OSCPUVirtualTimeMicroseconds";
	return (await readNumber(clickhouse, `select sum(value) from system.events where event = '${event}'`)) / 1e6;
}

async function readNumber(clickhouse: ClickHouse, statement: string): Promise<number> {
	const answer = await ask(clickhouse, statement);
	const value = Number(answer);
	if (answer === "" || !Number.isFinite(value)) throw new Error(`${statement} answered "${answer}"`);
	return value;
}

async function ask({ url }: ClickHouse, statement: string): Promise<string> {
	const response = await fetch(url, { method: "POST", body: statement });
	const text = await response.text();
	if (!response.ok) throw new Error(`${statement} answered ${response.status}: ${text}`);
	return text.trim();
}

/** Settings of a PostgreSQL whose statements {@link countStatements} counts. */
export const COUNTING = { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.max": "50000" };

/** Statements that PostgreSQL has carried out since {@link countStatements} was first asked. */
export async function countStatements({ url }: Postgres): Promise<number> {
	const counted = "select sum(calls) from pg_stat_statements join pg_database on oid = dbid where datname = 'spanward'";
	const statements = ["create extension if not exists pg_stat_statements", counted];
	const quiet = { PGOPTIONS: "-c client_min_messages=warning" };
	const args = [url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", ...statements.flatMap((text) => ["-c", text])];
	return Number(await runToEnd(`${POSTGRES_BIN}/psql`, args, { env: quiet }));
}
