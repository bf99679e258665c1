import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { dataTexts } from "../texts/data-en.ts";
import { api } from "./api.ts";

/** The datasets, newest first. */
export const datasetPages = infiniteQueryOptions({
	queryKey: ["datasets"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/datasets", { query: { limit: 200, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export function datasetQuery(dataset: string) {
	return queryOptions({
		queryKey: ["dataset", dataset],
		queryFn: async ({ signal }) => (await api.get("/v1/datasets/{id}", { path: { id: dataset }, signal })).data,
	});
}

/** Makes a dataset without examples. */
export async function createDataset(name: string): Promise<{ id: string; name: string }> {
	const body = { name, inputs: [], action: "append" };
	const answer = await api.post("/v1/datasets/upload", { query: { sync: true }, body });
	if (!answer) throw new Error(dataTexts.addToDataset.notMade);
	return { id: answer.data.dataset_id, name };
}
