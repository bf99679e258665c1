import type { ExperimentRunDetails } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import type { AddedItems } from "../../selecting/queries.ts";

export type RunDetails = ExperimentRunDetails;

/** The most targets of a request. */
const MOST_TARGETS = 10_000;

/** A run with its example. @param hidesJudgements without its evaluations and reviews, which are not sent then */
export function runDetailsQuery(run: string, hidesJudgements: boolean) {
	return queryOptions({
		queryKey: ["experiment-run", run, hidesJudgements],
		queryFn: async ({ signal }) => {
			const path = { experiment_run_id: run };
			const query = hidesJudgements ? { judgements: false } : {};
			return (await api.get("/v1/experiment_runs/{experiment_run_id}", { path, query, signal })).data;
		},
	});
}

/** Runs by their ids, or all of an experiment. */
export type ReviewedRuns = { readonly runs: readonly string[] } | { readonly experiment: string };

export async function addRunsToQueue(what: ReviewedRuns, queueId: string, priority: number): Promise<AddedItems> {
	const path = { queue_id: queueId };
	const post = async (named: object) =>
		// Only a filter begins a run in the background.
		(await api.post("/v1/review_queues/{queue_id}/items", { path, body: { ...named, priority } })).data as AddedItems;
	if ("experiment" in what) return await post({ experiment_id: what.experiment });
	const sum = { added: 0, present: 0 };
	for (let begin = 0; begin < what.runs.length; begin += MOST_TARGETS) {
		const part = what.runs.slice(begin, begin + MOST_TARGETS);
		const { added, present } = await post({ targets: part.map((id) => ({ experiment_run_id: id })) });
		sum.added += added;
		sum.present += present;
	}
	return sum;
}
