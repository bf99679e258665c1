import type { DatasetExampleInSplits, DatasetExampleRevision } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { fetchExact } from "../../lib/exact-json.ts";
import type { Json } from "../../ui/content/json-value.ts";

export type JsonObject = { readonly [key: string]: Json };

/** The content of an example, with all digits of its numbers. */
export interface Content {
	readonly input: JsonObject;
	readonly output: JsonObject;
	readonly metadata: JsonObject;
}

export type Example = Omit<DatasetExampleInSplits, keyof Content> & Content;
export type Revision = Omit<DatasetExampleRevision, keyof Content> & Content;

/** One example and its entity tag, which a change sends. */
export function exampleQuery(dataset: string, example: string, version: string | undefined) {
	return queryOptions({
		queryKey: ["example", dataset, example, version],
		queryFn: async ({ signal }) => {
			const path = api.url("/v1/datasets/{id}/examples/{example_id}", {
				path: { id: dataset, example_id: example },
				query: { version_id: version },
			});
			const { body, etag } = await fetchExact(path, signal);
			return { example: (body as { data: Example }).data, etag };
		},
	});
}

/** The revisions of the example, the newest first. */
export function revisionPages(dataset: string, example: string) {
	return infiniteQueryOptions({
		queryKey: ["example-revisions", dataset, example],
		initialPageParam: undefined as string | undefined,
		queryFn: async ({ pageParam, signal }) => {
			const path = api.url("/v1/datasets/{id}/examples/{example_id}/revisions", {
				path: { id: dataset, example_id: example },
				query: { limit: 50, cursor: pageParam },
			});
			return (await fetchExact(path, signal)).body as { data: Revision[]; next_cursor: string | null };
		},
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}
