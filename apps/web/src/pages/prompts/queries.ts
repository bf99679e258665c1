import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { present } from "../../lib/search-params.ts";
import type { PromptsSearch } from "./search.ts";

const PROMPTS_PAGE = 50;
const SPANS_PAGE = 50;

/** The prompts that match the search. */
export function promptPages({ q, tag }: Pick<PromptsSearch, "q" | "tag">) {
	return infiniteQueryOptions({
		queryKey: ["prompts", { q, tag }],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/prompts", {
				query: { limit: PROMPTS_PAGE, ...present({ name_contains: q, tag, cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function promptQuery(prompt: string) {
	return queryOptions({
		queryKey: ["prompt", prompt],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/prompts/{prompt_identifier}", { path: { prompt_identifier: prompt }, signal })).data,
	});
}

/** The differences between two versions. */
export function diffQuery(version: string, against: string) {
	return queryOptions({
		queryKey: ["prompt-diff", version, against],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/prompt_versions/{prompt_version_id}/diff", {
					path: { prompt_version_id: version },
					query: { against },
					signal,
				})
			).data,
		// Versions never change.
		staleTime: Number.POSITIVE_INFINITY,
	});
}

/** Spans that name a version, newest first. */
export function usagePages(version: string, project: string | undefined) {
	return infiniteQueryOptions({
		queryKey: ["prompt-usage", version, project],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/prompt_versions/{prompt_version_id}/spans", {
				path: { prompt_version_id: version },
				query: { limit: SPANS_PAGE, ...present({ project, cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export async function isNameTaken(name: string): Promise<boolean> {
	const { data } = await api.get("/v1/prompts", { query: { name_contains: name, limit: 1000 } });
	return data.some((prompt) => prompt.name === name);
}

export async function removeTag(version: string, name: string): Promise<void> {
	await api.delete("/v1/prompt_versions/{prompt_version_id}/tags/{tag_name}", {
		path: { prompt_version_id: version, tag_name: name },
	});
}
