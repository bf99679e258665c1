import type { ReactNode } from "react";
import { GridEnd } from "./data-grid.tsx";

interface PagedQuery {
	readonly hasNextPage: boolean;
	readonly isFetchingNextPage: boolean;
	readonly isFetchNextPageError: boolean;
	readonly error: Error | null;
	readonly fetchNextPage: () => Promise<unknown>;
}

/** What a grid needs to show the pages of a query one below the other; `count` are its rows so far. */
export function gridPages(query: PagedQuery, count: number): { onEndReached: () => void; footer: ReactNode } {
	const readOn = () => void query.fetchNextPage();
	return {
		onEndReached: () => {
			if (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError) readOn();
		},
		footer: (
			<GridEnd
				count={count}
				hasMore={query.hasNextPage}
				isLoading={query.isFetchingNextPage}
				error={query.isFetchNextPageError ? query.error : null}
				onRetry={readOn}
			/>
		),
	};
}
