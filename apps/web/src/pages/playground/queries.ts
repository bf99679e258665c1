import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import type { PlaygroundSearch } from "./search.ts";

/** What the address says that the page begins with; undefined for nothing. */
export function sourceOf({ span, project, prompt_version, experiment }: PlaygroundSearch) {
	if (span !== undefined) {
		const [traceId, spanId] = span.includes(":") ? span.split(":") : [undefined, span];
		return {
			span_id: spanId ?? span,
			...(traceId === undefined ? {} : { trace_id: traceId }),
			...(project === undefined ? {} : { project }),
		};
	}
	if (prompt_version !== undefined) return { prompt_version_id: prompt_version };
	return experiment === undefined ? undefined : { experiment_id: experiment };
}

export function sourceQuery(source: NonNullable<ReturnType<typeof sourceOf>>) {
	return queryOptions({
		queryKey: ["playground-source", source],
		queryFn: async ({ signal }) => (await api.get("/v1/playground/sources", { query: source, signal })).data,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
}

/** The evaluators of a dataset. */
export function evaluatorsOfDatasetQuery(dataset: string) {
	return queryOptions({
		queryKey: ["dataset-evaluators", dataset],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/datasets/{dataset_id}/evaluators", { path: { dataset_id: dataset }, signal })).data,
	});
}
