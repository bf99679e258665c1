import type { Session } from "@spanward/client";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import MessagesSquare from "lucide-react/icons/messages-square";
import { type ReactNode, Suspense, useRef } from "react";
import { ChartThis } from "../../analytics/chart-this.tsx";
import { useAnnotationNames } from "../../annotating/use-annotation-names.ts";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { FacetsAside } from "../../facets/facets-aside.tsx";
import { FacetsToggle, useFacets } from "../../facets/facets-toggle.tsx";
import { quoted, withCondition, withoutCondition } from "../../filtering/conditions.ts";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { nextListSearch } from "../../filtering/list-search.ts";
import { refusalOf } from "../../filtering/refusal.ts";
import { RefusedFilter } from "../../filtering/refused-filter.tsx";
import { useIsPhone } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { present } from "../../lib/search-params.ts";
import { useTraceEvents } from "../../lib/trace-events.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { hasPicks } from "../../selecting/selection.ts";
import { useSelection } from "../../selecting/use-selection.tsx";
import { texts } from "../../texts/en.ts";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { Button } from "../../ui/button.tsx";
import { FilterChip } from "../../ui/chip.tsx";
import { ColumnMenu } from "../../ui/column-menu.tsx";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages } from "../../ui/list-pages.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { useGridLayout } from "../../ui/use-grid-layout.ts";
import { useListView } from "../../views/use-list-view.ts";
import { ViewBar } from "../../views/view-bar.tsx";
import { chosenColumns, ON_PHONES, SHOWN, sessionColumns, sortedColumn, sortSearch } from "./columns.tsx";
import { anySessionQuery, listFilter, sessionPages } from "./queries.ts";
import type { SessionsSearch } from "./search.ts";

const SelectionBar = lazyPart(() => import("../../selecting/selection-bar.tsx"), "SelectionBar");

const route = getRouteApi("/p/$project/sessions");

