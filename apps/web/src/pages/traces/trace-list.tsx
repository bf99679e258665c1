import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ArrowUp from "lucide-react/icons/arrow-up";
import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { useAnnotationNames } from "../../annotating/use-annotation-names.ts";
import { FacetsAside } from "../../facets/facets-aside.tsx";
import { useFacets } from "../../facets/facets-toggle.tsx";
import {
	addValue,
	type ChangeSearch,
	excludeValue,
	hasFilters,
	withoutFilters,
} from "../../filtering/filter-values.ts";
import { refusalOf } from "../../filtering/refusal.ts";
import { useIsPhone } from "../../lib/media.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { hasPicks } from "../../selecting/selection.ts";
import { useSelection } from "../../selecting/use-selection.tsx";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages } from "../../ui/list-pages.tsx";
import { addressOf } from "../../ui/row-link.ts";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { useGridLayout } from "../../ui/use-grid-layout.ts";
import { toAddress } from "../../views/saved-view-address.ts";
import type { ListView } from "../../views/use-list-view.ts";
import { chosenColumns, showsContent, type View } from "./chosen-columns.ts";
import { allColumns, fitColumns, SHOWN, sortedColumn, sortSearch } from "./columns.tsx";
import { MetricStrip } from "./metric-strip.tsx";
import { hasTracesQuery, listFilter, rowFilter } from "./queries.ts";
import type { ListRow } from "./rows.ts";
import type { TracesSearch } from "./search.ts";
import { Toolbar } from "./toolbar.tsx";
import { useRows } from "./use-rows.ts";

// Loaded on demand, as few lists show it.
const RefusedFilter = lazyPart(() => import("../../filtering/refused-filter.tsx"), "RefusedFilter");
const FirstTrace = lazyPart(() => import("./empty.tsx"), "FirstTrace");
const NoRows = lazyPart(() => import("./empty.tsx"), "NoRows");
const FilterWarnings = lazyPart(() => import("../../filtering/filter-warnings.tsx"), "FilterWarnings");
const SelectionBar = lazyPart(() => import("../../selecting/selection-bar.tsx"), "SelectionBar");

export interface TraceListProps {
	readonly project: string;
	readonly search: TracesSearch & TimeRangeSearch;
	readonly views: ListView;
	readonly change: ChangeSearch<TracesSearch>;
	/** Whether a trace is open beside the list. */
	readonly isBeside: boolean;
	/** Whether the open trace covers the list, which keeps its scroll position and leaves the keys to the trace. */
	readonly isCovered: boolean;
	readonly onOpen: (row: ListRow, how: "push" | "replace") => void;
	/** Called with the rows above and below the open one; has to be a stable function. */
	readonly onNeighbours: (neighbours: Neighbours) => void;
}

/** The rows next to the open one, if there are any. */
export interface Neighbours {
	readonly previous?: ListRow | undefined;
	readonly next?: ListRow | undefined;
}

