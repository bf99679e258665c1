import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { ErrorState, errorText } from "./error-state.tsx";
import { SkeletonRows } from "./skeleton.tsx";

/** What a query brought, or in its place that it is on its way or failed. */
export function Loaded<Data>({
	data,
	query,
	children,
}: {
	data: Data | undefined;
	query: { readonly error: Error | null; readonly refetch: () => Promise<unknown> };
	children: (data: Data) => ReactNode;
}): ReactNode {
	if (data !== undefined) return children(data);
	if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	return <SkeletonRows rows={5} />;
}

/** Under a list that came in part. */
export function MoreButton({
	query,
	what,
}: {
	query: Pick<
		UseInfiniteQueryResult,
		"hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage" | "error"
	>;
	/** What there is more of. */
	what: string;
}): ReactNode {
	if (!query.hasNextPage) return null;
	return (
		<div className="flex flex-col items-center gap-2 p-2">
			{query.isFetchNextPageError && query.error && (
				<p role="alert" className="text-danger">
					{texts.state.moreFailed(errorText(query.error).message)}
				</p>
			)}
			<Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
				{query.isFetchNextPageError ? texts.action.retry : texts.state.more(what)}
			</Button>
		</div>
	);
}
