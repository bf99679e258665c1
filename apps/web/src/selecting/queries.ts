import type { BulkRun } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { config } from "../lib/config.ts";
import type { Selected } from "./selection.ts";

function toQuery({ kind, ids, filter }: Selected) {
	return { kind, ...(ids ? { id: [...ids] } : mutable(filter)) };
}

/** The filter as the client takes it. */
function mutable(filter: Selected["filter"] = {}) {
	return Object.fromEntries(
		Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}

/** How much a selection has, and what would be deleted with it. */
export function summaryQuery(selected: Selected) {
	return queryOptions({
		queryKey: ["selection", selected],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/selection", {
					path: { project_identifier: selected.project },
					query: toQuery(selected),
					signal,
				})
			).data,
		staleTime: 0,
		gcTime: 10_000,
	});
}

/** What a run does, besides the selection. */
export type RunAction =
	| { readonly action: "delete" }
	| { readonly action: "move"; readonly destination_project_identifier: string }
	| { readonly action: "add_to_dataset"; readonly dataset_id: string; readonly splits?: string[] }
	| {
			readonly action: "annotate";
			readonly annotation: {
				readonly name: string;
				readonly annotator_kind: "HUMAN";
				readonly result: { readonly label?: string; readonly score?: number; readonly explanation?: string };
			};
	  };

/** @param isWiderAllowed also when more people see then what is moved or added */
export async function startRun(selected: Selected, action: RunAction, isWiderAllowed: boolean): Promise<BulkRun> {
	const { project, kind, ids, filter } = selected;
	const selection = ids ? { ids: [...ids] } : { filter: mutable(filter) };
	const { data } = await api.post("/v1/projects/{project_identifier}/bulk_runs", {
		path: { project_identifier: project },
		// The schema says which actions each kind has; the menus offer only those.
		body: { ...action, kind, selection, ...(isWiderAllowed ? { allow_wider_access: true } : {}) } as never,
	});
	return data;
}

export interface AddedItems {
	readonly added: number;
	readonly present: number;
}

/** Adds rows to a review queue. @returns how many, or for all that fit a filter the run that adds them */
export async function addToQueue(
	{ project, kind, ids, filter }: Selected,
	queueId: string,
	priority: number,
): Promise<AddedItems | BulkRun> {
	const what = ids
		? { targets: ids.map((id) => ({ [`${kind}_id`]: id, project })) }
		: { filter: mutable(filter), project };
	const answer = await api.post("/v1/review_queues/{queue_id}/items", {
		path: { queue_id: queueId },
		body: { ...what, priority },
	});
	// With a filter the answer is 202 with a run.
	return answer.data as AddedItems | BulkRun;
}

/** A run, asked for again and again until it has ended. */
export function runQuery(id: string) {
	return queryOptions({
		queryKey: ["bulk-run", id],
		queryFn: async ({ signal }) => (await api.get("/v1/bulk_runs/{run_id}", { path: { run_id: id }, signal })).data,
		refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? 1_000 : false),
		retry: 2,
	});
}

export function isUnfinished({ state }: Pick<BulkRun, "state">): boolean {
	return state === "waiting" || state === "running";
}

/** Address of a download, which the browser saves as it comes. */
export function downloadAddress(selected: Selected, format: "otlp" | "ndjson" | "csv"): string {
	const query = new URLSearchParams({ format });
	for (const [name, value] of Object.entries(toQuery(selected)))
		for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
	return `${config.basePath}/v1/projects/${encodeURIComponent(selected.project)}/selection/download?${query}`;
}
