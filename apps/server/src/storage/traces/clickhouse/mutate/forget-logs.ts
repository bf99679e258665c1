import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { LOG_WAIT_MICROS } from "#storage/traces/content/log-record.ts";
import type { Turn, Turns } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { LOG_RECORDS, TRACE_PLACES } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";

/** Trace ids that are looked at in one turn. */
const PAGE = 1_000;
const ID = { trace_id: types.FixedString(16) } as const;
const NOTHING = Buffer.alloc(0);

/** All that a row has that says that a log record is gone. */
const { data: _data, version: _version, is_deleted: _deleted, ...KEPT } = LOG_RECORDS.columns;

/** A shard that is changed, and all of them. */
export interface OnShard {
	readonly shard: Shard;
	readonly shards: TraceShards;
}

/**
 * Deletes log records that a shard has of trace ids that no project has. The caller has the turn of these ids.
 * @param receivedBefore in microseconds
 * @returns the number of records
 * @throws StorageUnavailable
 */
export async function forgetLogsOf(
	{ shard, shards }: OnShard,
	{ version }: Pick<Turn, "version">,
	given: readonly string[],
	token: string,
	receivedBefore = Number.MAX_SAFE_INTEGER,
): Promise<number> {
	// A log record that came before its trace may lie on another shard than it.
	const traceIds = shards.list.length === 1 ? given : await withoutTrace(shards, given);
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	const params = { ...where.params, before: receivedBefore };
	if (traceIds.length === 0) return 0;
	const logs = await selectFinal(
		shard,
		`select ${Object.keys(KEPT).join(", ")} from ${LOG_RECORDS.name} where ${where.sql} and received_at < {before:Int64}
			and trace_id not in (select trace_id from ${TRACE_PLACES.name} where ${where.sql})`,
		KEPT,
		params,
	);
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
	for (let after = "0".repeat(32); !stopped.aborted; ) {
		const found = await selectFinal(
			shard,
			`select distinct trace_id from ${LOG_RECORDS.name}
			where trace_id > toFixedString(unhex({after:String}), 16) and received_at < {before:Int64}
			order by trace_id limit ${PAGE}`,
			ID,
			{ after, before },
		);
		const traceIds = found.map(({ trace_id }) => trace_id.toString("hex"));
		const last = traceIds.at(-1);
		if (last === undefined) return;
		const unclaimed = await withoutTrace(shards, traceIds);
		if (unclaimed.length > 0)
			await turns.take({ projects: [], keys: unclaimed, spans: 0, traces: 0 }, (turn) =>
				forgetLogsOf({ shard, shards }, turn, unclaimed, `batch ${turn.batch} unclaimed`, before),
			);
		if (traceIds.length < PAGE) return;
		after = last;
	}
}

/** Those of these trace ids that no project has. */
async function withoutTrace(shard: ShardReader, traceIds: readonly string[]): Promise<string[]> {
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	const places = await selectFinal(
		shard,
		`select distinct trace_id from ${TRACE_PLACES.name} where ${where.sql}`,
		ID,
		where.params,
		{ traceIds: () => traceIds },
	);
	const known = new Set(places.map(({ trace_id }) => trace_id.toString("hex")));
	return traceIds.filter((id) => !known.has(id));
}
