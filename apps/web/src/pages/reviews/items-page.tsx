import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useMe } from "../../lib/me.ts";
import { useIsPhone } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { present } from "../../lib/search-params.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages, useAllPages } from "../../ui/list-pages.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { itemColumns } from "./item-columns.tsx";
import { itemPages } from "./queries.ts";
import { ITEM_STATES, type ItemsSearch } from "./search.ts";

const route = getRouteApi("/reviews/$queue/items");

/** All items of a queue. */
export function ItemsPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const me = useMe();
	usePageTitle(TEXTS.tab.items, queue?.name ?? TEXTS.title);
	const change = (next: ItemsSearch) =>
		void navigate({ search: (before) => present({ ...before, ...next }), replace: true });
	if (queue === undefined) return <SkeletonRows rows={12} />;
	return (
		<>
			<div className="flex shrink-0 flex-wrap items-center gap-2 px-3 py-2">
				<Select
					label={TEXTS.column.state}
					value={search.state ?? ""}
					onChange={(state) => change({ state: state === "" ? undefined : state } as ItemsSearch)}
					choices={[
						{ value: "", label: TEXTS.anyState },
						...ITEM_STATES.map((state) => ({
							value: state,
							label: `${TEXTS.state[state]} (${queue.counts[state]})`,
						})),
					]}
				/>
				<label className="flex items-center gap-1.5">
					<input
						type="checkbox"
						checked={search.reviewer === "me"}
						onChange={(event) => change({ reviewer: event.target.checked ? "me" : undefined } as ItemsSearch)}
					/>
					{me === undefined ? TEXTS.reviewedHere : TEXTS.reviewedByMe}
				</label>
			</div>
			<ItemList queue={queue} search={search} onReset={() => void navigate({ search: {}, replace: true })} />
		</>
	);
}

/** Items as a grid; opening one goes to its page. */
export function ItemList({
	queue,
	search,
	onReset,
	none,
}: {
	queue: ReviewQueue;
	search: ItemsSearch;
	/** Shows all items; absent where there is nothing to reset. */
	onReset?: () => void;
	/** Shown when there is no item. */
	none?: ReactNode;
}): ReactNode {
	const navigate = route.useNavigate();
	const isPhone = useIsPhone();
	const query = useInfiniteQuery({ ...itemPages(queue.id, search), refetchOnMount: "always" });
	// Those whose targets are hidden are left out of a page.
	useAllPages(query, query.data?.pages.at(-1)?.data.length === 0);
	const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
	const keys = useGridKeys<ReviewItem>({
		rows,
		rowKey: ({ id }) => id,
		onOpen: ({ id }) => void navigate({ to: "/reviews/$queue/items/$item", params: { queue: queue.id, item: id } }),
		onRefresh: () => void query.refetch(),
	});
	if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (!query.data) return <SkeletonRows rows={12} />;
	if (rows.length === 0 && !query.hasNextPage) {
		const isFiltered = search.state !== undefined || search.reviewer !== undefined;
		if (none !== undefined) return none;
		return isFiltered ? (
			<EmptyState title={TEXTS.noMatch} actions={onReset && <Button onClick={onReset}>{TEXTS.showAll}</Button>} />
		) : (
			<EmptyState title={TEXTS.noItems} text={TEXTS.noItemsText[queue.target]} />
		);
	}
	return (
		<DataGrid
			label={TEXTS.tab.items}
			columns={itemColumns(queue, isPhone)}
			{...keys.grid}
			{...gridPages(query, rows.length)}
		/>
	);
}
