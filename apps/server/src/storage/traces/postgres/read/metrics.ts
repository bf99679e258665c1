import { MAX_SPAN_COST } from "#pricing/max-cost.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { BUCKET_MICROS, Sums } from "#storage/traces/totals/metric-sums.ts";
import { kindOf } from "#storage/traces/totals/span-kinds.ts";
import { RUNNING, UNCOUNTED_FLAGS } from "#storage/traces/totals/span-node.ts";
import type { MetricsPoint, MetricsQuery } from "#storage/traces/trace-store.ts";
import { type Queryable, query as run } from "./query.ts";

/**
 * Totals by bucket, with the range widened to whole buckets; buckets without spans are left out. Hours and days come
 * from the hourly totals; minutes and names from the rows of the spans.
 */
export async function metrics(client: Queryable, query: MetricsQuery): Promise<MetricsPoint[]> {
	const width = BUCKET_MICROS[query.bucket];
	const sums = new Sums(width);
	const range: Range = {
		projectId: query.projectId,
		from: Math.floor(query.startMicros / width) * width,
		to: Math.ceil(query.endMicros / width) * width,
		width,
		groupBy: query.groupBy ?? "nothing",
	};
	if (query.bucket === "minute" || query.groupBy === "name") await addRows(client, range, sums);
	else await addHours(client, range, sums);
	return sums.points();
}

interface Range {
	readonly projectId: number;
	readonly from: number;
	/** Exclusive. */
	readonly to: number;
	readonly width: number;
	readonly groupBy: keyof typeof GROUPS;
}

/** The columns to group by, in `hours`, `spans` and `traces`. */
const GROUPS = {
	nothing: { hours: "null", spans: "null", traces: "null" },
	kind: { hours: "kind", spans: "kind", traces: "root_kind" },
	model: { hours: "model", spans: "model", traces: "root_model" },
	name: { hours: "null", spans: "name", traces: "root_name" },
} as const;

function groupOf({ groupBy }: Range, value: string | number | null): string | null {
	if (value === null) return null;
	return groupBy === "kind" ? kindOf(Number(value)) : groupBy === "model" ? String(value) || null : String(value);
}

interface SumRow {
	readonly start: number;
	readonly group: string | number | null;
	readonly spans: number;
	readonly running: number;
	readonly errors: number;
	readonly prompt: number;
	readonly completion: number;
	readonly total: number;
	readonly micro: number;
	readonly pico: number;
}

async function addHours(client: Queryable, range: Range, sums: Sums): Promise<void> {
	const group = GROUPS[range.groupBy].hours;
	const rows = await run<SumRow & { traces: number; latency: Uint8Array }>(
		client,
		`select hour as start, ${group} as group,
			sum(trace_count) as traces, sum(span_count) as spans, sum(running_count) as running,
			sum(error_count) as errors, sum(tokens_prompt) as prompt,
			sum(tokens_completion) as completion, sum(tokens_total) as total, sum(cost_micro) as micro, sum(cost_pico) as pico,
			string_agg(latency, '') as latency
		from hours where project_id = ? and hour >= ? and hour < ? group by ${group === "null" ? "hour" : `hour, ${group}`}`,
		[range.projectId, range.from / HOUR_MICROS, range.to / HOUR_MICROS],
	);
	for (const row of rows) {
		const sum = add(sums, range, { ...row, start: row.start * HOUR_MICROS });
		sum.traces += row.traces;
		sum.latency.addBlob(row.latency);
	}
}

/** The same as `counts` and `latencyBucket`. */
const COUNTS = `flags & ${UNCOUNTED_FLAGS} = 0`;
const COSTS = `${COUNTS} and cost_total is not null`;
/** The same as `toSummedCost`. */
const MICRO = "case when abs(whole) < 9007199254740992 then trunc(whole / 1e6) else floor(dollars * 1e6 + 0.5) end";
const REST = `case when abs(whole) < 9007199254740992 then whole - micro * 1e6
	else floor((dollars - micro / 1e6) * 1e12 + 0.5) end`;
const LATENCY_BUCKET = `case when flags & ${RUNNING} <> 0 then null when end_micros <= start_micros then 0
	else 1 + floor(ln((end_micros - start_micros)::double precision) / ln(1.08::double precision))::integer end`;

async function addRows(client: Queryable, range: Range, sums: Sums): Promise<void> {
	const { projectId, from, to, width, groupBy } = range;
	const start = `start_micros - start_micros % ${width}::bigint`;
	const where = "project_id = ? and start_micros >= ? and start_micros < ?";
	const spans = await run<SumRow & { latency: number | null }>(
		client,
		`select ${start} as start, ${GROUPS[groupBy].spans} as group, ${LATENCY_BUCKET} as latency,
			count(*) as spans, count(*) filter (where flags & ${RUNNING} <> 0) as running,
			count(*) filter (where status_code = 2) as errors,
			coalesce(sum(tokens_prompt) filter (where ${COUNTS}), 0) as prompt,
			coalesce(sum(tokens_completion) filter (where ${COUNTS}), 0) as completion,
			coalesce(sum(coalesce(tokens_total, coalesce(tokens_prompt, 0) + coalesce(tokens_completion, 0)))
				filter (where ${COUNTS}), 0) as total,
			coalesce(sum(micro) filter (where ${COSTS}), 0) as micro,
			coalesce(sum(${REST}) filter (where ${COSTS}), 0) as pico
		from spans
			cross join lateral (select greatest(-${MAX_SPAN_COST}, least(${MAX_SPAN_COST}, cost_total)) as dollars) as bounded
			cross join lateral (select floor(dollars * 1e12 + 0.5) as whole) as rounded
			cross join lateral (select ${MICRO} as micro) as split
		where ${where} group by 1, 2, 3`,
		[projectId, from, to],
	);
	for (const row of spans) {
		const sum = add(sums, range, row);
		if (row.latency !== null) sum.latency.add(row.latency, row.spans);
	}
	const traces = await run<{ start: number; group: string | number | null; traces: number }>(
		client,
		`select ${start} as start, ${GROUPS[groupBy].traces} as group, count(*) as traces
		from traces where ${where} group by 1, 2`,
		[projectId, from, to],
	);
	for (const row of traces) sums.at(row.start, groupOf(range, row.group)).traces += row.traces;
}

function add(sums: Sums, range: Range, row: SumRow): ReturnType<Sums["at"]> {
	const sum = sums.at(row.start, groupOf(range, row.group));
	sum.spans += row.spans;
	sum.running += row.running;
	sum.errors += row.errors;
	sum.prompt += row.prompt;
	sum.completion += row.completion;
	sum.total += row.total;
	sum.costMicro += row.micro;
	sum.costPico += row.pico;
	return sum;
}
