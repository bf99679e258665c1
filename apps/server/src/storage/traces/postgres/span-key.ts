import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientBase } from "pg";
import { present } from "#base/present.ts";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { isConflict } from "#storage/postgres/storage-errors.ts";

/**
 * The identity of a span within a trace's row. The span id is first, as spans are looked up by it alone; the nanoseconds
 * follow it where they fill bytes that alignment would leave empty.
 */
const KEY = "span_id, start_nanos, trace_row_id, start_micros";
/** The key of databases made by former versions. */
const FORMER_KEY = "span_id, trace_id, start_micros, start_nanos, trace_row_id";

/** Where the indexes have up to so many bytes, of about 250,000 spans, the key is changed while a server starts. */
const AT_ONCE_BYTES = 64 << 20;
/** Longest wait for the lock on the table, since readers and writers queue behind it. */
const LOCK_WAIT = "1s";
const MOST_TRIES = 20;
const BETWEEN_TRIES_MS = 2_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** Changes the key of spans if it is the former one and there are few of them; otherwise `changeSpanKey` has to do it. */
export async function changeSmallSpanKey(client: ClientBase): Promise<void> {
	if (!(await hasFormerKey(client))) return;
	const { rows } = await client.query<{ bytes: number }>(
		"select sum(pg_indexes_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'spans'::regclass",
	);
	if (present(rows[0], "the size of the indexes").bytes <= AT_ONCE_BYTES) await replaceKey(client);
}

/**
 * Changes the key of spans while servers read and write, whatever their version: makes the index of each partition
 * first, then puts all of them in the place of the former ones in a short transaction. What an earlier run has made is
 * used, unless that run was stopped in the middle of an index.
 * @param stopped ends the work between two partitions
 */
export async function changeSpanKey(pool: pg.Pool, stopped: AbortSignal): Promise<void> {
	if (!(await hasFormerKey(pool))) return;
	for (const { partition, isPrepared } of await listPartitions(pool)) {
		if (stopped.aborted) return;
		if (!isPrepared) await prepareIndex(pool, partition);
	}
	await tryToReplaceKey(pool, stopped);
}

/** A key that an operator chose is left alone, and Citus distributes only tables whose key contains the trace id. */
async function hasFormerKey(client: Pick<ClientBase, "query">): Promise<boolean> {
	const { rows } = await client.query<{ key: string | null }>(
		`select string_agg(attname, ', ' order by position) as key
		from pg_constraint
			cross join lateral unnest(conkey) with ordinality as keys (number, position)
			join pg_attribute on attrelid = conrelid and attnum = number
		where conrelid = 'spans'::regclass and contype = 'p'
			and not exists (select from pg_extension where extname = 'citus')`,
	);
	return rows[0]?.key === FORMER_KEY;
}

interface Partition {
	readonly partition: string;
	/** Whether it has the index that will be its key. */
	readonly isPrepared: boolean;
}

async function listPartitions(client: Pick<ClientBase, "query">): Promise<Partition[]> {
	const { rows } = await client.query<Partition>(
		`select relname as partition, coalesce(indisvalid, false) as "isPrepared"
		from pg_inherits
			join pg_class on pg_class.oid = inhrelid
			left join pg_index on indrelid = inhrelid and indexrelid = to_regclass(relname || '_next_key')
		where inhparent = 'spans'::regclass order by 1`,
	);
	return rows;
}

/** Makes the index that will be the key of a partition, without blocking anybody. */
async function prepareIndex(pool: pg.Pool, partition: string): Promise<void> {
	await withConnection(
		pool,
		async (client) => {
			await client.query("set statement_timeout = 0");
			// One whose making was cut off.
			await client.query(`drop index if exists ${partition}_next_key`);
			await client.query(`create unique index concurrently ${partition}_next_key on ${partition} (${KEY})`);
		},
		async (client) => {
			await client.query("reset statement_timeout");
		},
	);
}

async function tryToReplaceKey(pool: pg.Pool, stopped: AbortSignal): Promise<void> {
	for (let tries = 1; !stopped.aborted; tries += 1)
		try {
			await withConnection(pool, async (client) => {
				await client.query(`begin; set local lock_timeout = '${LOCK_WAIT}'`);
				await client.query("lock table spans in access exclusive mode");
				// A server that starts may have done it.
				if (await hasFormerKey(client)) await replaceKey(client);
				await client.query("commit");
			});
			return;
		} catch (error) {
			const isLocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
			if (tries === MOST_TRIES || !(isConflict(error) || isLocked)) throw error;
			await sleep(BETWEEN_TRIES_MS, undefined, { signal: stopped }).catch(() => undefined);
		}
}

/** Uses the indexes that are prepared and makes the others, such as that of a month that was made meanwhile. */
async function replaceKey(client: ClientBase): Promise<void> {
	await client.query("alter table spans drop constraint spans_pkey");
	for (const { partition, isPrepared } of await listPartitions(client)) {
		const useIndex = `alter table ${partition} add constraint ${partition}_pkey primary key using index ${partition}_next_key`;
		await client.query(isPrepared ? useIndex : `drop index if exists ${partition}_next_key`);
	}
	// It takes the keys of partitions with the same columns for its own.
	await client.query(`alter table spans add constraint spans_pkey primary key (${KEY})`);
}
