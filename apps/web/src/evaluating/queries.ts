import type { EvaluatorPage } from "@spanward/client";
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { present } from "../lib/search-params.ts";

const PAGE = 50;
/** There are at most so many of a dataset, and few of a server. */
const ALL = 100;

export type Evaluator = EvaluatorPage["data"][number];

export function evaluatorPages({ q, archived }: { readonly q?: string; readonly archived?: "1" }) {
	return infiniteQueryOptions({
		queryKey: ["evaluators", { q, archived }],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/evaluators", {
				query: {
					limit: PAGE,
					archived: archived === "1" ? "true" : "false",
					...present({ name_contains: q, cursor: pageParam }),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function evaluatorQuery(evaluator: string) {
	return queryOptions({
		queryKey: ["evaluator", evaluator],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/evaluators/{evaluator_identifier}", { path: { evaluator_identifier: evaluator }, signal }))
				.data,
	});
}

/** Versions of an evaluator, newest first. */
export function versionPages(evaluator: string) {
	return infiniteQueryOptions({
		queryKey: ["evaluator-versions", evaluator],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/evaluators/{evaluator_identifier}/versions", {
				path: { evaluator_identifier: evaluator },
				query: { limit: ALL, ...present({ cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function versionQuery(version: string) {
	return queryOptions({
		queryKey: ["evaluator-version", version],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/evaluator_versions/{evaluator_version_id}", {
					path: { evaluator_version_id: version },
					signal,
				})
			).data,
		// Versions never change.
		staleTime: Number.POSITIVE_INFINITY,
	});
}

export function diffQuery(version: string, against: string) {
	return queryOptions({
		queryKey: ["evaluator-diff", version, against],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/evaluator_versions/{evaluator_version_id}/diff", {
					path: { evaluator_version_id: version },
					query: { against },
					signal,
				})
			).data,
		staleTime: Number.POSITIVE_INFINITY,
	});
}

export function usageQuery(evaluator: string) {
	return queryOptions({
		queryKey: ["evaluator-usage", evaluator],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/evaluators/{evaluator_identifier}/usage", {
					path: { evaluator_identifier: evaluator },
					signal,
				})
			).data,
	});
}

export const templatesQuery = queryOptions({
	queryKey: ["evaluator-templates"],
	queryFn: async ({ signal }) => (await api.get("/v1/evaluator_templates", { signal })).data,
	staleTime: Number.POSITIVE_INFINITY,
});

export function templateQuery(key: string) {
	return queryOptions({
		queryKey: ["evaluator-template", key],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/evaluator_templates/{template_key}", { path: { template_key: key }, signal })).data,
		staleTime: Number.POSITIVE_INFINITY,
		enabled: key !== "",
	});
}

export const builtInsQuery = queryOptions({
	queryKey: ["builtin-evaluators"],
	queryFn: async ({ signal }) => (await api.get("/v1/builtin_evaluators", { signal })).data,
	staleTime: Number.POSITIVE_INFINITY,
});

/** The evaluators that can be attached. */
export const choosableQuery = queryOptions({
	queryKey: ["evaluators", "choosable"],
	queryFn: async ({ signal }) => {
		const all: Evaluator[] = [];
		let cursor: string | undefined;
		do {
			const page = await api.get("/v1/evaluators", { query: { limit: ALL, ...present({ cursor }) }, signal });
			all.push(...page.data);
			cursor = page.next_cursor ?? undefined;
		} while (cursor !== undefined);
		return all.sort((a, b) => a.name.localeCompare(b.name));
	},
});

export function ofDatasetQuery(dataset: string) {
	return queryOptions({
		queryKey: ["dataset-evaluators", dataset],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/datasets/{dataset_id}/evaluators", { path: { dataset_id: dataset }, signal })).data,
	});
}

/** After an evaluator was made or changed. */
export function refreshEvaluators(queries: QueryClient): Promise<unknown> {
	const keys = ["evaluators", "evaluator", "evaluator-versions", "evaluator-usage", "dataset-evaluators"];
	return Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

export type VersionBody = Parameters<typeof api.post<"/v1/evaluators">>[1]["body"]["version"];
export type TryBody = Parameters<typeof api.post<"/v1/evaluations">>[1]["body"];
export type TryResult = Awaited<ReturnType<typeof api.post<"/v1/evaluations">>>["data"];
