import type { ErrorGroup, ErrorGroupChangeInput } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { ChartThis } from "../../analytics/chart-this.tsx";
import { FacetsAside } from "../../facets/facets-aside.tsx";
import { FacetsToggle, useFacets } from "../../facets/facets-toggle.tsx";
import { withCondition } from "../../filtering/conditions.ts";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { nextListSearch } from "../../filtering/list-search.ts";
import { refusalOf } from "../../filtering/refusal.ts";
import { RefusedFilter } from "../../filtering/refused-filter.tsx";
import { useIsPhone } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { useMayIn } from "../../lib/project-role.ts";
import { projectQuery } from "../../lib/projects.ts";
import { present } from "../../lib/search-params.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { useSelection } from "../../selecting/use-selection.tsx";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages } from "../../ui/list-pages.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type ListView, useListView } from "../../views/use-list-view.ts";
import { ViewBar } from "../../views/view-bar.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import { ChangeBar } from "./change-bar.tsx";
import { groupColumns, sortedColumn, sortSearch } from "./columns.tsx";
import { InboxFilters } from "./inbox-filters.tsx";
import { InboxNotices } from "./inbox-notices.tsx";
import { failuresOf, ofListedGroups, withFailures } from "./listed-failures.ts";
import { NoErrors } from "./no-errors.tsx";
import { groupPages } from "./queries.ts";
import type { ErrorsSearch } from "./search.ts";
import { useGroupChanges } from "./use-group-changes.ts";

const route = getRouteApi("/p/$project/errors");
const STATES = ["open", "resolved", "ignored"] as const;

/** The inbox of a project: groups of failures that are the same. */
export function ErrorsPage(): ReactNode {
	const { project } = route.useParams();
	const { data } = useQuery(projectQuery(project));
	const address = route.useSearch();
	const { saved: _saved, ...search } = address;
	const views = useListView(project, "errors", address);
	usePageTitle(...(views.view ? [views.view.name] : []), TEXTS.title, data?.name ?? project);
	return (
		<>
			<h1 className="sr-only">{`${TEXTS.title}, ${data?.name ?? project}`}</h1>
			<Inbox project={project} search={search} views={views} />
		</>
	);
}

