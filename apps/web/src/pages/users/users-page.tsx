import type { EndUser } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import UsersRound from "lucide-react/icons/users-round";
import { type ReactNode, Suspense, useMemo, useRef } from "react";
import type { AnalyticsQuery } from "../../analytics/chart.ts";
import { analyticsQuery } from "../../analytics/queries.ts";
import { toRange } from "../../analytics/search.ts";
import { FacetsAside } from "../../facets/facets-aside.tsx";
import { FacetsToggle, useFacets } from "../../facets/facets-toggle.tsx";
import { quoted } from "../../filtering/conditions.ts";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { refusalOf } from "../../filtering/refusal.ts";
import { RefusedFilter } from "../../filtering/refused-filter.tsx";
import type { RowFilters } from "../../filtering/row-filters.ts";
import { useIsPhone } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { present } from "../../lib/search-params.ts";
import { shownTimeZone, useTimeZone } from "../../lib/time.ts";
import { chartRange, type TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { endUsersTexts as TEXTS } from "../../texts/end-users-en.ts";
import { Button } from "../../ui/button.tsx";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages } from "../../ui/list-pages.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useListView } from "../../views/use-list-view.ts";
import { ViewBar } from "../../views/view-bar.tsx";
import { sortedColumn, sortSearch, userColumns, type Wholes } from "./columns.tsx";
import { anyUserQuery, userPages } from "./queries.ts";
import type { UsersSearch } from "./search.ts";

const UsersNotes = lazyPart(() => import("./users-notes.tsx"), "UsersNotes");

const route = getRouteApi("/p/$project/users");

/** Who uses what is traced in a project. */
export function UsersPage(): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const isPhone = useIsPhone();
	useTimeZone();
	const zone = shownTimeZone();
	const { data: projectData } = useQuery(projectQuery(project));
	const query = useInfiniteQuery(userPages(project, search, zone));
	const users = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
	const wholes = useWholes(project, search, zone);
	const field = useRef<HTMLInputElement | null>(null);
	const filterField = useRef<HTMLInputElement | null>(null);
	const views = useListView(project, "users", search);
	const facets = useFacets(true);
	usePageTitle(...(views.view ? [views.view.name] : []), TEXTS.title, projectData?.name ?? project);
	const change = (next: (before: UsersSearch) => UsersSearch, replace = false) => {
		void navigate({ search: next, replace });
	};
	const range = present({ from: search.from, to: search.to });
	const { grid } = useGridKeys({
		rows: users,
		rowKey: (user) => user.user_id,
		onOpen: ({ user_id: user }) =>
			void navigate({ to: "/p/$project/users/$user", params: { project, user }, search: range }),
		onRefresh: () => query.refetch(),
		searchField: field,
	});
	const [first] = query.data?.pages ?? [];
	return (
		<>
			<h1 className="sr-only">{`${TEXTS.title}, ${projectData?.name ?? project}`}</h1>
			<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
				<FacetsToggle {...facets} />
				<ViewBar
					list={views}
					columns={undefined}
					onChange={(address, replace) => change(() => address as UsersSearch, replace)}
				/>
				<TypedSearch
					label={TEXTS.search}
					words={search.q ?? ""}
					onWords={(q) => change(({ q: _q, ...rest }) => (q ? { ...rest, q } : rest), true)}
					inputRef={field}
				/>
				<FilterBar
					target="trace"
					label={TEXTS.filter}
					search={present({ filter: search.filter })}
					onSearch={({ filter, q }, isSameStep) => change((before) => withFilter(before, filter ?? q), isSameStep)}
					error={query.error}
					inputRef={filterField}
					hasKey={false}
				/>
			</div>
			<div className="flex min-h-0 flex-1">
				{facets.isShown && (
					<FacetsAside<RowFilters>
						project={project}
						of="users"
						search={present({ filter: search.filter })}
						range={chartRange(search, USERS_RANGE)}
						within={tracesOfUsers(search.q)}
						change={(next) => change((before) => withFilter(before, next(present({ filter: before.filter })).filter))}
						onClose={() => facets.show(false)}
					/>
				)}
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					{first && (first.is_partial || first.traces_without_user > 0) && (
						<Suspense fallback={<Skeleton className="mx-4 my-2 w-64" />}>
							<UsersNotes project={project} search={search} page={first} />
						</Suspense>
					)}
					<List
						{...{ project, search, query, users }}
						isSettled={views.isSettled}
						onClear={() => change(({ q: _q, filter: _filter, ...rest }) => rest)}
						onAllTime={() => void navigate({ search: (before) => ({ ...before, from: "all", to: "" }) })}
					>
						<DataGrid
							label={TEXTS.grid}
							columns={userColumns({ project, users, wholes, range, isPhone })}
							{...grid}
							sort={{ column: sortedColumn(search.sort), order: search.order ?? "desc" }}
							onSort={(column) => change((before) => sortSearch(before, column))}
							{...gridPages(query, users.length)}
						/>
					</List>
				</div>
			</div>
		</>
	);
}

