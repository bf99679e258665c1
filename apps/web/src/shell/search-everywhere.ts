import type { Project, Trace } from "@spanward/client";
import { useQueries } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** Projects that are searched, the newest; each is a request. */
export const MOST_SEARCHED = 30;
const SHOWN = 3;

export interface Everywhere {
	readonly found: readonly {
		readonly project: Project;
		readonly traces: readonly Trace[];
		readonly hasMore: boolean;
	}[];
	/** Projects that have not answered yet. */
	readonly waiting: number;
	/** Names of projects whose search failed. */
	readonly failed: readonly string[];
}

/** Traces that contain the words, in each of the projects; nothing is searched while `words` is undefined. */
export function useSearchEverywhere(words: string | undefined, projects: readonly Project[]): Everywhere {
	const searched = words === undefined ? [] : projects.slice(0, MOST_SEARCHED);
	const results = useQueries({
		queries: searched.map((project) => ({
			queryKey: ["everywhere", project.id, words],
			queryFn: ({ signal }: { signal: AbortSignal }) =>
				api.get("/v1/projects/{project_identifier}/traces", {
					path: { project_identifier: project.id },
					query: { q: words ?? "", limit: SHOWN },
					signal,
				}),
			retry: false,
			staleTime: 30_000,
		})),
	});
	return {
		found: searched.flatMap((project, at) => {
			const page = results[at]?.data;
			const traces = page?.data ?? [];
			// A slow search may answer without traces, while more of the project can be searched.
			const hasMore = page?.next_cursor != null;
			return traces.length > 0 || hasMore ? [{ project, traces, hasMore }] : [];
		}),
		waiting: results.filter((result) => result.isPending).length,
		failed: searched.filter((_, at) => results[at]?.isError).map(({ name }) => name),
	};
}
