import { type Column, pickColumns, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { toBlob } from "#storage/traces/totals/latency-histogram.ts";
import { BUCKET_MICROS, Sums } from "#storage/traces/totals/metric-sums.ts";
import { kindOf } from "#storage/traces/totals/span-kinds.ts";
import { nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { MetricsPoint, MetricsQuery } from "#storage/traces/trace-store.ts";
import { SPANS, TRACES } from "../tables.ts";
import { inRanges, inSteps, type Range } from "./bounds.ts";
import { selectFinal } from "./query.ts";

export const HOUR_SUMS = {
	trace_count: types.Integer,
	span_count: types.Integer,
	running_count: types.Integer,
	error_count: types.Integer,
	tokens_prompt: types.Float64,
	tokens_completion: types.Float64,
	tokens_total: types.Float64,
	cost_micro: types.Float64,
	cost_pico: types.Float64,
} as const;
/** The sums of rows of `hours`, with their latencies. */
export const HOUR_SUMS_SQL = `${Object.keys(HOUR_SUMS)
	.map((column) => `sum(hours.${column}) as ${column}`)
	.join(", ")}, sumMap(latency_buckets, latency_counts) as latencies`;
/** What `sumMap` gives: counts by bucket. */
export const LATENCIES: Column<ReadonlyMap<number, number>> = {
	type: "Tuple(Array(UInt16), Array(Int64))",
	read: (from) => {
		const [buckets, counts] = [types.Array(types.UInt16).read(from), types.Array(types.Integer).read(from)];
		return new Map(buckets.map((bucket, index) => [bucket, counts[index] ?? 0]));
	},
	write: (to, counted) => {
		types.Array(types.UInt16).write(to, [...counted.keys()]);
		types.Array(types.Integer).write(to, [...counted.values()]);
	},
};

/**
 * Totals by bucket, with the range widened to whole buckets; buckets without spans are left out. Hours and days come
 * from the hourly totals; minutes and names from the rows of the spans.
 */
export async function metrics(shard: ShardReader, query: MetricsQuery): Promise<MetricsPoint[]> {
	const width = BUCKET_MICROS[query.bucket];
	const sums = new Sums(width);
	const from = Math.floor(query.startMicros / width) * width;
	const to = Math.ceil(query.endMicros / width) * width;
	if (query.bucket === "minute" || query.groupBy === "name") await addRows(shard, query, { from, to }, sums);
	else await addHours(shard, query, { from, to }, sums);
	return sums.points().filter(({ spanCount, traceCount }) => spanCount > 0 || traceCount > 0);
}

async function addHours(shard: ShardReader, query: MetricsQuery, { from, to }: Range, sums: Sums): Promise<void> {
	const group = query.groupBy === "kind" || query.groupBy === "model" ? query.groupBy : undefined;
	const bucketHours = BUCKET_MICROS[query.bucket] / HOUR_MICROS;
	const hours = { from: from / HOUR_MICROS, to: Math.ceil(to / HOUR_MICROS) };
	const rows = await inRanges(hours, 1, (part) =>
		selectFinal(
			shard,
			`select intDiv(hour, ${bucketHours}) * ${bucketHours} as hour, ${group === "kind" ? "kind" : "toUInt8(0) as kind"},
			${group === "model" ? "model" : "'' as model"},
			${HOUR_SUMS_SQL}
		from hours where project_id = {project:Int64} and hours.hour >= {from:Int64} and hours.hour < {to:Int64}
		group by hour, kind, model`,
			{ hour: types.Integer, kind: types.UInt8, model: types.Text, ...HOUR_SUMS, latencies: LATENCIES },
			{ project: query.projectId, ...part },
		),
	);
	for (const row of rows) {
		const sum = sums.at(
			row.hour * HOUR_MICROS,
			group === "kind" ? kindOf(row.kind) : group === "model" ? row.model || null : null,
		);
		sum.traces += row.trace_count;
		sum.spans += row.span_count;
		sum.running += row.running_count;
		sum.errors += row.error_count;
		sum.prompt += row.tokens_prompt;
		sum.completion += row.tokens_completion;
		sum.total += row.tokens_total;
		sum.costMicro += row.cost_micro;
		sum.costPico += row.cost_pico;
		sum.latency.addBlob(toBlob(row.latencies));
	}
}

/** What is needed of spans, and how many of them are held at a time, about. */
const NODE = pickColumns(SPANS.columns, [
	...(["id", "span_id", "parent_span_id", "start_micros", "start_nanos", "end_micros", "end_nanos"] as const),
	...(["name", "kind", "status_code", "model", "flags"] as const),
	...(["tokens_prompt", "tokens_completion", "tokens_total", "cost_total"] as const),
]);
const ROOT = pickColumns(TRACES.columns, ["start_micros", "root_name", "root_kind", "root_model"]);
const STEP = { width: HOUR_MICROS, least: 1_000_000, rows: 50_000 } as const;

async function addRows(shard: ShardReader, query: MetricsQuery, range: Range, sums: Sums): Promise<void> {
	const inRange = "project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}";
	const groupOf = (name: string, kind: number, model: string | null) => {
		if (query.groupBy === "name") return name;
		if (query.groupBy === "kind") return kindOf(kind);
		return query.groupBy === "model" ? model || null : null;
	};
	const spans = (part: Range) =>
		selectFinal(shard, `select ${Object.keys(NODE).join(", ")} from spans where ${inRange}`, NODE, {
			project: query.projectId,
			...part,
		});
	for await (const rows of inSteps(range, STEP, spans))
		for (const row of rows) {
			const node = nodeOfRow({
				...row,
				session_id: null,
				user_id: null,
				release: null,
				environment: null,
				api_key_id: null,
			});
			sums.addSpan(node, groupOf(node.name, node.kind, node.model));
		}
	const traces = (part: Range) =>
		selectFinal(
			shard,
			`select ${Object.keys(ROOT).join(", ")} from traces where ${inRange} and anchor_micros >= {from:Int64}`,
			ROOT,
			{
				project: query.projectId,
				...part,
			},
		);
	for await (const rows of inSteps(range, STEP, traces))
		for (const row of rows)
			sums.at(row.start_micros, groupOf(row.root_name, row.root_kind, row.root_model)).traces += 1;
}
