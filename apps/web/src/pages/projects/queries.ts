import type { MetricsPoint } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { toSeries, totals } from "../../lib/metrics.ts";

const HOUR = 3_600_000;

/** What a project did in the last 24 hours, and when its newest trace started. */
export interface ProjectActivity {
	readonly spansPerHour: readonly number[];
	readonly errorsPerHour: readonly number[];
	readonly spans: number;
	readonly errors: number;
	readonly tokens: number;
	readonly cost: number;
	/** Null for a project without traces. */
	readonly lastTrace: string | null;
}

async function fetchActivity(project: string, signal: AbortSignal): Promise<ProjectActivity> {
	const path = { project_identifier: project };
	const to = Date.now();
	// 24 whole buckets: this hour and the 23 before it.
	const from = Math.floor(to / HOUR) * HOUR - 23 * HOUR;
	const [metrics, newest] = await Promise.all([
		api.get("/v1/projects/{project_identifier}/metrics", {
			path,
			query: { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString(), bucket: "hour" },
			signal,
		}),
		api.get("/v1/projects/{project_identifier}/traces", { path, query: { limit: 1 }, signal }),
	]);
	const points: readonly (MetricsPoint | undefined)[] = toSeries(metrics.data, from, to, "hour").groups.get(null) ?? [];
	return {
		spansPerHour: points.map((point) => point?.span_count ?? 0),
		errorsPerHour: points.map((point) => point?.error_count ?? 0),
		...totals(points),
		lastTrace: newest.data[0]?.start_time ?? null,
	};
}

export function activityQuery(project: string, refetchInterval: number) {
	return queryOptions({
		queryKey: ["project-activity", project],
		queryFn: ({ signal }) => fetchActivity(project, signal),
		staleTime: 10_000,
		refetchInterval,
	});
}
