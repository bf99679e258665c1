import pg from "pg";
import type { Config } from "../../config.ts";
import { OnlyProcess } from "../cluster.ts";
import type { Storage } from "../storage.ts";
import { PostgresTraceStore } from "../traces/postgres/postgres-trace-store.ts";
import { checkServer } from "./check-server.ts";
import { connectionConfig, openPool } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { toOpenError } from "./open-errors.ts";
import { makePartitions } from "./partitions.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import type { PostgresSettings } from "./postgres-settings.ts";

/**
 * Opens a PostgreSQL database that any number of server processes share, bringing its schema up to date. The project of
 * spans that name none exists afterwards.
 * @param tell gets a sentence about what was done to the database, and about connections that failed
 */
export async function openPostgres(
	{ SERVICE_PROJECT_NAME: projectName }: Pick<Config, "SERVICE_PROJECT_NAME">,
	settings: PostgresSettings,
	tell: (sentence: string) => void = () => undefined,
): Promise<Storage> {
	await using opened = new AsyncDisposableStack();
	await prepare(settings, projectName, tell);
	const onError = (error: Error) => tell(`a connection to PostgreSQL ended: ${error.message}`);
	const size = settings.poolSize;
	const pool = openPool(settings, settings.primary, { name: "metadata", size }, onError);
	opened.defer(() => pool.end());
	const reading = openPool(settings, settings.replica ?? settings.primary, { name: "traces", size }, onError);
	opened.defer(() => reading.end());
	const db = opened.use(new PostgresDatabase(pool));
	const traces = opened.use(new PostgresTraceStore({ settings, reading, writing: pool }));
	const open = opened.move();
	return {
		kind: "postgres",
		db,
		traces,
		writerOptions: { kind: "postgres", settings },
		cluster: new OnlyProcess(),
		usedBytes: () => readUsedBytes(pool, settings.schema),
		notify: (change) => traces.notifyChange(change),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

async function readUsedBytes(pool: pg.Pool, schema: string): Promise<number> {
	const { rows } = await pool.query(
		`select coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) as bytes from pg_class
		join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relkind in ('r', 'm')`,
		[schema],
	);
	return Number(rows[0]?.bytes);
}

async function prepare(
	settings: PostgresSettings,
	projectName: string,
	tell: (sentence: string) => void,
): Promise<void> {
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "start", statementTimeoutMs: 0 }));
	try {
		await client.connect();
		await checkServer(client, settings, tell);
		await migrate(client, settings.schema, async () => {
			const now = Date.now() * 1_000;
			await makePartitions(client, now);
			await client.query(
				"insert into projects (name, created_at, updated_at) values ($1, $2, $2) on conflict (name) do nothing",
				[projectName, now],
			);
		});
	} catch (error) {
		throw toOpenError(error, settings);
	} finally {
		await client.end();
	}
}