function Inbox({
	project,
	search,
	views,
}: {
	project: string;
	search: Omit<ErrorsSearch, "saved"> & TimeRangeSearch;
	views: ListView;
}): ReactNode {
	const navigate = route.useNavigate();
	const isPhone = useIsPhone();
	const mayChange = useMayIn(project)("editor");
	const facets = useFacets(true);
	const query = useInfiniteQuery(groupPages(project, search));
	const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
	const counts = query.data?.pages[0]?.counts;
	const changes = useGroupChanges();
	const [assigning, setAssigning] = useState<readonly ErrorGroup[]>();
	const field = useRef<HTMLInputElement | null>(null);
	const range = present({ from: search.from, to: search.to });
	const failures = failuresOf(search);
	const listed = ofListedGroups(search, rows, counts);
	const { sort: _sort, ...filter } = search;
	const selection = useSelection(
		JSON.stringify([project, filter]),
		rows,
		({ id }) => id,
		({ title }) => title,
	);
	const chosen = rows.filter(({ id }) => selection.picks.isAll || selection.picks.keys.has(id));
	const change = (next: (before: ErrorsSearch) => ErrorsSearch, replace = false) =>
		void navigate({ search: (before) => next(before), replace });
	const make = (groups: readonly ErrorGroup[], wanted: ErrorGroupChangeInput) => {
		changes.change(groups, wanted);
		selection.clear();
	};
	const { grid, move } = useGridKeys({
		rows,
		rowKey: ({ id }) => id,
		onOpen: ({ id }) =>
			void navigate({ to: "/p/$project/errors/$group", params: { project, group: id }, search: range }),
		searchField: field,
		more: (activeKey) => {
			const targets = () => (chosen.length > 0 ? chosen : rows.filter(({ id }) => id === activeKey));
			const setState = (wanted: ErrorGroupChangeInput) => {
				const groups = targets();
				if (groups.length === 0) return false;
				// The row leaves the list.
				if (chosen.length === 0) move(rows.at(-1)?.id === activeKey ? -1 : 1);
				return make(groups, wanted);
			};
			const assign = () => (targets().length === 0 ? false : setAssigning(targets()));
			return [
				...selection.keys(activeKey),
				...(mayChange
					? [
							{ keys: ["r"], label: TEXTS.key.resolve, run: () => setState({ state: "resolved" }) },
							{ keys: ["i"], label: TEXTS.key.ignore, run: () => setState({ state: "ignored" }) },
							{ keys: ["a"], label: TEXTS.key.assign, run: assign },
							{ keys: ["u"], label: TEXTS.key.undo, run: () => changes.undo() },
						]
					: []),
			];
		},
	});
	return (
		<>
			<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
				<FacetsToggle {...facets} />
				<SegmentedControl
					label={TEXTS.states}
					value={search.state ?? "open"}
					onChange={(next) =>
						change(({ state: _state, ...rest }) => (next === "open" ? rest : { ...rest, state: next }))
					}
					choices={STATES.map((value) => ({
						value,
						label: counts ? `${TEXTS.state[value]} ${counts[value]}` : TEXTS.state[value],
					}))}
				/>
				<ViewBar
					list={views}
					columns={undefined}
					onChange={(address, replace) => change(() => address as ErrorsSearch, replace)}
				/>
				<FilterBar
					target="span"
					label={TEXTS.search}
					search={search}
					onSearch={(typed, isSameStep) =>
						change(
							({ q, filter: before, ...rest }) => ({
								...rest,
								...nextListSearch(present({ q, filter: before }), typed),
							}),
							isSameStep,
						)
					}
					error={query.error}
					inputRef={field}
				/>
				<InboxFilters search={search} change={change} />
				<span className="ml-auto flex items-center">
					{/* Which groups are listed is a part of its filter. */}
					{query.data && (
						<ChartThis
							project={project}
							of="errors"
							groupBy={["error_group"]}
							search={{
								...range,
								...failures,
								...present({ filter: listed === undefined ? failures.filter : withCondition(failures.filter, listed) }),
							}}
						/>
					)}
				</span>
			</div>
			<div className="flex min-h-0 flex-1">
				{facets.isShown && (
					<FacetsAside
						project={project}
						of="errors"
						search={failures}
						range={range}
						note={listed === undefined ? undefined : TEXTS.facetsNote}
						change={(next) => change((before) => withFailures(before, next(failuresOf(before))))}
						onClose={() => facets.show(false)}
					/>
				)}
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					<InboxNotices project={project} search={search} query={query} rows={rows} mayChange={mayChange} />
					{refusalOf(query.error, search.filter) !== undefined ? (
						<RefusedFilter onClear={() => change(({ filter: _filter, ...rest }) => rest)} />
					) : query.error && rows.length === 0 ? (
						<ErrorState error={query.error} onRetry={() => void query.refetch()} />
					) : query.isPending || !views.isSettled ? (
						<SkeletonRows rows={20} className="overflow-hidden pt-8" />
					) : rows.length === 0 ? (
						<NoErrors project={project} search={search} onReset={() => void navigate({ search: { from: "all" } })} />
					) : (
						<DataGrid
							label={TEXTS.grid}
							columns={[...(mayChange ? [selection.column] : []), ...groupColumns(project, range, isPhone)]}
							{...selection.grid}
							{...grid}
							sort={{ column: sortedColumn(search.sort), order: "desc" }}
							onSort={(column) => change((before) => sortSearch(before, column))}
							{...gridPages(query, rows.length)}
						/>
					)}
				</div>
			</div>
			<ChangeBar
				chosen={chosen}
				state={search.state ?? "open"}
				changes={changes}
				onChange={(wanted) => make(chosen, wanted)}
				onAssign={() => setAssigning(chosen)}
				onClear={selection.clear}
			/>
			{assigning && (
				<AssignDialog
					project={project}
					groups={assigning}
					onAssign={(id) => {
						make(assigning, { assignee_id: id });
						setAssigning(undefined);
					}}
					onClose={() => setAssigning(undefined)}
				/>
			)}
		</>
	);
}
