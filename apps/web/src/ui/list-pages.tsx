import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { type DataGridProps, GridEnd } from "./data-grid.tsx";
import { errorText } from "./error-state.tsx";

/** What there is of a query for pages, and how the next one is asked for. */
export type PagedQuery = Pick<
	UseInfiniteQueryResult,
	"hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage" | "error"
>;

/** Asks for the next page, unless it is on its way or did not come; then a person asks again. */
function loadNextPage({ hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage }: PagedQuery): void {
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

/** Under a table or list that came in part: what follows comes when this is in view, or when it is pressed. */
export function MoreRows({
	query,
	what,
}: {
	query: PagedQuery;
	/** What there is more of. */
	what: string;
}): ReactNode {
	const end = useRef<HTMLDivElement>(null);
	const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query;
	const load = useEffectEvent(() => loadNextPage(query));
	useEffect(() => {
		if (!end.current || !hasNextPage || isFetchingNextPage) return;
		const observer = new IntersectionObserver((entries) => {
			if (entries.some((entry) => entry.isIntersecting)) load();
		});
		observer.observe(end.current);
		return () => observer.disconnect();
	}, [hasNextPage, isFetchingNextPage]);
	if (!hasNextPage) return null;
	return (
		<div ref={end} data-more className="flex flex-col items-center gap-2 p-2">
			{isFetchNextPageError && error && (
				<p role="alert" className="text-danger">
					{texts.state.moreFailed(errorText(error).message)}
				</p>
			)}
			<Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
				{isFetchNextPageError ? texts.action.retry : texts.state.more(what)}
			</Button>
		</div>
	);
}

/** Loads page after page while `active`: what is searched for may be on any of them. */
export function useAllPages(query: PagedQuery, active: boolean): void {
	const load = useEffectEvent(() => loadNextPage(query));
	const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
	useEffect(() => {
		if (active && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) load();
	}, [active, hasNextPage, isFetchingNextPage, isFetchNextPageError]);
}