function withFilter({ filter: _filter, ...rest }: UsersSearch, filter: string | undefined): UsersSearch {
	return { ...rest, ...present({ filter }) };
}

/** The traces of the users whose ids contain a text, in any case. */
function tracesOfUsers(part: string | undefined): string {
	return part === undefined ? "user_id is not None" : `${quoted(part)} in user_id`;
}

/** What all traces in the range come to. */
function useWholes(project: string, search: UsersSearch & TimeRangeSearch, zone: string): Wholes | undefined {
	const { from, to, filter } = search;
	const asked = useMemo(
		(): AnalyticsQuery => ({
			of: "traces",
			measure: ["count", "cost_total"],
			...(filter ? { filter } : {}),
			...toRange(present({ from, to }), USERS_RANGE),
		}),
		[from, to, filter],
	);
	const { data } = useQuery(analyticsQuery(project, asked, zone));
	return data && { traces: data.all.totals["count"] ?? 0, cost: data.all.totals["cost_total"] ?? 0 };
}

function List({
	project,
	search,
	query,
	users,
	isSettled,
	onClear,
	onAllTime,
	children,
}: {
	project: string;
	search: UsersSearch & TimeRangeSearch;
	query: { readonly error: Error | null; readonly isPending: boolean; readonly refetch: () => unknown };
	users: readonly EndUser[];
	/** False while a saved view may be about to be shown. */
	isSettled: boolean;
	onClear: () => void;
	onAllTime: () => void;
	children: ReactNode;
}): ReactNode {
	if (refusalOf(query.error, search.filter)) return <RefusedFilter onClear={onClear} />;
	if (query.error && users.length === 0) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (query.isPending || !isSettled) return <SkeletonRows rows={20} className="overflow-hidden pt-8" />;
	if (users.length > 0) return children;
	if ((search.q ?? search.filter) !== undefined)
		return (
			<EmptyState
				title={TEXTS.noMatch}
				text={TEXTS.noMatchText}
				actions={
					<Button look="primary" onClick={onClear}>
						{TEXTS.clear}
					</Button>
				}
			/>
		);
	return <NoUsers project={project} onAllTime={onAllTime} />;
}

function NoUsers({ project, onAllTime }: { project: string; onAllTime: () => void }): ReactNode {
	const { data: hasAny } = useQuery(anyUserQuery(project));
	if (hasAny)
		return (
			<EmptyState
				title={TEXTS.noneInRange}
				actions={
					<Button look="primary" onClick={onAllTime}>
						{texts.traces.showAllTime}
					</Button>
				}
			/>
		);
	return (
		<EmptyState icon={<UsersRound size={24} aria-hidden />} title={TEXTS.none} text={TEXTS.noneText}>
			<code className="rounded bg-sunken px-2 py-1 font-mono text-sm">{TEXTS.noneSnippet}</code>
		</EmptyState>
	);
}
