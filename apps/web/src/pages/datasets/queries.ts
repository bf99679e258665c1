import type { DatasetLabel } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

const LABELS_PAGE = 1_000;

/** All labels. */
export const labelsQuery = queryOptions({
	queryKey: ["dataset-labels"],
	queryFn: async ({ signal }) => (await api.get("/v1/dataset_labels", { query: { limit: LABELS_PAGE }, signal })).data,
	staleTime: 30_000,
});

/** The labels of one dataset. */
export function labelsOfQuery(dataset: string) {
	return queryOptions({
		queryKey: ["labels-of", dataset],
		queryFn: ({ signal }) => fetchLabelsOf(dataset, signal),
		staleTime: 30_000,
	});
}

/** The labels of several datasets by dataset id; without any label, no requests for single datasets are sent. */
export function labelsOfAllQuery(datasets: readonly string[]) {
	return queryOptions({
		queryKey: ["labels-of-all", datasets],
		queryFn: async ({ signal, client }): Promise<ReadonlyMap<string, DatasetLabel[]>> => {
			const labels = await client.ensureQueryData(labelsQuery);
			if (labels.length === 0) return new Map();
			return new Map(
				await Promise.all(datasets.map(async (dataset) => [dataset, await fetchLabelsOf(dataset, signal)] as const)),
			);
		},
		placeholderData: (before) => before,
		staleTime: 30_000,
	});
}

async function fetchLabelsOf(dataset: string, signal: AbortSignal): Promise<DatasetLabel[]> {
	const path = { dataset_identifier: dataset };
	return (await api.get("/v1/datasets/{dataset_identifier}/labels", { path, signal })).data;
}

export interface ExamplesOf {
	readonly dataset: string;
	/** Id of a version; absent: the newest. */
	readonly version?: string | undefined;
	/** Name of a split; absent: all examples. */
	readonly split?: string | undefined;
	/** Words that all occur in an example. */
	readonly q?: string | undefined;
}

export function examplePages({ dataset, version, split, q }: ExamplesOf) {
	return infiniteQueryOptions({
		queryKey: ["examples", dataset, version, split, q],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/datasets/{id}/examples", {
				path: { id: dataset },
				query: {
					limit: 200,
					...(version ? { version_id: version } : {}),
					...(split ? { split: [split] } : {}),
					...(q ? { q } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}
