import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { type AttributeFilter, FilterByAttribute, withAttribute } from "../../filtering/attribute-filter.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { useIsNarrow } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import type { TraceView } from "../../lib/trace-panel.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { texts } from "../../texts/en.ts";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Splitter } from "../../ui/splitter.tsx";
import { useListView } from "../../views/use-list-view.ts";
import { type Pages, updateKnown } from "./merge-rows.ts";
import { fetchRow } from "./queries.ts";
import type { ListRow } from "./rows.ts";
import { type Neighbours, TraceList } from "./trace-list.tsx";

const route = getRouteApi("/p/$project/traces");
const panelShare = localSetting("trace-panel-share");
const DEFAULT_SHARE = 0.62;

/** The list of traces, and the open one beside it (over it where there is no room). */
export function TracesPage({ TraceView }: { TraceView: TraceView }): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const isNarrow = useIsNarrow();
	const queries = useQueryClient();
	const { data } = useQuery(projectQuery(project));
	const [share, setShare] = useLocalSetting(panelShare);
	const [list, setList] = useState<HTMLElement | null>(null);
	const [{ previous, next }, setNeighbours] = useState<Neighbours>({});
	const views = useListView(project, search.view ?? "traces", search);
	usePageTitle(...(views.view ? [views.view.name] : []), texts.traces.title, data?.name ?? project);

	const open = (row: ListRow, how: "push" | "replace") => {
		void navigate({
			search: ({ trace: _trace, span: _span, ...before }) => ({
				...before,
				trace: row.traceId,
				...(row.spanId ? { span: row.spanId } : {}),
			}),
			replace: how === "replace",
		});
	};
	const close = () => {
		void navigate({ search: ({ trace: _trace, span: _span, tab: _tab, ...before }) => before });
		list?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus();
	};
	const filterBy = (asked: AttributeFilter) => {
		void navigate({
			search: (before) => ({
				...before,
				filter: withAttribute(before.filter, before.view === "spans" ? "span" : "trace", asked),
			}),
		});
	};
	const isOpen = search.trace !== undefined;
	const openPrevious = isOpen && previous ? () => open(previous, "replace") : undefined;
	const openNext = isOpen && next ? () => open(next, "replace") : undefined;
	useShortcuts({
		title: texts.shortcuts.list,
		shortcuts: [
			{ keys: ["Escape"], label: texts.shortcuts.close, run: () => isOpen && close() },
			{ keys: ["["], label: texts.shortcuts.openPrevious, run: () => (openPrevious ? openPrevious() : false) },
			{ keys: ["]"], label: texts.shortcuts.openNext, run: () => (openNext ? openNext() : false) },
			{
				keys: ["l"],
				label: texts.shortcuts.live,
				run: () => void navigate({ search: ({ live, ...before }) => (live ? before : { ...before, live: "1" }) }),
			},
		],
	});
	const panel = isOpen && (
		<section aria-label={texts.traces.panel} className="flex min-h-0 min-w-0 flex-1 flex-col">
			<Suspense fallback={<SkeletonRows />}>
				<FilterByAttribute value={filterBy}>
					<TraceView
						project={project}
						traceId={search.trace ?? ""}
						spanId={search.span}
						tab={search.tab}
						onChange={(change) => {
							void navigate({
								search: ({ span, tab, ...before }) => {
									const next = {
										span,
										tab,
										...("spanId" in change ? { span: change.spanId } : {}),
										...("tab" in change ? { tab: change.tab } : {}),
									};
									return {
										...before,
										...(next.span ? { span: next.span } : {}),
										...(next.tab ? { tab: next.tab } : {}),
									};
								},
								replace: true,
							});
						}}
						onClose={close}
						onAnnotated={({ traceId, spanId }) => {
							refreshRow(queries, project, traceId, search.view === "spans" ? spanId : undefined).catch(
								(error: unknown) => console.warn("bringing the row up to date failed", error),
							);
						}}
						onPrevious={openPrevious}
						onNext={openNext}
					/>
				</FilterByAttribute>
			</Suspense>
		</section>
	);
	const isCovered = isOpen && isNarrow;
	useEffect(() => {
		if (isCovered) document.getElementById("content")?.focus();
	}, [isCovered]);
	return (
		<>
			<h1 className="sr-only">{`${texts.traces.title}, ${data?.name ?? project}`}</h1>
			<div ref={setList} className="relative flex min-h-0 flex-1">
				<TraceList
					project={project}
					search={search}
					views={views}
					change={(change, replace = false) => void navigate({ search: (before) => change(before), replace })}
					isBeside={isOpen}
					isCovered={isCovered}
					onOpen={open}
					onNeighbours={setNeighbours}
				/>
				{isOpen && isNarrow && panel}
				{isOpen && !isNarrow && (
					<Splitter
						label={texts.traces.resize}
						share={Number(share) || DEFAULT_SHARE}
						onShare={(next) => setShare(String(next))}
					>
						{panel}
					</Splitter>
				)}
			</div>
		</>
	);
}

/** Updates one row in the loaded lists. */
async function refreshRow(
	queries: QueryClient,
	project: string,
	traceId: string,
	spanId: string | undefined,
): Promise<void> {
	const row = await fetchRow(project, traceId, spanId);
	queries.setQueriesData<Pages>({ queryKey: ["rows", project] }, (pages) => updateKnown(pages, row));
}
