import type { ClientBase } from "pg";
import { decompress } from "#storage/traces/content/block.ts";
import { hashInProject, type LogRecordOfProject, NO_PROJECT } from "#storage/traces/content/log-record.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
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
	columns: ["project_id", "trace_id", "span_id", "hash", "time_micros", "time_nanos", "received_at", "data"],
	suffix: "on conflict do nothing returning trace_id, span_id, hash",
};

/** @returns the records that were new */
export async function insertLogs(
	client: ClientBase,
	logs: readonly LogRecordOfProject[],
	receivedAtMicros: number,
): Promise<LogRecordOfProject[]> {
	if (logs.length === 0) return [];
	const distinct = new Map(logs.map((log) => [keyOf(log.traceId, log.spanId, log.hash), log]));
	const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
	const { rows } = await insertRows(
		client,
		INSERT,
		sorted.map(([, { projectId, traceId, spanId, hash, timeMicros, timeNanos, data }]) => [
			...[projectId, Buffer.from(traceId, "hex"), Buffer.from(spanId, "hex"), hash],
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

/** `LogRecord` messages of the spans of a trace, in order of time. */
export type LogsOfSpans = (trace: TraceKey, spanId: string) => readonly Uint8Array[];

interface StoredLog {
	readonly id: number;
	readonly project_id: number;
	readonly trace_id: Buffer;
	readonly span_id: Buffer;
	readonly hash: Buffer;
	readonly data: Buffer;
}

/**
 * The log records of all spans of some traces.
 * @param claiming traces that take those of no project that wait for them; the caller has locked these exclusively
 */
export async function readLogs(
	client: ClientBase,
	traceIds: readonly string[],
	claiming: readonly TraceKey[] = [],
): Promise<LogsOfSpans> {
	const { rows } = await client.query<StoredLog>({
		name: "read logs",
		text: `select id, project_id, trace_id, span_id, hash, data from log_records where trace_id = any ($1)
			order by time_micros, time_nanos, hash`,
		values: [traceIds.map((id) => Buffer.from(id, "hex"))],
	});
	const known = claiming.length > 0 && rows.some(isOfNoProject) ? await claim(client, rows, claiming) : rows;
	const keyOfSpan = (projectId: number, traceId: string, spanId: string) => `${projectId} ${traceId} ${spanId}`;
	const bySpan = Map.groupBy(known, ({ project_id, trace_id, span_id }) =>
		keyOfSpan(project_id, trace_id.toString("hex"), span_id.toString("hex")),
	);
	return ({ projectId, traceId }, spanId) =>
		(bySpan.get(keyOfSpan(projectId, traceId, spanId)) ?? []).map((row) => decompress(row.data));
}

function isOfNoProject({ project_id }: StoredLog): boolean {
	return project_id === NO_PROJECT;
}

/** Gives log records of no project to the traces that came for them. @returns all, with the projects that they have now */
async function claim(
	client: ClientBase,
	logs: readonly StoredLog[],
	traces: readonly TraceKey[],
): Promise<readonly StoredLog[]> {
	const projectOf = new Map(traces.map(({ projectId, traceId }) => [traceId, projectId]));
	const claimed = logs.filter(isOfNoProject).flatMap((log) => {
		const project_id = projectOf.get(log.trace_id.toString("hex"));
		return project_id === undefined ? [] : [{ ...log, project_id, hash: hashInProject(project_id, log.hash) }];
	});
	const { rows } = await client.query<{ id: number }>(
		`update log_records set project_id = claimed.project_id, hash = claimed.hash
		from unnest($1::bigint[], $2::bigint[], $3::bytea[]) as claimed (id, project_id, hash)
		where log_records.id = claimed.id and log_records.project_id = ${NO_PROJECT} and not exists (
			select from log_records as there where there.trace_id = log_records.trace_id
				and there.span_id = log_records.span_id and there.hash = claimed.hash)
		returning log_records.id`,
		[claimed.map(({ id }) => id), claimed.map(({ project_id }) => project_id), claimed.map(({ hash }) => hash)],
	);
	const taken = new Set(rows.map(({ id }) => id));
	const now = new Map(claimed.filter(({ id }) => taken.has(id)).map((log) => [log.id, log]));
	return logs.map((log) => now.get(log.id) ?? log);
}
