import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { present } from "./search-params.ts";

/** The first prompts whose name contains the words. */
export function namedPromptsQuery(words: string) {
	return queryOptions({
		queryKey: ["prompts", "named", words],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/prompts", { query: { name_contains: words, limit: 8 }, signal })).data,
		staleTime: 30_000,
	});
}

const VERSIONS_PAGE = 100;

/** Names of prompts and tags that the server accepts. */
export const PROMPT_NAME = /^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$/;

/** The versions of a prompt, newest first. */
export function versionPages(prompt: string) {
	return infiniteQueryOptions({
		queryKey: ["prompt-versions", prompt],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/prompts/{prompt_identifier}/versions", {
				path: { prompt_identifier: prompt },
				query: { limit: VERSIONS_PAGE, ...present({ cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

/** The API's type of the body; the form and the server check that it is one. */
type VersionBody = Parameters<typeof api.post<"/v1/prompts/{prompt_identifier}/versions">>[1]["body"]["version"];

/** Creates a prompt with its first version. When the name is taken, the API adds a version to that prompt. */
export async function createPrompt(
	name: string,
	description: string,
	version: Record<string, unknown>,
	home: { readonly project?: string },
): Promise<void> {
	const prompt = { name, ...(description.trim() ? { description: description.trim() } : {}), ...home };
	await api.post("/v1/prompts", { body: { prompt, version: version as VersionBody } });
}

export async function createVersion(prompt: string, version: Record<string, unknown>, tags: readonly string[]) {
	const path = { prompt_identifier: prompt };
	const body = {
		version: version as VersionBody,
		...(tags.length > 0 ? { tags: tags.map((name) => ({ name })) } : {}),
	};
	return (await api.post("/v1/prompts/{prompt_identifier}/versions", { path, body })).data;
}

/** Puts a tag on a version, taking it off another one of the prompt. */
export async function setTag(version: string, name: string, description: string): Promise<void> {
	await api.post("/v1/prompt_versions/{prompt_version_id}/tags", {
		path: { prompt_version_id: version },
		body: { name, ...(description ? { description } : {}) },
	});
}

/** Invalidates the queries about prompts after a change. */
export async function refreshPrompts(queries: QueryClient): Promise<void> {
	await Promise.all(
		["prompts", "prompt", "prompt-versions"].map((key) => queries.invalidateQueries({ queryKey: [key] })),
	);
}
