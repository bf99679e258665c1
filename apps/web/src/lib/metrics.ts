import type { MetricsPoint } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { BUCKET_MS, type Bucket, bucketFor, resolveRange, type TimeRangeSearch } from "./time-range.ts";

/** The series of a project over a time range, with a point for every bucket. */
export interface Series {
	readonly bucket: Bucket;
	/** Starts of the buckets, milliseconds. */
	readonly starts: readonly number[];
	/** Points by group and bucket; the group of an ungrouped series is null. */
	readonly groups: ReadonlyMap<string | null, readonly (MetricsPoint | undefined)[]>;
	/** Milliseconds: older rows were not read, as there are too many. Absent when all were. */
	readonly readFrom?: number;
}

/** As far back as the server goes in buckets of one day. */
const ALL_TIME_MS = 9_900 * BUCKET_MS.day;

function bounds(range: TimeRangeSearch): { from: number; to: number; bucket: Bucket } {
	const { from, to } = resolveRange(range);
	const end = to ?? Date.now();
	const start = from ?? end - ALL_TIME_MS;
	return { from: start, to: end, bucket: bucketFor(start, end) };
}

interface Asked {
	readonly start_time: string;
	readonly end_time: string;
	readonly bucket: Bucket;
}

interface Answered {
	readonly data: readonly MetricsPoint[];
	/** Older rows were not read; absent or null when all were. */
	readonly read_from?: string | null;
}

export async function fetchSeries(range: TimeRangeSearch, ask: (asked: Asked) => Promise<Answered>): Promise<Series> {
	const { from, to, bucket } = bounds(range);
	const { data, read_from } = await ask({
		start_time: new Date(from).toISOString(),
		end_time: new Date(to).toISOString(),
		bucket,
	});
	const readFrom = read_from == null ? {} : { readFrom: Date.parse(read_from) };
	const start = Math.max(from, readFrom.readFrom ?? from);
	const [first] = data;
	if (range.from !== "all" || !first) return { ...toSeries(data, start, to, bucket), ...readFrom };
	// The data of all time is short enough for finer buckets.
	const begin = Math.min(...data.map((point) => Date.parse(point.start_time)));
	if (bucketFor(begin, to) === bucket) return { ...toSeries(data, begin, to, bucket), ...readFrom };
	const since = { from: new Date(begin).toISOString(), ...(range.to ? { to: range.to } : {}) };
	return { ...(await fetchSeries(since, ask)), ...readFrom };
}

/** Puts each point into its bucket. */
export function toSeries(points: readonly MetricsPoint[], from: number, to: number, bucket: Bucket): Series {
	const size = BUCKET_MS[bucket];
	const times = points.map((point) => Date.parse(point.start_time));
	const first = Math.floor(from / size) * size;
	const count = Math.max(1, Math.ceil((to - first) / size));
	const groups = new Map<string | null, (MetricsPoint | undefined)[]>();
	points.forEach((point, index) => {
		const list = groups.get(point.group) ?? new Array<MetricsPoint | undefined>(count).fill(undefined);
		const at = Math.floor(((times[index] ?? 0) - first) / size);
		if (at >= 0 && at < count) list[at] = point;
		groups.set(point.group, list);
	});
	return { bucket, starts: Array.from({ length: count }, (_, index) => first + index * size), groups };
}

export function seriesQuery(project: string, range: TimeRangeSearch, groupBy?: "model" | "kind" | "name") {
	return queryOptions({
		queryKey: ["metrics", project, range, groupBy],
		queryFn: ({ signal }) =>
			fetchSeries(range, (asked) =>
				api.get("/v1/projects/{project_identifier}/metrics", {
					path: { project_identifier: project },
					query: { ...asked, ...(groupBy ? { group_by: groupBy } : {}) },
					signal,
				}),
			),
		staleTime: 15_000,
		refetchInterval: 20_000,
		placeholderData: (before) => before,
	});
}

/** Sums of the points of a group. */
export interface Totals {
	readonly traces: number;
	readonly spans: number;
	readonly errors: number;
	readonly tokens: number;
	readonly cost: number;
}

export function totals(points: readonly (MetricsPoint | undefined)[]): Totals {
	const sum = { traces: 0, spans: 0, errors: 0, tokens: 0, cost: 0 };
	for (const point of points) {
		if (!point) continue;
		sum.traces += point.trace_count;
		sum.spans += point.span_count;
		sum.errors += point.error_count;
		sum.tokens += point.token_count_total;
		sum.cost += point.total_cost;
	}
	return sum;
}
