import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import type { Turn } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, LOG_RECORDS, type LogRow, SPANS, type SpanRow, TRACE_PLACES } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { traceOfLog } from "../write/logs-by-span.ts";
import { keyOf as keyOfTrace, readLogs } from "../write/stored-traces.ts";
import type { ChangedTrace } from "../write/trace-changes.ts";

const NOTHING = Buffer.alloc(0);

/** Puts rows without content in the place of the content of spans. */
export async function forgetContents(
	shard: Shard,
	{ batch, version }: Turn,
	spans: readonly Pick<SpanRow, "project_id" | "start_micros" | "id">[],
	token: string,
): Promise<void> {
	const nothing = { span: NOTHING, scope: NOTHING, scope_schema_url: "", resource: NOTHING, resource_schema_url: "" };
	await insertRows(
		shard,
		CONTENTS,
		spans.map(({ project_id, start_micros, id }) => ({
			...{ project_id, start_micros, id, batch },
			...nothing,
			...{ version, is_deleted: 1 },
		})),
		`${token} gone`,
	);
}

/**
 * Deletes the log records of spans that their trace does not have any more, and of traces that their project does not have.
 * @param spans that are gone
 * @param traces of which all spans are gone
 */
export async function forgetLogs(
	shards: TraceShards,
	{ version }: Turn,
	spans: readonly Pick<SpanRow, "project_id" | "trace_id" | "span_id">[],
	traces: readonly Pick<ChangedTrace, "place">[],
	token: string,
): Promise<void> {
	const traceIds = [...new Set(spans.map(({ trace_id }) => trace_id.toString("hex")))];
	const found = await shards.onEachOf(
		traceIds,
		(traceId) => traceId,
		async (shard, own) => (await readLogs(shard, own)).map((log) => ({ shard, log })),
	);
	if (found.length === 0) return;
	const logs = found.map(({ log }) => log);
	const [places, left] = await Promise.all([placesOf(shards, traceIds), spansOf(shards, logs)]);
	const gone = new Set(spans.map(keyOf));
	const whole = new Set(traces.map(({ place }) => keyOfTrace(traceOfLog(place))));
	const forgotten = found.filter(({ log }) => {
		const trace = keyOfTrace(traceOfLog(log));
		if (whole.has(trace) && !places.has(trace)) return true;
		return gone.has(keyOf(log)) && !left.has(keyOf(log));
	});
	for (const [shard, own] of Map.groupBy(forgotten, (one) => one.shard))
		await insertRows(
			shard,
			LOG_RECORDS,
			own.map(({ log }) => ({ ...log, data: NOTHING, version, is_deleted: 1 })),
			`${token} gone`,
		);
}

function keyOf(row: Pick<LogRow, "project_id" | "trace_id" | "span_id">): string {
	return `${keyOfTrace(traceOfLog(row))} ${row.span_id.toString("hex")}`;
}

/** The traces with these ids that there are. */
async function placesOf(shard: ShardReader, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	const rows = await selectFinal(
		shard,
		`select project_id, trace_id from ${TRACE_PLACES.name} where ${where.sql}`,
		{ project_id: types.Integer, trace_id: types.FixedString(16) },
		where.params,
		{ traceIds: () => traceIds },
	);
	return new Set(rows.map((row) => keyOfTrace(traceOfLog(row))));
}

/** The spans that the log records are of, as far as there are. */
async function spansOf(shard: ShardReader, logs: readonly LogRow[]): Promise<ReadonlySet<string>> {
	const traceIds = [...new Set(logs.map(({ trace_id }) => trace_id.toString("hex")))];
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	where.addInHex("span_id", 8, [...new Set(logs.map(({ span_id }) => span_id.toString("hex")))]);
	const rows = await selectFinal(
		shard,
		`select project_id, trace_id, span_id from ${SPANS.name} where ${where.sql}`,
		{ project_id: types.Integer, trace_id: types.FixedString(16), span_id: types.FixedString(8) },
		where.params,
		{ traceIds: () => traceIds },
	);
	return new Set(rows.map(keyOf));
}
