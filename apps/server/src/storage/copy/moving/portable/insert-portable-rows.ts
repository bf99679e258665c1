import { present } from "#base/present.ts";
import type { Columns } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import {
	CONTENTS,
	FIRST_READING,
	HOURS,
	LOG_RECORDS,
	SESSIONS,
	SPANS,
	type Table,
	type TableRow,
	TRACE_PLACES,
	TRACES,
} from "#storage/traces/clickhouse/tables.ts";
import { UNKNOWN_TEXTS } from "#storage/traces/clickhouse/texts.ts";
import { insertRows } from "#storage/traces/clickhouse/write/insert-rows.ts";
import { addBlobTo, type Histogram } from "#storage/traces/totals/latency-histogram.ts";
import type { CopiedTable, Row, Value } from "../tables.ts";
import { contentOfRow } from "./rows.ts";

/** What rows that are copied have: lower than what the metadata database gives out afterwards. */
export interface CopiedNumbers {
	readonly batch: number;
	readonly number: number;
	readonly version: number;
	readonly is_deleted: number;
}

/** Of everything that is copied in one round. */
export const COPIED: CopiedNumbers = { batch: 1, number: 1, version: 1, is_deleted: 0 };

/** Of what a last round copies, in the place of what is there and of what it removes. */
export function copiedAgain(lastRounds: number): CopiedNumbers {
	const version = 2 * lastRounds + 1;
	return { ...COPIED, batch: version, version };
}

/** Of what a last round removes. */
export function removed(lastRounds: number): CopiedNumbers {
	const version = 2 * lastRounds;
	return { ...COPIED, batch: version, version, is_deleted: 1 };
}

type Values = Readonly<Record<string, Value | readonly number[]>>;

/**
 * Stores rows in the portable form in ClickHouse. The same rows again, or other ones with the same keys, take the place of
 * the former ones.
 * @param rows get what only ClickHouse has, as copies of all rows would take a tenth of the time of copying
 * @param token names the rows
 * @throws ClickHouseOpenError
 */
export async function insertPortableRows(
	shards: TraceShards,
	{ name }: Pick<CopiedTable, "name">,
	rows: readonly Row[],
	token: string,
	numbers = COPIED,
): Promise<void> {
	const completed = rows.map((row) => Object.assign(row, ADDED[name]?.(row), numbers));
	const insert = <Of extends Columns>(table: Table<Of>, of: readonly Values[] = completed) =>
		insertOnShards(shards, table, of, token);
	switch (name) {
		case "spans": {
			const readable = completed.filter((row) => contentOfRow(row) !== undefined);
			await Promise.all([insert(SPANS), insert(CONTENTS, readable)]);
			return;
		}
		case "traces":
			await Promise.all([insert(TRACE_PLACES), insert(TRACES)]);
			return;
		case "sessions":
			return await insert(SESSIONS);
		case "log_records":
			return await insert(LOG_RECORDS);
		default:
			// Otherwise each shard counts its own when its traces are there.
			if (shards.list.length === 1) await insert(HOURS);
	}
}

const NOTHING = new Uint8Array(0);
const NO_CONTENT = { span: NOTHING, scope: NOTHING, scope_schema_url: "", resource: NOTHING, resource_schema_url: "" };

/**
 * Stores that rows are deleted.
 * @param rows as they were read of ClickHouse
 * @param token names the rows
 * @throws ClickHouseOpenError
 */
export async function removePortableRows(
	shards: TraceShards,
	{ name }: Pick<CopiedTable, "name">,
	rows: readonly Row[],
	token: string,
	numbers: CopiedNumbers,
): Promise<void> {
	const gone: readonly Values[] = rows.map((row) => ({ ...row, ...numbers }));
	const insert = <Of extends Columns>(table: Table<Of>, what: Values = {}) =>
		insertOnShards(
			shards,
			table,
			gone.map((row) => ({ ...row, ...what })),
			token,
		);
	switch (name) {
		case "spans":
			await Promise.all([insert(SPANS, { cost_source: 0 }), insert(CONTENTS, NO_CONTENT)]);
			return;
		case "traces":
			await Promise.all([insert(TRACE_PLACES), insert(TRACES)]);
			return;
		case "sessions":
			return await insert(SESSIONS);
		case "log_records":
			return await insert(LOG_RECORDS, { data: NOTHING });
		default: {
			const none: readonly Values[] = gone.map((row) => ({ ...row, latency_buckets: [], latency_counts: [] }));
			for (const shard of shards.list) await insertRows(shard, HOURS, none as readonly TableRow<typeof HOURS>[], token);
		}
	}
}

/** @param rows the columns of the portable form have the types of those in ClickHouse */
async function insertOnShards<Of extends Columns>(
	shards: TraceShards,
	table: Table<Of>,
	rows: readonly Values[],
	token: string,
): Promise<void> {
	const byShard = Map.groupBy(rows, (row) => shardOf(shards, row));
	const inserted = [...byShard].map(([shard, own]: readonly [Shard, readonly Values[]]) =>
		insertRows(shard, table, own as readonly TableRow<Table<Of>>[], token),
	);
	await Promise.all(inserted);
}

/** Where a row is, with those of its trace. All traces are new. Hours have no trace: without others all are on one shard. */
function shardOf(shards: TraceShards, row: Values): Shard {
	const { trace_id: traceId, session_id: sessionId } = row as { trace_id?: Uint8Array; session_id?: string };
	if (traceId !== undefined) return shards.ofNew(Buffer.from(traceId).toString("hex"), 0);
	return sessionId === undefined ? present(shards.list[0], "a shard") : shards.ofSession(sessionId);
}

/** What rows have in ClickHouse alone, by table. */
const ADDED: Readonly<Record<string, (row: Row) => Values>> = {
	spans(row) {
		const { bytes, scope, resource } = contentOfRow(row) ?? {};
		return {
			cost_source: row["cost_source"] ?? 0,
			texts: row["texts"] ?? UNKNOWN_TEXTS,
			reading: row["reading"] ?? FIRST_READING,
			content_bytes: (bytes?.length ?? 0) + (scope?.bytes.length ?? 0) + (resource?.bytes.length ?? 0),
		};
	},
	traces: (row) => ({ anchor_micros: row["start_micros"] ?? null, reading: row["reading"] ?? FIRST_READING }),
	hours(row) {
		const latency: Histogram = new Map();
		addBlobTo(latency, row["latency"] as Uint8Array);
		const buckets = [...latency].toSorted(([a], [b]) => a - b);
		return {
			latency_buckets: buckets.map(([bucket]) => bucket),
			latency_counts: buckets.map(([, count]) => count),
		};
	},
};
