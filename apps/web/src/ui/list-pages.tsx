import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { type DataGridProps, GridEnd } from "./data-grid.tsx";

/** What there is of a query for pages, and how the next one is asked for. */
export type PagedQuery = Pick<
	UseInfiniteQueryResult,
	"hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage" | "error"
>;

/** Asks for the next page, unless it is on its way or did not come; then a person asks again. */
export function loadNextPage({
	hasNextPage,
	isFetchingNextPage,
	isFetchNextPageError,
	fetchNextPage,
}: PagedQuery): void {
	if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
}

/** What a grid needs to show the pages of a query one below the other; `count` are its rows so far. */
export function gridPages(
	query: PagedQuery,
	count: number,
): Required<Pick<DataGridProps<never>, "onEndReached" | "footer">> {
	return {
		onEndReached: () => loadNextPage(query),
		footer: (
			<GridEnd
				count={count}
				hasMore={query.hasNextPage}
				isLoading={query.isFetchingNextPage}
				error={query.isFetchNextPageError ? query.error : null}
				onRetry={() => void query.fetchNextPage()}
			/>
		),
	};
}

/** Loads page after page while `active`: what is searched for may be on any of them. */
export function useAllPages(query: PagedQuery, active: boolean): void {
	const load = useEffectEvent(() => loadNextPage(query));
	const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
	useEffect(() => {
		if (active && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) load();
	}, [active, hasNextPage, isFetchingNextPage, isFetchNextPageError]);
}
