import type { ContentDigests } from "@spanward/client";
import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { api } from "../../../lib/api.ts";
import { type TraceHead, traceKey } from "../queries.ts";
import type { DigestsById } from "./compare-rows.ts";

/** Spans; the contents of larger traces are not read as a whole. */
export const MOST_DIGESTS = 20_000;
const PAGE = 1_000;
const MINUTE = 60_000;

interface Part {
	readonly digests: readonly (readonly [spanId: string, digests: ContentDigests])[];
	readonly nextCursor: string | null;
}

function digestsQuery(project: string, trace: TraceHead | undefined) {
	const traceId = trace?.trace_id ?? "";
	return infiniteQueryOptions({
		// What runs is read again when it has more spans, or when some have ended.
		queryKey: [...traceKey(project, traceId), "digests", trace?.span_count, trace?.running_count],
		initialPageParam: null as string | null,
		getNextPageParam: (last: Part) => last.nextCursor,
		queryFn: async ({ pageParam, signal }): Promise<Part> => {
			const answer = await api.get("/v1/projects/{project_identifier}/traces/{trace_id}", {
				path: { project_identifier: project, trace_id: traceId },
				query: {
					limit: PAGE,
					...(pageParam === null ? {} : { cursor: pageParam }),
					cumulative: false,
					include: ["content_digests"],
				},
				signal,
			});
			const digests = answer.data.spans.flatMap(({ span_id, content_digests }) =>
				content_digests ? [[span_id, content_digests] as const] : [],
			);
			return { digests, nextCursor: answer.next_cursor };
		},
		enabled: trace !== undefined && trace.span_count <= MOST_DIGESTS,
		staleTime: MINUTE,
		refetchOnWindowFocus: false,
		structuralSharing: false,
	});
}

export interface LoadedDigests {
	/** Empty until all are there, so that rows do not change one by one. */
	readonly digests: DigestsById;
	readonly loaded: number;
	readonly isComplete: boolean;
	readonly error: Error | null;
}

const NONE: DigestsById = new Map();

/** Reads the digests of the contents of all spans of a trace, part by part. */
export function useDigests(project: string, trace: TraceHead | undefined): LoadedDigests {
	const query = useInfiniteQuery(digestsQuery(project, trace));
	const { data, hasNextPage, isFetching, isError, isSuccess, fetchNextPage } = query;
	useEffect(() => {
		if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
	}, [hasNextPage, isFetching, isError, fetchNextPage]);
	const isComplete = isSuccess && !hasNextPage;
	const digests = useMemo(
		() => (isComplete ? new Map(data?.pages.flatMap((part) => part.digests)) : NONE),
		[isComplete, data],
	);
	return {
		digests,
		loaded: data?.pages.reduce((sum, part) => sum + part.digests.length, 0) ?? 0,
		isComplete,
		error: query.error,
	};
}
