import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { LOG_WAIT_MICROS } from "#storage/traces/content/log-record.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import type { Turn, Turns } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { LOG_RECORDS, TRACE_PLACES } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { traceOfLog } from "../write/logs-by-span.ts";
import { keyOf } from "../write/stored-traces.ts";

/** Traces that are looked at in one turn. */
const PAGE = 1_000;
const TRACE = { trace_id: types.FixedString(16), project_id: types.Integer } as const;
const AFTER = "toFixedString(unhex({after:String}), 16)";
const NOTHING = Buffer.alloc(0);

/** All that a row has that says that a log record is gone. */
const { data: _data, version: _version, is_deleted: _deleted, ...KEPT } = LOG_RECORDS.columns;

/** A shard that is changed, and all of them. */
export interface OnShard {
	readonly shard: Shard;
	readonly shards: TraceShards;
}

/**
 * Deletes log records that a shard has of these traces, as far as they are not there. The caller has the turn of their
 * ids.
 * @param receivedBefore in microseconds
 * @returns the number of records
 * @throws StorageUnavailable
 */
export async function forgetLogsOf(
	{ shard, shards }: OnShard,
	{ version }: Pick<Turn, "version">,
	traces: readonly TraceKey[],
	token: string,
	receivedBefore = Number.MAX_SAFE_INTEGER,
): Promise<number> {
	// A log record that came before its trace may lie on another shard than it.
	const without = await withoutTrace(shards, traces);
	if (without.length === 0) return 0;
	const where = new Conditions().addInHex("trace_id", 16, idsOf(without));
	const found = await selectFinal(
		shard,
		`select ${Object.keys(KEPT).join(", ")} from ${LOG_RECORDS.name}
		where ${where.sql} and received_at < {before:Int64}`,
		KEPT,
		{ ...where.params, before: receivedBefore },
	);
	const keys = new Set(without.map(keyOf));
	const logs = found.filter((log) => keys.has(keyOf(traceOfLog(log))));
	const gone = logs.map((log) => ({ ...log, data: NOTHING, version, is_deleted: 1 }));
	await insertRows(shard, LOG_RECORDS, gone, token);
	return gone.length;
}

/**
 * Deletes log records whose span has not come within {@link LOG_WAIT_MICROS}, going through all trace ids in steps.
 * @param stopped ends it between two steps
 * @throws StorageUnavailable
 */
export async function forgetUnclaimedLogs(
	shards: TraceShards,
	turns: Turns,
	nowMicros: number,
	stopped: AbortSignal,
): Promise<void> {
	for (const shard of shards.list) await forgetUnclaimedOn({ shard, shards }, turns, nowMicros, stopped);
}

async function forgetUnclaimedOn(
	{ shard, shards }: OnShard,
	turns: Turns,
	nowMicros: number,
	stopped: AbortSignal,
): Promise<void> {
	const before = nowMicros - LOG_WAIT_MICROS;
	for (let after: TraceKey = { traceId: "0".repeat(32), projectId: 0 }; !stopped.aborted; ) {
		const found = await selectFinal(
			shard,
			`select distinct trace_id, project_id from ${LOG_RECORDS.name}
			where trace_id >= ${AFTER} and (trace_id, project_id) > (${AFTER}, {project:Int64})
				and received_at < {before:Int64}
			order by trace_id, project_id limit ${PAGE}`,
			TRACE,
			{ after: after.traceId, project: after.projectId, before },
		);
		const traces = found.map(traceOfLog);
		const last = traces.at(-1);
		if (last === undefined) return;
		const unclaimed = await withoutTrace(shards, traces);
		if (unclaimed.length > 0)
			await turns.take({ projects: [], keys: idsOf(unclaimed), spans: 0, traces: 0 }, (turn) =>
				forgetLogsOf({ shard, shards }, turn, unclaimed, `batch ${turn.batch} unclaimed`, before),
			);
		if (traces.length < PAGE) return;
		after = last;
	}
}

/** Those of these traces that are not there. */
async function withoutTrace(shard: ShardReader, traces: readonly TraceKey[]): Promise<TraceKey[]> {
	const traceIds = idsOf(traces);
	if (traceIds.length === 0) return [];
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	const places = await selectFinal(
		shard,
		`select trace_id, project_id from ${TRACE_PLACES.name} where ${where.sql}`,
		TRACE,
		where.params,
		{ traceIds: () => traceIds },
	);
	const known = new Set(places.map((place) => keyOf(traceOfLog(place))));
	return traces.filter((trace) => !known.has(keyOf(trace)));
}

function idsOf(traces: readonly TraceKey[]): string[] {
	return [...new Set(traces.map(({ traceId }) => traceId))];
}
