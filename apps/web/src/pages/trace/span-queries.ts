import { createClient, type SpanDetail } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { sessionFetch } from "../../auth/session-fetch.ts";
import { api } from "../../lib/api.ts";
import { config } from "../../lib/config.ts";
import { parseJson } from "../../ui/content/json-value.ts";
import { traceKey } from "./queries.ts";

const MINUTE = 60_000;

/** Integers beyond 2^53 stay exact (as bigints): attribute values are shown as they were sent. */
const exactApi = createClient({
	baseUrl: config.basePath,
	async fetch(input, init) {
		const response = await sessionFetch(input, init);
		if (response.ok) response.json = async () => parseJson(await response.text());
		return response;
	},
});

/** The groups of errors that the failures of a trace are in, by span; they are found within a minute. */
export function errorsOfTraceQuery(project: string, traceId: string) {
	return queryOptions({
		queryKey: ["errors-of-trace", project, traceId],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project, trace_id: traceId };
			return (await api.get("/v1/projects/{project_identifier}/traces/{trace_id}/errors", { path, signal })).data;
		},
		staleTime: MINUTE,
	});
}

/** One span with everything that was sent, and its meaning. */
export function spanQuery(project: string, traceId: string, spanId: string) {
	return queryOptions({
		queryKey: [...traceKey(project, traceId), "span", spanId],
		queryFn: async ({ signal }): Promise<SpanDetail> => {
			const answer = await exactApi.get("/v1/projects/{project_identifier}/traces/{trace_id}/spans/{span_id}", {
				path: { project_identifier: project, trace_id: traceId, span_id: spanId },
				query: { cumulative: false },
				signal,
			});
			return answer.data;
		},
		// A stored span does not change; log records may join it.
		staleTime: MINUTE,
		gcTime: 2 * MINUTE,
		refetchOnWindowFocus: false,
		structuralSharing: false,
	});
}

/** Ids of the spans of a trace whose content contains every word. */
export function contentSearchQuery(project: string, traceId: string, words: string) {
	return queryOptions({
		queryKey: [...traceKey(project, traceId), "search", words],
		queryFn: async ({ signal }): Promise<ReadonlySet<string>> => {
			const answer = await api.get("/v1/projects/{project_identifier}/spans", {
				path: { project_identifier: project },
				query: { trace_id: [traceId], q: words, view: "summary", limit: 1000 },
				signal,
			});
			return new Set(answer.data.map((span) => span.context.span_id));
		},
		enabled: words.length >= 2,
		staleTime: MINUTE,
		structuralSharing: false,
	});
}
