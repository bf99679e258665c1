import type { AnalyticsAnswer, AnalyticsQuery, DistributionQuery } from "./analytics-query.ts";
import type { Look } from "./analyze.ts";
import { AnalyticsPlan } from "./plan.ts";
import type { RawRow } from "./row-columns.ts";
import { Spread } from "./spread.ts";

/**
 * How the number of the first measure is spread, in one look: the measure counts the rows that have it. Numbers that are
 * not finite are none.
 */
export async function analyzeDistribution(
	query: AnalyticsQuery,
	{ bins, scale }: DistributionQuery,
	look: Look,
): Promise<Omit<AnalyticsAnswer, "source">> {
	const deadline = performance.now() + query.timeoutMs;
	const { edges } = query;
	const [start = 0] = edges;
	const spread = new Spread(scale, edges.length - 1);
	let reached = start;
	const add = (micros: number, value: unknown) => {
		const bucket = bucketOf(edges, micros);
		if (bucket !== undefined && Number.isFinite(value)) spread.add(bucket, Number(value));
	};
	// Behind the start of a row and its groups.
	const addRaw = (row: RawRow) => add(Number(row[0]), row[1 + query.groupBy.length]);
	for await (const { rows, raw, reachedMicros } of look(new AnalyticsPlan(query), edges)) {
		raw?.(addRaw);
		for (const { micros, quantities } of rows) add(micros, quantities[0]);
		reached = reachedMicros;
		if (reached > start && performance.now() > deadline) break;
	}
	const covered = reached > start ? reached : undefined;
	const isWhole = (bucket: number) => covered === undefined || (edges[bucket] ?? 0) >= covered;
	const distribution = spread.numbers({ bins }, isWhole);
	return {
		groups: [],
		others: undefined,
		all: {
			totals: [sum(distribution.totals)],
			values: [distribution.values.map((counts) => (counts === null ? null : sum(counts)))],
		},
		groupCount: 0,
		isOverlapping: false,
		coveredMicros: covered,
		tooManyDistinct: [],
		distribution,
	};
}

/** The bucket that has a time; undefined outside of all. */
function bucketOf(edges: readonly number[], micros: number): number | undefined {
	if (micros < (edges[0] ?? 0) || micros >= (edges.at(-1) ?? 0)) return undefined;
	let [low, high] = [0, edges.length - 2];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((edges[middle] ?? 0) <= micros) low = middle;
		else high = middle - 1;
	}
	return low;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((all, number) => all + number, 0);
}
