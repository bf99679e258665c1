import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { present } from "#base/present.ts";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { isConflict, toStorageError } from "#storage/postgres/storage-errors.ts";
import type { PostgresReferences } from "#storage/references/postgres-references.ts";
import { TRACE_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { SessionChanges } from "#storage/traces/totals/session-changes.ts";
import { ALL_GONE, QUARTER_MICROS, SPEND_KEY } from "#storage/traces/totals/spend-changes.ts";
import { restPartitionName } from "../partitions.ts";
import { writeSessions } from "../write/session-rows.ts";
import type { ExpiredPeriod } from "./expired-periods.ts";
import { deleteOrphanedLogs, type TraceKey } from "./log-records.ts";

/** Lock timeout. Short, since readers and writers queue behind the request for a table lock; it is repeated. */
const LOCK_MS = 150;
const LOCK_TRIES = 20;
const LOCK_REST_MS = 250;
/** For a period with very many traces; only writers to its traces wait meanwhile. */
const LONGEST_STATEMENT_MS = 7_200_000;

/**
 * SQLSTATEs: a lock on the table is not available; no right to create temporary tables or to drop the partition;
 * another process has dropped it.
 */
const CANNOT = new Set(["55P03", "42501", "42P01"]);

export interface Dropped {
	/** Number of deleted traces by project. */
	readonly deleted: ReadonlyMap<number, number>;
	/** Row numbers of some of them. */
	readonly traceRowIds: ReadonlyMap<number, readonly number[]>;
}

/** Something in the period has to be kept, or has just arrived. */
class Kept extends Error {
	override readonly name = "Kept";
}

/**
 * Drops the partitions of a month or a day and everything about its traces, in one transaction.
 * @returns undefined, with nothing changed, when something in the period is kept, traces or blocks reach into it or out
 * of it, or the tables cannot be locked
 * @throws StorageUnavailable
 */
export async function dropPeriod(
	pool: pg.Pool,
	references: PostgresReferences,
	period: ExpiredPeriod,
): Promise<Dropped | undefined> {
	try {
		return await withConnection(pool, (client) => dropInTransaction(client, references, period), tidyUp);
	} catch (error) {
		if (error instanceof Kept || isConflict(error) || isHindered(error)) return undefined;
		throw toStorageError(error);
	}
}

/** After a failure the caller closes the connection, which rolls back. */
async function dropInTransaction(
	client: pg.PoolClient,
	references: PostgresReferences,
	period: ExpiredPeriod,
): Promise<Dropped> {
	await client.query("begin isolation level read committed");
	const dropped = await drop(client, references, period);
	await client.query("commit");
	return dropped;
}

async function drop(client: pg.PoolClient, references: PostgresReferences, period: ExpiredPeriod): Promise<Dropped> {
	await client.query(`set local statement_timeout = ${LONGEST_STATEMENT_MS}`);
	await findTraces(client, period);
	const spans = await countSpans(client, period);
	const dropped = await listTraces(client);
	await references.partitionDropped(client, period.spans);
	await deleteIndexEntries(client, period);
	await deleteTraces(client, period);
	// New spans may have come until here; from here on none can.
	await lock(client, `lock table ${period.spans}, ${period.blocks} in share mode`);
	if ((await countRows(client, period.spans)) !== spans) throw new Kept("spans came meanwhile");
	if (period.restOfBlocks !== undefined) await checkBlocks(client, period.spans, period.restOfBlocks);
	await lock(client, "lock table only spans, only blocks, only block_text_groups in access exclusive mode");
	await client.query(`drop table ${period.spans}, ${period.blocks}; drop table if exists ${period.groups}`);
	return dropped;
}

/** Lists the traces that start in the period in `going`, and locks them. @throws Kept when one is annotated */
async function findTraces(client: pg.PoolClient, { from, to, projectIds, keepingAnnotated }: ExpiredPeriod) {
	await client.query(
		`create temp table going (id bigint, project_id bigint, trace_id bytea, session_row_id bigint, span_count bigint)
		on commit preserve rows`,
	);
	await client.query(
		`insert into going select id, project_id, trace_id, session_row_id, span_count from traces
		where project_id = any($1::bigint[]) and start_micros >= $2 and start_micros < $3
		order by trace_id, project_id for update`,
		[projectIds, from, to],
	);
	await client.query("create unique index on going (id)");
	await client.query("create index on going (trace_id)");
	await client.query("analyze going");
	const { rowCount } = await client.query(
		`select from traces where id in (select id from going where project_id = any($1::bigint[])) and ${TRACE_IS_ANNOTATED}
		limit 1`,
		[keepingAnnotated],
	);
	if (rowCount !== 0) throw new Kept("a trace is annotated");
}

/** @returns the number of spans in the period. @throws Kept unless they are exactly the spans of the listed traces */
async function countSpans(client: pg.PoolClient, { spans }: ExpiredPeriod): Promise<number> {
	const { rows } = await client.query<{ spans: number; own: number; expected: number }>(
		`select count(*) as spans, count(going.id) as own,
			(select coalesce(sum(span_count), 0) from going) as expected
		from ${spans} as spans left join going on going.id = spans.trace_row_id`,
	);
	const counted = present(rows[0], "the count of spans");
	if (counted.spans !== counted.own || counted.own !== counted.expected)
		throw new Kept("a trace reaches into the period or out of it");
	return counted.spans;
}

/** @throws Kept when a block that other days share has content of the spans, which would stay behind */
async function checkBlocks(client: pg.PoolClient, spans: string, blocks: string): Promise<void> {
	const { rowCount } = await client.query(
		`select from ${blocks} as blocks where exists (
			select from ${spans} as spans
			where spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
		) limit 1`,
	);
	if (rowCount !== 0) throw new Kept("a block holds spans of several days");
}

/** Row numbers reported at most; after so many changes, views reload their lists. */
const MOST_TOLD = 1_000;

async function listTraces(client: pg.PoolClient): Promise<Dropped> {
	const { rows } = await client.query<{ project_id: number; number: number; ids: string[] }>(
		`select project_id, count(*) as number, (array_agg(id))[1:${MOST_TOLD}] as ids from going group by project_id`,
	);
	return {
		deleted: new Map(rows.map((row) => [row.project_id, row.number])),
		traceRowIds: new Map(rows.map((row) => [row.project_id, row.ids.map(Number)])),
	};
}

/** Waits for processes that sign blocks of the period or make groups of their signatures. */
async function deleteIndexEntries(client: pg.PoolClient, period: ExpiredPeriod): Promise<void> {
	const { from, to, blocks, restOfBlocks } = period;
	// Of a day, the first microsecond stands for its month.
	const first = restOfBlocks === undefined ? from : from + 1;
	await client.query(
		`delete from block_text_waiting using ${blocks} as blocks where blocks.id = block_text_waiting.block_id`,
	);
	await client.query("delete from block_text_signatures where month >= $1 and month < $2", [first, to]);
}

/** Deletes the traces and the totals of these hours, in which nothing else started. */
async function deleteTraces(client: pg.PoolClient, period: ExpiredPeriod): Promise<void> {
	const { from, to, projectIds } = period;
	await client.query("delete from traces using going where traces.id = going.id");
	await lockSessions(client, period);
	const { rows } = await client.query<{ id: number }>(
		"select distinct session_row_id as id from going where session_row_id is not null",
	);
	const sessions = new SessionChanges();
	for (const { id } of rows) sessions.shrink(id, "drop");
	await writeSessions(client, sessions, new Map());
	await client.query("delete from hours where project_id = any($1::bigint[]) and hour >= $2 and hour < $3", [
		projectIds,
		from / HOUR_MICROS,
		to / HOUR_MICROS,
	]);
	await keepSpent(client, period);
}

/** What the spans have spent was spent all the same. Rows are locked in the order in which writers lock them. */
async function keepSpent(client: pg.PoolClient, { from, to, projectIds }: ExpiredPeriod): Promise<void> {
	const range = [projectIds, from / QUARTER_MICROS, to / QUARTER_MICROS];
	const ofPeriod = "project_id = any($1::bigint[]) and quarter >= $2 and quarter < $3";
	await client.query(`select from spend where ${ofPeriod} order by ${SPEND_KEY.join(", ")} for update`, range);
	await client.query(`update spend set ${ALL_GONE} where ${ofPeriod}`, range);
}

/**
 * Locks the sessions of the listed traces, so that nobody can annotate them. Called late, as writers to them wait.
 * @throws Kept when one is annotated
 */
async function lockSessions(client: pg.PoolClient, { keepingAnnotated }: ExpiredPeriod): Promise<void> {
	await client.query(
		"select from sessions where id in (select session_row_id from going) order by id for update of sessions",
	);
	const { rowCount } = await client.query(
		`select from annotations where target = 'session'
			and session_row_id in (select session_row_id from going where project_id = any($1::bigint[]))
		limit 1`,
		[keepingAnnotated],
	);
	if (rowCount !== 0) throw new Kept("a session has been annotated");
}

/** Traces per transaction that deletes log records. */
const TIDIED_TOGETHER = 1_000;

/** Runs after the commit. */
async function tidyUp(client: pg.PoolClient): Promise<void> {
	for (let after: TraceKey = { trace_id: Buffer.alloc(0), project_id: 0 }; ; ) {
		const { rows } = await client.query<TraceKey>(
			`select distinct trace_id, project_id from going where (trace_id, project_id) > ($1, $2)
			order by trace_id, project_id limit ${TIDIED_TOGETHER}`,
			[after.trace_id, after.project_id],
		);
		const last = rows.at(-1);
		if (last === undefined) break;
		await deleteOrphanedLogs(client, rows);
		after = last;
	}
	await client.query("drop table going");
}

/** @throws Kept when somebody waits for a lock of this transaction: that may be who holds the table lock */
async function lock(client: pg.PoolClient, statement: string): Promise<void> {
	for (let tries = 1; ; tries += 1) {
		await client.query(`savepoint unlocked; set local lock_timeout = ${LOCK_MS}`);
		try {
			await client.query(statement);
			return;
		} catch (error) {
			if (!isHindered(error) || tries === LOCK_TRIES) throw error;
			await client.query("rollback to savepoint unlocked");
			if (await isWaitedFor(client)) throw new Kept("somebody writes to the period");
			await sleep(LOCK_REST_MS);
		}
	}
}

async function isWaitedFor(client: pg.PoolClient): Promise<boolean> {
	const { rowCount } = await client.query(
		"select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)) limit 1",
	);
	return rowCount !== 0;
}

async function countRows(client: pg.PoolClient, table: string): Promise<number> {
	const { rows } = await client.query<{ number: number }>(`select count(*) as number from ${table}`);
	return present(rows[0], "the count of rows").number;
}

function isHindered(error: unknown): boolean {
	return error instanceof Error && "code" in error && typeof error.code === "string" && CANNOT.has(error.code);
}

/**
 * Drops what is left of a month that was partitioned by day, if it is empty.
 * @throws StorageUnavailable
 */
export async function dropRest(pool: pg.Pool, month: number): Promise<void> {
	const blocks = restPartitionName("blocks", month);
	const groups = restPartitionName("block_text_groups", month);
	try {
		await withConnection(pool, async (client) => {
			await client.query("begin isolation level read committed");
			await lock(client, `lock table ${blocks}, ${groups} in share mode`);
			if ((await countRows(client, blocks)) + (await countRows(client, groups)) > 0) throw new Kept("it is not empty");
			await lock(client, "lock table only blocks, only block_text_groups in access exclusive mode");
			await client.query(`drop table ${blocks}, ${groups}`);
			await client.query("commit");
		});
	} catch (error) {
		if (!(error instanceof Kept || isConflict(error) || isHindered(error))) throw toStorageError(error);
	}
}
