import { sql } from "kysely";
import type pg from "pg";
import type { ClientBase } from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Database } from "#storage/database.ts";
import { connectionConfig, makeClient, openPool, UNLIMITED } from "#storage/postgres/connection.ts";
import { kyselyOn } from "#storage/postgres/kysely-driver.ts";
import { toStorageError } from "#storage/postgres/storage-errors.ts";
import type { Access } from "#storage/schema.ts";
import { markTraces } from "#storage/traces/error-marks.ts";
import type { ShardHistory } from "../shards/shard-history.ts";
import {
	addMissingProjects,
	CREATE_FACTS,
	NOTE_TRACES_ELSEWHERE,
	noteShardHistory,
	readInstallationId,
	readShardHistory,
} from "./common-metadata.ts";
import { readPostgresCounters } from "./counters.ts";
import { PostgresTurns } from "./postgres-turns.ts";
import type { Counters, PostgresMetadataOptions, TraceMetadata, WriterMetadata } from "./trace-metadata.ts";

/** How long a turn may wait for others. */
const LONGEST_WAIT_MS = 60_000;
/** How long a turn may wait for ClickHouse between two statements. */
const LONGEST_IDLE_MS = 120_000;

/**
 * Opens the schema of `settings`, which `openPostgres` has migrated, as the metadata database of traces in ClickHouse:
 * makes what is missing.
 * @param pinnedAccess what a variable says of the access of new projects
 * @throws StorageUnavailable
 */
export async function openPostgresMetadata(
	db: Database,
	settings: PostgresSettings,
	pinnedAccess?: Access,
): Promise<PostgresMetadata> {
	await change(settings, createTurnTables);
	return new PostgresMetadata(db, settings, pinnedAccess);
}

export class PostgresMetadata implements TraceMetadata {
	readonly db: Database;
	readonly writerOptions: PostgresMetadataOptions;
	readonly #pinnedAccess: Access | undefined;

	constructor(db: Database, settings: PostgresSettings, pinnedAccess?: Access) {
		this.db = db;
		this.#pinnedAccess = pinnedAccess;
		this.writerOptions = { kind: "postgres", settings };
	}

	openTurns(): PostgresTurns {
		return turnsOf(this.writerOptions.settings);
	}

	installationId(): Promise<string> {
		return readInstallationId(this.db);
	}

	shardHistory(): Promise<ShardHistory | undefined> {
		return readShardHistory(this.db);
	}

	noteShards(history: ShardHistory): Promise<void> {
		return noteShardHistory(this.db, history);
	}

	counters(): Promise<Counters> {
		return readPostgresCounters(this.db);
	}

	async raiseCounters({ spans, traces, turns }: Counters): Promise<void> {
		const counters = [
			["span_numbers", spans],
			["trace_numbers", traces],
			["clickhouse_versions", turns],
			["clickhouse_batch_numbers", turns],
		] as const;
		await this.db.write(async (transaction) => {
			// Servers that start together would set a counter back that another one has used meanwhile.
			await sql`select pg_advisory_xact_lock(hashtext('counters of ' || current_schema()), 0)`.execute(transaction);
			for (const [name, least] of counters)
				await sql`select setval(${name}::regclass, ${least}::bigint) from ${sql.table(name)}
					where ${least}::bigint > 0 and (not is_called or last_value < ${least}::bigint)`.execute(transaction);
		});
	}

	async raiseKeyNumbers(least: number): Promise<void> {
		const numbers = sql`pg_get_serial_sequence('api_keys', 'id')`;
		await this.db.write((transaction) =>
			sql`select setval(${numbers}, greatest(nextval(${numbers}), ${least}::bigint))`.execute(transaction),
		);
	}

