import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { present } from "../../../lib/search-params.ts";

export function pricePages(words: string, origin: "own" | "built_in" | undefined) {
	return infiniteQueryOptions({
		queryKey: ["model-prices", words, origin],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/model_prices", {
				query: { limit: 100, ...present({ name_contains: words || undefined, origin, cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		placeholderData: (before) => before,
	});
}

/** How many of the newest projects are searched for models. */
const PROJECTS = 20;
const RECENT_MS = 30 * 24 * 3600 * 1000;

/** Names of the recently used models in the newest projects. */
export const usedModelsQuery = queryOptions({
	queryKey: ["used-models"],
	queryFn: async ({ signal }) => {
		const { data: projects } = await api.get("/v1/projects", { query: { limit: PROJECTS }, signal });
		const query = {
			start_time: new Date(Date.now() - RECENT_MS).toISOString(),
			bucket: "day" as const,
			group_by: "model" as const,
		};
		const points = await Promise.all(
			projects.map(async ({ id }) => {
				const path = { project_identifier: id };
				return (await api.get("/v1/projects/{project_identifier}/metrics", { path, query, signal })).data;
			}),
		);
		const names = points.flat().flatMap(({ group }) => (group ? [group] : []));
		return [...new Set(names)].toSorted();
	},
	staleTime: 60_000,
});
