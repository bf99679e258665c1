import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { errorText } from "./error-state.tsx";
import { loadNextPage, type PagedQuery } from "./list-pages.tsx";

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