	addProjects(projects: readonly { readonly id: number; readonly name: string }[]): Promise<void> {
		const numbers = sql`pg_get_serial_sequence('projects', 'id')`;
		const raise = sql`select setval(${numbers}, greatest(nextval(${numbers}), (select max(id) from projects)))`;
		return addMissingProjects(this.db, projects, this.#pinnedAccess, raise);
	}

	leaveTraces(): Promise<void> {
		return change(this.writerOptions.settings, leaveTraces);
	}

	/** The locks of a thread end with its connection. */
	releaseWriter(): void {}
}

/** For an ingest worker: connections of its own. */
export function openPostgresWriterMetadata({ settings }: PostgresMetadataOptions): WriterMetadata {
	const turns = turnsOf(settings);
	// Connects when it is needed.
	const turnsBeside = turnsOf(settings);
	// The next statement says what is wrong with the database.
	const pool = openPool(settings, settings.primary, { name: "ingest", size: 1 }, () => undefined);
	const db = kyselyOn(pool);
	return {
		...{ db: { read: db }, turns, turnsBeside },
		markTraces: (traces) => markTraces({ read: db, write: (work) => db.transaction().execute(work) }, traces),
		async [Symbol.asyncDispose]() {
			await turns[Symbol.asyncDispose]();
			await turnsBeside[Symbol.asyncDispose]();
			await pool.end();
		},
	};
}

function turnsOf(settings: PostgresSettings): PostgresTurns {
	return new PostgresTurns(() => connect(settings));
}

async function connect(settings: PostgresSettings): Promise<pg.Client> {
	const config = connectionConfig(settings, settings.primary, {
		name: "turns",
		statementTimeoutMs: LONGEST_WAIT_MS,
		idleInTransactionTimeoutMs: LONGEST_IDLE_MS,
		readsFewRows: true,
	});
	// A broken network gives no answer at all.
	const client = makeClient({ ...config, query_timeout: LONGEST_WAIT_MS + 1_000 });
	await client.connect();
	return client;
}

const CREATE_TABLES = `
	create sequence if not exists clickhouse_versions;
	create sequence if not exists clickhouse_batch_numbers;
	create table if not exists clickhouse_batches (
		id bigint primary key default nextval('clickhouse_batch_numbers'),
		started_at bigint not null
	);
	${CREATE_FACTS}`;

/** Ranges of the row numbers that new traces of a batch may have; null where servers of former versions have noted it. */
const HAS_TRACE_NUMBERS = `select 1 from pg_attribute
	where attrelid = 'clickhouse_batches'::regclass and attname = 'trace_numbers' and not attisdropped`;
const ADD_TRACE_NUMBERS = "alter table clickhouse_batches add column trace_numbers jsonb";

/** Servers that start together take turns. @throws StorageUnavailable */
async function change(settings: PostgresSettings, work: (client: ClientBase) => Promise<void>): Promise<void> {
	const client = makeClient(connectionConfig(settings, settings.primary, { name: "prepare traces", ...UNLIMITED }));
	try {
		await client.connect();
		await client.query("begin");
		await client.query("select pg_advisory_xact_lock(hashtext('traces of ' || current_schema()), 0)");
		await work(client);
		await client.query("commit");
	} catch (error) {
		throw toStorageError(error);
	} finally {
		await client.end();
	}
}

/** Makes what turns need. */
export async function createTurnTables(client: ClientBase): Promise<void> {
	await client.query(CREATE_TABLES);
	// Altering a table waits for whoever reads it, even when there is nothing to change.
	if ((await client.query(HAS_TRACE_NUMBERS)).rows.length === 0) await client.query(ADD_TRACE_NUMBERS);
}

/** Drops foreign keys to traces, which are not here, and notes that they are in ClickHouse. */
export async function leaveTraces(client: ClientBase): Promise<void> {
	// As above.
	const { rows } = await client.query<{ table: string; name: string }>(`
		select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
		where contype = 'f' and confrelid in ('traces'::regclass, 'sessions'::regclass)`);
	for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
	await client.query(NOTE_TRACES_ELSEWHERE);
}
