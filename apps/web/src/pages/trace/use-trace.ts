import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { lookAgain, useLastError } from "../../lib/look-again.ts";
import { type TraceHead, type TracePart, traceQuery } from "./queries.ts";
import { renderedParts } from "./rendered-parts.ts";
import type { TraceSpan } from "./trace-span.ts";

export interface LoadedTrace {
	/** Undefined until the first part is loaded. */
	readonly trace: TraceHead | undefined;
	readonly spans: readonly TraceSpan[];
	/** Ids of the spans that had annotations when they were loaded. */
	readonly annotatedIds: readonly string[];
	/** Number of loaded spans, including those that are not rendered yet. */
	readonly loaded: number;
	readonly complete: boolean;
	readonly error: Error | null;
	readonly refetch: () => void;
	readonly isFetching: boolean;
}

/** Loads a trace part by part until it is complete. */
export function useTrace(project: string, traceId: string): LoadedTrace {
	const query = useInfiniteQuery({ ...traceQuery(project, traceId), ...lookAgain });
	const error = useLastError(traceId, query);
	const { hasNextPage, isFetching, isError, fetchNextPage } = query;
	useEffect(() => {
		if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
	}, [hasNextPage, isFetching, isError, fetchNextPage]);

	const parts: readonly TracePart[] = query.data?.pages ?? [];
	const drawn = renderedParts(parts.length, !hasNextPage);
	// Depends on the rendered parts, not on each part that arrives.
	const spans = useMemo(
		() => parts.slice(0, drawn).flatMap((part) => part.spans),
		[query.data?.pages[0], drawn, parts.at(drawn - 1)],
	);
	const annotatedIds = useMemo(
		() => parts.slice(0, drawn).flatMap((part) => part.annotated),
		[query.data?.pages[0], drawn, parts.at(drawn - 1)],
	);
	return {
		trace: parts.at(-1)?.trace,
		spans,
		annotatedIds,
		loaded: parts.reduce((sum, part) => sum + part.spans.length, 0),
		complete: query.isSuccess && !hasNextPage,
		error,
		refetch: () => void query.refetch(),
		isFetching,
	};
}