export function TraceList(props: TraceListProps): ReactNode {
	const { project, search, views, change, isBeside, isCovered, onOpen, onNeighbours } = props;
	const navigate = useNavigate();
	const isPhone = useIsPhone();
	const view: View = search.view ?? "traces";
	const scroller = useRef<HTMLDivElement | null>(null);
	const searchField = useRef<HTMLInputElement | null>(null);
	const [kept] = useLocalSetting(chosenColumns[view]);
	const withContent = showsContent(search.cols ?? kept);
	const space = isPhone ? "phone" : isBeside ? "compact" : "full";
	const atTop = () => (scroller.current?.scrollTop ?? 0) < 8;
	const list = useRows(project, rowFilter(search), withContent, () => search.live === "1" && atTop());
	const { rows } = list;
	// Where all rows are loaded, they tell all names.
	const names = useAnnotationNames(project, list.pages.hasNextPage);
	const all = allColumns({
		project,
		view,
		rows,
		names,
		addFilter: (field, value, isExcluded) =>
			change((before) => (isExcluded ? excludeValue : addValue)(toKnown(before, field), field, value)),
		hrefOf: (row) => addressOf(`/p/${encodeURIComponent(project)}/traces`, toAddress({ ...openIn(search, row) })),
	});
	const { arranging, isStandard } = useGridLayout({
		setting: chosenColumns[view],
		all,
		standard: SHOWN[view],
		cols: search.cols,
		onCols: (cols) => change(({ cols: _cols, ...rest }) => (cols ? { ...rest, cols } : rest), true),
	});

	const facets = useFacets(!isBeside);
	const isEmpty = !list.isLoading && !list.error && rows.length === 0;
	const { data: hasTraces, isPending: isAsking } = useQuery({ ...hasTracesQuery(project), enabled: isEmpty });

	const openKey = rows.find((row) => isOpenRow(row, search))?.key;
	const showWaiting = () => {
		list.showWaiting();
		scroller.current?.scrollTo({ top: 0 });
	};
	const filter = rowFilter(search);
	const selection = useSelection(
		JSON.stringify([project, { ...filter, sort: undefined, order: undefined }]),
		rows,
		(row) => row.key,
		(row) => row.name,
	);
	const { activeKey, grid } = useGridKeys({
		rows,
		rowKey: (row) => row.key,
		openKey,
		isBeside,
		isCovered,
		onOpen: (row) => onOpen(row, isBeside ? "replace" : "push"),
		onRefresh: list.refresh,
		searchField,
		more: (activeKey) => [
			{ keys: ["n"], label: texts.shortcuts.showNew, run: showWaiting },
			...selection.keys(activeKey),
		],
	});
	const openAt = indexOfOpen(rows, openKey ?? activeKey, search.trace);
	const previous = openAt > 0 ? rows[openAt - 1] : undefined;
	const next = openAt >= 0 ? rows[openAt + 1] : undefined;
	useEffect(() => onNeighbours({ previous, next }), [onNeighbours, previous, next]);
	if (isEmpty && hasTraces === false)
		return (
			<Suspense fallback={<SkeletonRows />}>
				<FirstTrace project={project} />
			</Suspense>
		);
	const range = { ...(search.from ? { from: search.from } : {}), ...(search.to ? { to: search.to } : {}) };
	const sort = {
		column: sortedColumn(view, search.sort),
		order: search.order ?? ("desc" as const),
	};
	return (
		<div className={classNames("flex min-h-0 min-w-0 flex-1 flex-col", isCovered && "invisible absolute inset-0")}>
			{(!isBeside || isCovered) && <MetricStrip project={project} search={search} range={range} />}
			<Toolbar
				project={project}
				search={search}
				views={views}
				facets={isBeside ? undefined : facets}
				columns={kept}
				change={change}
				view={view}
				arranging={arranging}
				isStandard={isStandard}
				onRefresh={list.refresh}
				isBusy={list.isLoading || list.isOutdated || list.isRefreshing}
				error={list.error}
				searchRef={searchField}
			/>
			{search.filter !== undefined && list.warnings.length > 0 && (
				<Suspense>
					<FilterWarnings
						filter={search.filter}
						warnings={list.warnings}
						onFix={(filter) => change((before) => ({ ...before, filter }))}
					/>
				</Suspense>
			)}
			<div className="flex min-h-0 flex-1">
				{facets.isShown && (
					<FacetsAside
						project={project}
						of={view}
						search={search}
						range={range}
						change={change}
						onClose={() => facets.show(false)}
					/>
				)}
				<div className={classNames("relative flex min-h-0 min-w-0 flex-1 flex-col", list.isOutdated && "opacity-60")}>
					{search.live === "1" && list.stream === "lost" && (
						<p role="status" className="bg-warn-soft px-4 py-1 text-sm text-warn">
							{texts.live.lost}
						</p>
					)}
					{list.waiting > 0 && (
						<button
							type="button"
							onClick={showWaiting}
							title={texts.live.show(list.waiting)}
							className="absolute top-10 left-1/2 z-20 inline-flex h-6 -translate-x-1/2 items-center gap-1 rounded-full bg-accent px-3 text-on-accent text-sm shadow-md hover:bg-accent-strong"
						>
							<ArrowUp size={13} aria-hidden />
							{texts.live.waiting(list.waiting)}
						</button>
					)}
					<Body
						{...{ list, search, change }}
						isReady={views.isSettled && (!isEmpty || !isAsking)}
						onAllTime={
							isBounded(search)
								? () => void navigate({ to: ".", search: ({ to: _to, ...before }) => ({ ...before, from: "all" }) })
								: undefined
						}
					>
						<DataGrid
							label={view === "spans" ? texts.traces.gridSpans : texts.traces.grid}
							columns={[selection.column, ...(space === "full" ? arranging.layout.columns : fitColumns(all, space))]}
							arranging={space === "full" ? arranging : undefined}
							{...grid}
							{...selection.grid}
							sort={sort}
							onSort={(column) =>
								change(({ sort: _sort, order: _order, ...rest }) => ({ ...rest, ...sortSearch(view, search, column) }))
							}
							scrollRef={scroller}
							{...gridPages(list.pages, rows.length)}
						/>
					</Body>
				</div>
			</div>
			{hasPicks(selection.picks) && (
				<Suspense>
					<SelectionBar
						project={project}
						kind={view === "spans" ? "span" : "trace"}
						picks={selection.picks}
						filter={search.sort?.startsWith("score.") ? undefined : listFilter(filter)}
						onSelectAll={selection.selectAll}
						onClear={selection.clear}
					/>
				</Suspense>
			)}
		</div>
	);
}

