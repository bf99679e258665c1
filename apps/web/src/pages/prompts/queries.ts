import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { present } from "../../lib/search-params.ts";
import type { PromptsSearch } from "./search.ts";

const PROMPTS_PAGE = 50;
const VERSIONS_PAGE = 100;
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

export async function isNameTaken(name: string): Promise<boolean> {
	const { data } = await api.get("/v1/prompts", { query: { name_contains: name, limit: 1000 } });
	return data.some((prompt) => prompt.name === name);
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

export async function removeTag(version: string, name: string): Promise<void> {
	await api.delete("/v1/prompt_versions/{prompt_version_id}/tags/{tag_name}", {
		path: { prompt_version_id: version, tag_name: name },
	});
}

/** Invalidates the queries about prompts after a change. */
export async function refreshPrompts(queries: QueryClient): Promise<void> {
	await Promise.all(
		["prompts", "prompt", "prompt-versions"].map((key) => queries.invalidateQueries({ queryKey: [key] })),
	);
}
