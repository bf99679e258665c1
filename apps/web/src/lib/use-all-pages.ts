import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";

/** Loads page after page while `active`: what is searched for may be on any of them. */
export function useAllPages(
	query: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage">,
	active: boolean,
): void {
	const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
	useEffect(() => {
		if (active && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
	}, [active, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
}
