import type { ClientBase } from "pg";
import { decompress } from "#storage/traces/content/block.ts";
import type { PackedLogRecord } from "#storage/traces/content/log-record.ts";
import { type Insert, insertRows } from "./insert-rows.ts";

const CLASSES = 64;

/**
 * Makes writers of spans and of log records of the same trace wait for each other: neither sees what the other has not
 * committed, yet a trace's first input may come from either. Has to be called first in a transaction.
 */
export async function lockLogs(
	client: ClientBase,
	traceIdsOfSpans: readonly string[],
	traceIdsOfLogs: readonly string[],
): Promise<void> {
	const exclusive = new Set(traceIdsOfLogs.map(classOf));
	const all = [...new Set([...traceIdsOfSpans.map(classOf), ...exclusive])].sort((a, b) => a - b);
	await client.query({
		name: "lock logs",
		text: `select case when exclusive then pg_advisory_xact_lock(hashtext(current_schema()), class)
				else pg_advisory_xact_lock_shared(hashtext(current_schema()), class) end
			from unnest($1::int[], $2::bool[]) as wanted (class, exclusive)`,
		values: [all, all.map((one) => exclusive.has(one))],
	});
}

function classOf(traceId: string): number {
	return Number.parseInt(traceId.slice(-2), 16) % CLASSES;
}

const INSERT: Insert = {
	name: "insert log records",
	table: "log_records",
	columns: ["trace_id", "span_id", "hash", "time_micros", "time_nanos", "received_at", "data"],
	suffix: "on conflict do nothing returning trace_id, span_id, hash",
};

/** @returns the records that were new */
export async function insertLogs(
	client: ClientBase,
	logs: readonly PackedLogRecord[],
	receivedAtMicros: number,
): Promise<PackedLogRecord[]> {
	if (logs.length === 0) return [];
	const distinct = new Map(logs.map((log) => [keyOf(log.traceId, log.spanId, log.hash), log]));
	const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
	const { rows } = await insertRows(
		client,
		INSERT,
		sorted.map(([, { traceId, spanId, hash, timeMicros, timeNanos, data }]) => [
			...[Buffer.from(traceId, "hex"), Buffer.from(spanId, "hex"), hash],
			...[timeMicros, timeNanos, receivedAtMicros, data],
		]),
	);
	const inserted = rows as { trace_id: Buffer; span_id: Buffer; hash: Buffer }[];
	return inserted.flatMap(({ trace_id, span_id, hash }) => {
		const log = distinct.get(keyOf(trace_id.toString("hex"), span_id.toString("hex"), hash));
		return log === undefined ? [] : [log];
	});
}

function keyOf(traceId: string, spanId: string, hash: Uint8Array): string {
	return `${traceId} ${spanId} ${Buffer.from(hash).toString("hex")}`;
}

/** `LogRecord` messages by trace id and span id, in order of time. */
export type LogsOfSpans = (traceId: string, spanId: string) => readonly Uint8Array[];

/** The log records of all spans of some traces. */
export async function readLogs(client: ClientBase, traceIds: readonly string[]): Promise<LogsOfSpans> {
	const { rows } = await client.query<{ trace_id: Buffer; span_id: Buffer; data: Buffer }>({
		name: "read logs",
		text: `select trace_id, span_id, data from log_records where trace_id = any ($1)
			order by time_micros, time_nanos, hash`,
		values: [traceIds.map((id) => Buffer.from(id, "hex"))],
	});
	const bySpan = Map.groupBy(rows, (row) => `${row.trace_id.toString("hex")} ${row.span_id.toString("hex")}`);
	return (traceId, spanId) => (bySpan.get(`${traceId} ${spanId}`) ?? []).map((row) => decompress(row.data));
}
