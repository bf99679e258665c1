import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** The first prompts whose name contains the words. */
export function namedPromptsQuery(words: string) {
	return queryOptions({
		queryKey: ["prompts", "named", words],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/prompts", { query: { name_contains: words, limit: 8 }, signal })).data,
		staleTime: 30_000,
	});
}
