import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import type { Turn } from "../metadata/turns.ts";
import { Conditions } from "../read/conditions.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, LOG_RECORDS, type LogRow, SPANS, type SpanRow, TRACE_PLACES } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { readLogs } from "../write/stored-traces.ts";
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
 * Deletes the log records of spans that no trace of this id has any more, and of trace ids that no project has.
 * @param spans that are gone
 * @param traces of which all spans are gone
 */
export async function forgetLogs(
	shards: TraceShards,
	{ version }: Turn,
	spans: readonly Pick<SpanRow, "trace_id" | "span_id">[],
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
	const whole = new Set(traces.map(({ place }) => place.trace_id.toString("hex")));
	const forgotten = found.filter(({ log }) => {
		const traceId = log.trace_id.toString("hex");
		if (whole.has(traceId) && !places.has(traceId)) return true;
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

function keyOf({ trace_id, span_id }: Pick<LogRow, "trace_id" | "span_id">): string {
	return `${trace_id.toString("hex")} ${span_id.toString("hex")}`;
}

/** Those of these trace ids that a project has. */
async function placesOf(shard: ShardReader, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	const rows = await selectFinal(
		shard,
		`select trace_id from ${TRACE_PLACES.name} where ${where.sql}`,
		{ trace_id: TRACE_PLACES.columns.trace_id },
		where.params,
		{ traceIds: () => traceIds },
	);
	return new Set(rows.map(({ trace_id }) => trace_id.toString("hex")));
}

/** Spans, in any project, that the log records are of. */
async function spansOf(shard: ShardReader, logs: readonly LogRow[]): Promise<ReadonlySet<string>> {
	const traceIds = [...new Set(logs.map(({ trace_id }) => trace_id.toString("hex")))];
	const where = new Conditions().addInHex("trace_id", 16, traceIds);
	where.addInHex("span_id", 8, [...new Set(logs.map(({ span_id }) => span_id.toString("hex")))]);
	const rows = await selectFinal(
		shard,
		`select trace_id, span_id from ${SPANS.name} where ${where.sql}`,
		{ trace_id: types.FixedString(16), span_id: types.FixedString(8) },
		where.params,
		{ traceIds: () => traceIds },
	);
	return new Set(rows.map(keyOf));
}
