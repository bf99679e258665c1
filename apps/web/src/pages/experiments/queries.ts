import type { Experiment, ExperimentComparison } from "@spanward/client";
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

import type { ExperimentsSearch } from "./search.ts";

/** How often a running experiment is reloaded. */
const RUNNING_MS = 5_000;
/** An experiment with missing runs counts as abandoned after this time. */
const LONGEST_RUN_MS = 24 * 3_600_000;

export type Comparison = ExperimentComparison;
export type ComparedRow = Comparison["data"][number];
export type ComparedExperiment = ComparedRow["experiments"][number];
export type ComparedRun = ComparedExperiment["runs"][number];
export type MetricSummary = Comparison["summary"][number]["metrics"][string];

/** How many runs resuming the experiment would execute. */
export function incompleteRuns({ failed_run_count, missing_run_count }: Experiment): number {
	return failed_run_count + missing_run_count;
}

function mayRun({ missing_run_count, created_at }: Experiment): boolean {
	return missing_run_count > 0 && Date.now() - Date.parse(created_at) < LONGEST_RUN_MS;
}

/** Experiments, the newest first unless they are sorted by something else. */
export function experimentPages(
	dataset: string | undefined,
	{ sort, order }: Pick<ExperimentsSearch, "sort" | "order"> = {},
) {
	return infiniteQueryOptions({
		queryKey: ["experiments", dataset, sort, order],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/experiments", {
				query: {
					limit: 100,
					...(sort ? { sort } : {}),
					...(order ? { order } : {}),
					...(dataset ? { dataset_id: dataset } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		refetchInterval: ({ state }) => (state.data?.pages.some((page) => page.data.some(mayRun)) ? RUNNING_MS : false),
	});
}

export function experimentQuery(experiment: string) {
	return queryOptions({
		queryKey: ["experiment", experiment],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/experiments/{experiment_id}", { path: { experiment_id: experiment }, signal })).data,
	});
}

export interface ComparisonOf {
	readonly dataset: string;
	/** Ids; the first is the base. */
	readonly experiments: readonly string[];
	readonly sort: "regression" | "example";
	readonly metric: string | undefined;
}

export function comparisonPages({ dataset, experiments, sort, metric }: ComparisonOf) {
	return infiniteQueryOptions({
		queryKey: ["comparison", dataset, experiments, sort, metric],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/datasets/{dataset_id}/experiments/compare", {
				path: { dataset_id: dataset },
				query: {
					experiment_id: [...experiments],
					sort,
					limit: 100,
					...(metric ? { metric } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		placeholderData: (before) => before,
		enabled: experiments.length > 0,
	});
}

export function tagsQuery(experiment: string) {
	return queryOptions({
		queryKey: ["experiment-tags", experiment],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/experiments/{experiment_id}/tags", { path: { experiment_id: experiment }, signal })).data,
	});
}

/** Invalidates all queries that a change of an experiment affects. */
export async function invalidateExperiments(queries: QueryClient): Promise<void> {
	const keys = ["experiments", "experiment", "experiment-tags", "comparison"];
	await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
