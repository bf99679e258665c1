import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { type HourSums, toActivity } from "#storage/traces/project-activity.ts";
import { toDollars } from "#storage/traces/totals/cost-pico.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { LatencyCounts } from "#storage/traces/totals/latency-counts.ts";
import { toBlob } from "#storage/traces/totals/latency-histogram.ts";
import type { ProjectActivity, ProjectTotals } from "#storage/traces/trace-store.ts";
import { inParts } from "./bounds.ts";
import { LATENCIES } from "./metrics.ts";
import { selectFinal } from "./query.ts";

/** Totals of whole projects, summed over their hours. */
export async function findProjectTotals(
	shard: ShardReader,
	projectIds: readonly number[],
): Promise<ReadonlyMap<number, ProjectTotals>> {
	const rows = await inParts(projectIds, (projects) =>
		selectFinal(
			shard,
			`select project_id, sum(tokens_total) as tokens, sum(cost_micro) as micro, sum(cost_pico) as pico
		from hours where project_id in {projects:Array(Int64)} group by project_id`,
			{ project_id: types.Integer, tokens: types.Float64, micro: types.Float64, pico: types.Float64 },
			{ projects },
		),
	);
	return new Map(
		[...Map.groupBy(rows, ({ project_id }) => project_id)].map(([id, own]) => {
			const sumOf = (column: "tokens" | "micro" | "pico") => own.reduce((sum, row) => sum + row[column], 0);
			const cost = toDollars({ micro: sumOf("micro"), pico: sumOf("pico") });
			return [id, { tokens: sumOf("tokens"), cost: cost > 0 ? cost : null }];
		}),
	);
}

/**
 * What each project did in the `hours` whole hours up to and with the one of `nowMicros`.
 * @param known those of the projects that exist
 */
export async function findProjectActivity(
	shard: ShardReader,
	known: readonly number[],
	nowMicros: number,
	hours: number,
): Promise<ReadonlyMap<number, ProjectActivity>> {
	if (known.length === 0) return new Map();
	const last = Math.floor(nowMicros / HOUR_MICROS);
	const first = last - hours + 1;
	const params = { projects: known, first, last };
	const [sums, latencies, newest] = await Promise.all([
		selectFinal(
			shard,
			`select project_id as id, hour, sum(span_count) as spans, sum(error_count) as errors, sum(tokens_total) as tokens,
				sum(cost_micro) as micro, sum(cost_pico) as pico
			from hours where project_id in {projects:Array(Int64)} and hour between {first:Int64} and {last:Int64}
			group by project_id, hour`,
			{
				id: types.Integer,
				hour: types.Integer,
				spans: types.Integer,
				errors: types.Integer,
				tokens: types.Float64,
				micro: types.Float64,
				pico: types.Float64,
			},
			params,
		),
		selectFinal(
			shard,
			`select project_id, sumMap(latency_buckets, latency_counts) as latencies
			from hours where project_id in {projects:Array(Int64)} and hour between {first:Int64} and {last:Int64}
			group by project_id`,
			{ project_id: types.Integer, latencies: LATENCIES },
			params,
		),
		selectFinal(
			shard,
			"select project_id, max(start_micros) as start from traces where project_id in {projects:Array(Int64)} group by project_id",
			{ project_id: types.Integer, start: types.Integer },
			{ projects: known },
		),
	]);
	const byProject: Map<number, HourSums[]> = Map.groupBy(sums, ({ id }) => id);
	const latencyOf = new Map(
		[...Map.groupBy(latencies, ({ project_id }) => project_id)].map(([id, own]) => {
			const latency = new LatencyCounts();
			for (const { latencies: counts } of own) latency.addBlob(toBlob(counts));
			return [id, latency] as const;
		}),
	);
	const startOf = new Map(
		newest.toSorted((a, b) => a.start - b.start).map(({ project_id, start }) => [project_id, start]),
	);
	return new Map(
		known.map((id) => [id, toActivity(byProject.get(id) ?? [], latencyOf.get(id), first, hours, startOf.get(id))]),
	);
}