export function SessionsPage(): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const queries = useQueryClient();
	const isPhone = useIsPhone();
	const { data: projectData } = useQuery(projectQuery(project));
	const query = useInfiniteQuery(sessionPages(project, search));
	const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
	const field = useRef<HTMLInputElement | null>(null);
	const views = useListView(project, "sessions", search);
	const [keptColumns] = useLocalSetting(chosenColumns);
	const facets = useFacets(true);
	usePageTitle(...(views.view ? [views.view.name] : []), sessionsTexts.title, projectData?.name ?? project);
	const isRefused = refusalOf(query.error, search.filter) !== undefined;
	// Only while a single page is loaded: refetching many pages makes the list jump.
	useTraceEvents(project, !isRefused && (query.data?.pages.length ?? 0) <= 1, () => {
		void queries.invalidateQueries({ queryKey: ["sessions", project] });
	});

	const change = (next: (before: SessionsSearch) => SessionsSearch, replace = false) => {
		void navigate({ search: (before) => next(before), replace });
	};
	const range = present({ from: search.from, to: search.to });
	const open = (row: Session) => {
		void navigate({
			to: "/p/$project/sessions/$session",
			params: { project, session: row.session_id },
			search: range,
		});
	};
	// Where all sessions are loaded, they tell all names.
	const names = useAnnotationNames(project, query.hasNextPage);
	const all = sessionColumns({
		project,
		rows,
		names,
		range,
		onUser: (user, isExcluded) => change((before) => (isExcluded ? excludeUser : onlyUser)(before, user)),
		onScore: (expression, isExcluded) =>
			change((before) => ({
				...before,
				filter: withCondition(before.filter, isExcluded ? `not ${expression}` : expression),
			})),
	});
	const { arranging, isStandard } = useGridLayout({
		setting: chosenColumns,
		all,
		standard: SHOWN,
		cols: search.cols,
		onCols: (cols) => change(({ cols: _cols, ...rest }) => (cols ? { ...rest, cols } : rest), true),
	});
	const { sort: _sort, order: _order, cols: _cols, saved: _saved, ...filter } = search;
	const selection = useSelection(
		JSON.stringify([project, filter]),
		rows,
		(row) => row.id,
		(row) => row.session_id,
	);
	const { grid } = useGridKeys({
		rows,
		rowKey: (row) => row.id,
		onOpen: open,
		onRefresh: () => query.refetch(),
		searchField: field,
		more: selection.keys,
	});
	return (
		<>
			<h1 className="sr-only">{`${sessionsTexts.title}, ${projectData?.name ?? project}`}</h1>
			<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
				<FacetsToggle {...facets} />
				<ViewBar
					list={views}
					columns={keptColumns}
					onChange={(address, replace) => change(() => address as SessionsSearch, replace)}
				/>
				<FilterBar
					target="session"
					label={sessionsTexts.search}
					search={search}
					onSearch={(typed, isSameStep) =>
						change(
							({ q, filter, ...rest }) => ({ ...rest, ...nextListSearch(present({ q, filter }), typed) }),
							isSameStep,
						)
					}
					error={query.error}
					inputRef={field}
				/>
				<Button
					aria-pressed={search.error === "1"}
					className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
					onClick={() => change(({ error, ...rest }) => (error === "1" ? rest : { ...rest, error: "1" }))}
				>
					{texts.filter.errorOnly}
				</Button>
				{search.filter && search.q && (
					<FilterChip
						field={texts.filter.words}
						value={search.q}
						onRemove={() => change(({ q: _removed, ...rest }) => rest)}
					/>
				)}
				{search.user?.map((user) => (
					<FilterChip
						key={user}
						field={texts.filter.user}
						value={user}
						onRemove={() => change((before) => withoutUser(before, user))}
					/>
				))}
				<span className="ml-auto flex items-center">
					<ChartThis project={project} of="sessions" search={search} />
					<CopyMenu copied={{ kind: "list", of: "session", project, search }} />
					<span className="max-sm:hidden">
						<ColumnMenu arranging={arranging} isStandard={isStandard} />
					</span>
				</span>
			</div>
			<div className="flex min-h-0 flex-1">
				{facets.isShown && (
					<FacetsAside
						project={project}
						of="sessions"
						search={search}
						range={range}
						change={change}
						onClose={() => facets.show(false)}
					/>
				)}
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					{isRefused ? (
						<RefusedFilter onClear={() => change(({ filter: _filter, ...rest }) => rest)} />
					) : query.error && rows.length === 0 ? (
						<ErrorState error={query.error} onRetry={() => void query.refetch()} />
					) : query.isPending || !views.isSettled ? (
						<SkeletonRows rows={20} className="overflow-hidden pt-8" />
					) : rows.length === 0 ? (
						<NoSessions search={search} project={project} onReset={() => void navigate({ search: { from: "all" } })} />
					) : (
						<DataGrid
							label={sessionsTexts.grid}
							columns={[
								selection.column,
								...(isPhone ? all.filter(({ key }) => ON_PHONES.includes(key)) : arranging.layout.columns),
							]}
							{...selection.grid}
							arranging={isPhone ? undefined : arranging}
							{...grid}
							sort={{ column: sortedColumn(search.sort), order: search.order ?? "desc" }}
							onSort={(column) => change((before) => sortSearch(before, column))}
							{...gridPages(query, rows.length)}
						/>
					)}
				</div>
			</div>
			{hasPicks(selection.picks) && (
				<Suspense>
					<SelectionBar
						project={project}
						kind="session"
						picks={selection.picks}
						filter={search.sort?.startsWith("score.") ? undefined : listFilter(search)}
						onSelectAll={selection.selectAll}
						onClear={selection.clear}
					/>
				</Suspense>
			)}
		</>
	);
}

function onlyUser({ filter, ...rest }: SessionsSearch, user: string): SessionsSearch {
	return { ...rest, ...present({ filter: withoutCondition(filter, exclusion(user)) }), user: [user] };
}

function excludeUser(search: SessionsSearch, user: string): SessionsSearch {
	return { ...withoutUser(search, user), filter: withCondition(search.filter, exclusion(user)) };
}

/** A condition that excludes a user, but not sessions without one. */
function exclusion(user: string): string {
	return `(user.id != ${quoted(user)} or user.id is None)`;
}

function withoutUser({ user, ...rest }: SessionsSearch, removed: string): SessionsSearch {
	const left = user?.filter((each) => each !== removed) ?? [];
	return left.length > 0 ? { ...rest, user: left } : rest;
}

function NoSessions({
	search,
	project,
	onReset,
}: {
	search: SessionsSearch & { from?: string };
	project: string;
	onReset: () => void;
}): ReactNode {
	const isFiltered = Boolean(search.q || search.filter || search.user || search.error);
	const { data } = useQuery(anySessionQuery(project));
	if (!isFiltered && !data) {
		return (
			<EmptyState
				icon={<MessagesSquare size={24} aria-hidden />}
				title={sessionsTexts.none}
				text={sessionsTexts.noneText}
			/>
		);
	}
	return (
		<EmptyState
			title={isFiltered ? sessionsTexts.noMatch : sessionsTexts.noneInRange}
			actions={
				<Button look="primary" onClick={onReset}>
					{isFiltered ? texts.filter.clear : texts.traces.showAllTime}
				</Button>
			}
		/>
	);
}
