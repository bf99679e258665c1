import type pg from "pg";
import type { Config } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { RecountedSpend } from "#storage/traces/mutate/recounted-spend.ts";
import { RecountingRepairs } from "#storage/traces/mutate/recounting-repairs.ts";
import { PostgresRecounts } from "#storage/traces/postgres/recounts.ts";
import { postgresReferences } from "../references/postgres-references.ts";
import type { PoolUse, Storage } from "../storage.ts";
import { makePartitions } from "../traces/postgres/partitions.ts";
import { changeSmallSpanKey } from "../traces/postgres/span-key.ts";
import { PostgresTraceStore } from "../traces/postgres/trace-store.ts";
import type { TraceChange } from "../traces/trace-store.ts";
import { Availability } from "./availability.ts";
import { checkServer } from "./check-server.ts";
import { PostgresCluster } from "./cluster/postgres-cluster.ts";
import { openPool } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { guardPool } from "./guard-pool.ts";
import { migrate } from "./migrations.ts";
import { toOpenError } from "./open-errors.ts";
import { PostgresPlace } from "./postgres-place.ts";
import { Reading } from "./reading.ts";
import { upkeepOf } from "./upkeep.ts";
import { connectToStart } from "./wait-for-database.ts";

/**
 * Opens a PostgreSQL database, which any number of server processes may share, brings its schema up to date, and
 * creates the project of spans that name none.
 * @param tell gets a sentence about what was done to the database, and about connections that failed
 * @param waitMs how long to wait for a database that cannot be reached yet
 * @throws PostgresOpenError with what to change
 */
export async function openPostgres(
	{ SERVICE_PROJECT_NAME: projectName }: Pick<Config, "SERVICE_PROJECT_NAME">,
	settings: PostgresSettings,
	tell: (sentence: string) => void = () => undefined,
	waitMs = 0,
): Promise<Storage> {
	await using opened = new AsyncDisposableStack();
	await prepare(settings, projectName, tell, waitMs);
	const availability = new Availability();
	const onError = (error: Error) => tell(`a connection to PostgreSQL ended: ${error.message}`);
	const size = settings.poolSize;
	const pool = guardPool(openPool(settings, settings.primary, { name: "metadata", size }, onError), availability);
	opened.defer(() => pool.end());
	const primary = guardPool(openPool(settings, settings.primary, { name: "traces", size }, onError), availability);
	opened.defer(() => primary.end());
	const reading = opened.use(await Reading.open({ settings, primary, tell }));
	const db = opened.use(new PostgresDatabase(pool));
	const cluster = opened.use(new PostgresCluster({ settings, pool, availability, tell }));
	const tellOthers = (change: TraceChange) => cluster.tell({ topic: "traces", changes: [change] });
	const traces = opened.use(
		new PostgresTraceStore({
			...{ db, settings, reading, references: postgresReferences },
			writing: pool,
			onOwnChange: tellOthers,
			onOwnMove: () => cluster.tell({ topic: "moved" }),
		}),
	);
	cluster.onMessage((message) => {
		if (message.topic === "traces") for (const change of message.changes) traces.notifyChange(change);
		if (message.topic === "moved" || message.topic === "missed") reading.awaitReplica();
	});
	const recounts = new PostgresRecounts({ db, pool, references: postgresReferences });
	const open = opened.move();
	return {
		kind: "postgres",
		db,
		traces,
		place: new PostgresPlace(pool, settings.primary, availability),
		repairs: new RecountingRepairs(db, recounts),
		spend: new RecountedSpend(db, recounts),
		writerOptions: { kind: "postgres", settings },
		cluster,
		usedBytes: () => readUsedBytes(pool, settings.schema),
		server: {
			connections: () => [
				poolUse("metadata", pool, size),
				poolUse("traces", primary, size),
				...(reading.replicaPool === undefined ? [] : [poolUse("replica", reading.replicaPool, size)]),
			],
			readsReplica: () => reading.readsReplica,
		},
		upkeep: upkeepOf(pool, traces, settings),
		onReachable: (listener) => availability.onChange(listener),
		// The connections of a thread end with it.
		releaseWriter: () => undefined,
		notify(change) {
			traces.notifyChange(change);
			tellOthers(change);
		},
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

function poolUse(name: string, { totalCount, idleCount, waitingCount }: pg.Pool, most: number): PoolUse {
	return { name, open: totalCount, idle: idleCount, waiting: waitingCount, most };
}

async function readUsedBytes(pool: pg.Pool, schema: string): Promise<number> {
	const { rows } = await pool.query<{ bytes: number }>(
		`select coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) as bytes from pg_class
		join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relkind in ('r', 'm')`,
		[schema],
	);
	return present(rows[0], "the size of the database").bytes;
}

async function prepare(
	settings: PostgresSettings,
	projectName: string,
	tell: (sentence: string) => void,
	waitMs: number,
): Promise<void> {
	const client = await connectToStart(settings, tell, waitMs);
	try {
		await checkServer(client, settings, tell);
		await migrate(client, settings.schema, async () => {
			const now = Date.now() * 1_000;
			await changeSmallSpanKey(client);
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