/** The address of the list with a row open beside it. */
function openIn<Search extends TracesSearch>({ trace: _trace, span: _span, ...rest }: Search, row: ListRow) {
	return { ...rest, trace: row.traceId, ...(row.spanId ? { span: row.spanId } : {}) };
}

/** Switches to spans for a filter by kind, which only spans have. */
function toKnown(search: TracesSearch, field: string): TracesSearch {
	if (field !== "kind" || search.view === "spans") return search;
	const { saved: _saved, ...rest } = search;
	return { ...rest, view: "spans" };
}

function isOpenRow(row: ListRow, search: TracesSearch): boolean {
	if (row.traceId !== search.trace) return false;
	return row.spanId === undefined || row.spanId === search.span;
}

/** Index of the open trace; -1 when it is not in the list. */
function indexOfOpen(rows: readonly ListRow[], key: string | undefined, trace: string | undefined): number {
	return trace === undefined ? -1 : rows.findIndex((row) => row.key === key && row.traceId === trace);
}

/** Whether a time range has a bound. */
function isBounded({ from, to }: TimeRangeSearch): boolean {
	return to !== undefined || (from !== undefined && from !== "all");
}

function Body({
	list,
	isReady,
	search,
	change,
	onAllTime,
	children,
}: {
	list: ReturnType<typeof useRows>;
	isReady: boolean;
	search: TracesSearch;
	change: ChangeSearch<TracesSearch>;
	onAllTime: (() => void) | undefined;
	children: ReactNode;
}): ReactNode {
	if (refusalOf(list.error, search.filter))
		return (
			<Suspense>
				<RefusedFilter onClear={() => change(({ filter: _filter, ...rest }) => rest)} />
			</Suspense>
		);
	if (list.error && list.rows.length === 0) return <ErrorState error={list.error} onRetry={list.refresh} />;
	if (list.isLoading || !isReady) return <SkeletonRows rows={24} className="overflow-hidden pt-8" />;
	if (list.rows.length > 0) return children;
	return (
		<Suspense>
			<NoRows isFiltered={hasFilters(search)} onClearFilters={() => change(withoutFilters)} onAllTime={onAllTime} />
		</Suspense>
	);
}
