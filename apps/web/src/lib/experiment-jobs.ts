import type { ExperimentJob } from "@spanward/client";
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { present } from "./search-params.ts";

/** How often a job is looked at while it does something. */
const ACTIVE_MS = 2_000;
/** How often others are looked for. */
const IDLE_MS = 30_000;
/** Of the newest jobs, which are few: there are at most fifty that have not ended. */
const LISTED = 50;

/** Whether it is at work, or about to be. */
export function isActive({ state, runs, evaluations }: ExperimentJob): boolean {
	return state === "waiting" || state === "running" || runs.running + evaluations.running > 0;
}

export function hasEnded({ state }: ExperimentJob): boolean {
	return state === "done" || state === "failed" || state === "cancelled";
}

/** The newest jobs, of one dataset or of all. */
export function experimentJobsQuery(dataset: string | undefined) {
	return queryOptions({
		queryKey: ["experiment-jobs", dataset],
		queryFn: async ({ client, signal }) => {
			const query = { limit: LISTED, ...(dataset === undefined ? {} : { dataset_id: dataset }) };
			const { data } = await api.get("/v1/experiment_jobs", { query, signal });
			for (const job of data) client.setQueryData(["experiment-job", job.id], job);
			return data;
		},
		refetchInterval: IDLE_MS,
	});
}

export const JOB_STATES = ["waiting", "running", "paused", "done", "failed", "cancelled"] as const;

/** Jobs, newest first. @param state undefined for all */
export function experimentJobPages(dataset: string | undefined, state: ExperimentJob["state"] | undefined) {
	return infiniteQueryOptions({
		queryKey: ["experiment-jobs", dataset, "pages", state],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/experiment_jobs", {
				query: {
					limit: LISTED,
					...present({ dataset_id: dataset, state: state && [state], cursor: pageParam }),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		refetchInterval: IDLE_MS,
	});
}

/** The progress of a job. @param listed as the list has it */
export function experimentJobQuery(listed: ExperimentJob) {
	return queryOptions({
		queryKey: ["experiment-job", listed.id],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/experiment_jobs/{job_id}", { path: { job_id: listed.id }, signal })).data,
		initialData: listed,
		refetchInterval: ({ state: { data } }) => (data !== undefined && isActive(data) ? ACTIVE_MS : false),
	});
}

/** Asks anew for what a change of a job shows in: a job makes experiments and their runs. */
export async function invalidateJobs(queries: QueryClient): Promise<void> {
	const keys = ["experiment-jobs", "experiment-job", "experiments", "experiment"];
	await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
