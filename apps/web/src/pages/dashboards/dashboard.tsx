import type { Dashboard as Wire } from "@spanward/client";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type ReactNode, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { GroupColors, GroupColorsProvider } from "../../analytics/colors.ts";
import { loadPart } from "../../lib/load-part.ts";
import { useStandardRange } from "../../lib/page-range.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { texts } from "../../texts/en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { type Change, Controls, type Search } from "./controls.tsx";
import { DashboardMenu } from "./dashboard-menu.tsx";
import { Grid } from "./grid.tsx";
import { type IsWords, isNarrowed } from "./narrowing.ts";
import { dashboardQuery, isBuiltIn, type ReadDashboard } from "./queries.ts";
import { useKeptScroll } from "./use-kept-scroll.ts";
import { useMayEdit } from "./use-may-edit.ts";
import { WidgetCard } from "./widget-card.tsx";
import { chartOf } from "./widget-question.ts";

const EditDashboard = lazyPart(() => import("./editing/edit-dashboard.tsx"), "EditDashboard");

/** The parser of filters, which few dashboards need. */
const readerQuery = queryOptions({
	queryKey: ["filter-reader"],
	queryFn: async () => {
		const { isWords } = await loadPart(() => import("../../filtering/list-condition.ts"));
		return { isWords };
	},
	staleTime: Number.POSITIVE_INFINITY,
});
/** Of a widget alone there is its own filter, and its own words. */
const NOTHING_TO_JOIN: IsWords = () => false;

export interface DashboardProps {
	readonly id: string;
	/** Of the address: its name or id; undefined across projects. */
	readonly project: string | undefined;
	readonly search: Search;
	readonly change: Change;
}

/** A dashboard: looked at, and edited by who may. */
export function Dashboard(props: DashboardProps): ReactNode {
	const { id, project } = props;
	const query = useQuery(dashboardQuery(id, project));
	usePageTitle(query.data?.dashboard.name ?? TEXTS.title, ...(project === undefined ? [] : [project]));
	return (
		<Loaded data={query.data} query={query}>
			{(read) => <Shown key={id} {...props} read={read} />}
		</Loaded>
	);
}

function Shown({ id, project: addressed, search, change, read }: DashboardProps & { read: ReadDashboard }): ReactNode {
	const { dashboard } = read;
	const project = useProjectOf(dashboard, addressed);
	const [draft, setDraft] = useState<Wire>();
	const isDrafted = draft !== undefined;
	const mayEdit = useMayEdit(project);
	const canEdit = mayEdit && !isBuiltIn(id);
	const page = useRef<HTMLDivElement>(null);
	const field = useRef<HTMLInputElement | null>(null);
	const client = useQueryClient();
	const [colors] = useState(() => new GroupColors());
	const shown = draft ?? dashboard;
	useStandardRange(shown.range);
	useKeptScroll(page, true);
	const refreshAll = () => void client.invalidateQueries({ queryKey: ["analytics"] });
	const edit = useCallback(() => setDraft(dashboard), [dashboard]);
	useShortcuts({
		title: TEXTS.title,
		shortcuts: [
			{ keys: ["/"], label: texts.shortcuts.search, run: () => field.current?.focus() },
			{ keys: ["r"], label: texts.shortcuts.refresh, run: refreshAll },
			...(canEdit && !isDrafted ? [{ keys: ["e"], label: TEXTS.edit, run: edit }] : []),
		],
	});
	const reader = useQuery({ ...readerQuery, enabled: isNarrowed(dashboard, search) });
	const isWords = isNarrowed(dashboard, search) ? reader.data?.isWords : NOTHING_TO_JOIN;
	const body = useBody({ shown, project, search, change });
	return (
		<GroupColorsProvider value={colors}>
			<div ref={page} className="min-h-0 flex-1 overflow-auto p-4 max-sm:p-2">
				<div className="mb-3 flex flex-col gap-3">
					<div className="flex flex-wrap items-center gap-2">
						<h1 className="min-w-0 truncate font-semibold text-xl">{shown.name}</h1>
						{dashboard.is_built_in && <Badge text={TEXTS.builtIn} />}
						{shown.visibility === "private" && <Badge text={TEXTS.private} />}
						{!isDrafted && (
							<div className="ml-auto flex items-center gap-1">
								<IconButton label={TEXTS.refreshNow} shortcut="r" onClick={refreshAll}>
									<RefreshCw size={14} aria-hidden />
								</IconButton>
								{canEdit && <Button onClick={edit}>{TEXTS.edit}</Button>}
								<DashboardMenu {...{ dashboard, project, mayEdit }} />
							</div>
						)}
					</div>
					{shown.description && <p className="max-w-prose text-muted">{shown.description}</p>}
					<Controls dashboard={shown} {...{ project, search, change }} searchRef={field} />
				</div>
				{isDrafted ? (
					<Suspense>
						<EditDashboard
							draft={draft}
							onDraft={setDraft}
							saved={read}
							{...{ project, search, change }}
							onEnd={() => setDraft(undefined)}
						/>
					</Suspense>
				) : dashboard.widgets.length === 0 ? (
					<EmptyState
						title={TEXTS.empty}
						text={canEdit ? TEXTS.emptyText : TEXTS.emptyReadOnly}
						actions={canEdit && <Button onClick={edit}>{TEXTS.edit}</Button>}
					/>
				) : isWords === undefined ? (
					<Loaded data={undefined} query={reader}>
						{() => null}
					</Loaded>
				) : (
					<Grid
						widgets={dashboard.widgets}
						first={search.widget}
						render={(widget) => (
							<WidgetCard {...body} widget={widget} chart={chartOf(widget, dashboard, search, isWords)} />
						)}
					/>
				)}
			</div>
		</GroupColorsProvider>
	);
}

/** What all widgets are drawn with. */
function useBody({
	shown,
	project,
	search,
	change,
}: {
	shown: Wire;
	project: string | undefined;
	search: Search;
	change: Change;
}) {
	const seconds =
		search.refresh === undefined ? shown.refresh_seconds : search.refresh === "off" ? null : search.refresh;
	return useMemo(
		() => ({
			project,
			refresh: seconds === null ? (false as const) : Number(seconds) * 1_000,
			onZoom: (from: number, to: number) =>
				change((before) => ({ ...before, from: new Date(from).toISOString(), to: new Date(to).toISOString() })),
		}),
		[project, seconds, change],
	);
}

/** The project that a dashboard is about, as the address names it where it does; undefined across projects. */
function useProjectOf({ id, project_id }: Wire, addressed: string | undefined): string | undefined {
	const { data } = useQuery({ ...projectQuery(addressed ?? ""), enabled: addressed !== undefined });
	if (isBuiltIn(id) || (data !== undefined && data.id === project_id)) return addressed;
	return project_id ?? undefined;
}

function Badge({ text }: { text: string }): ReactNode {
	return <span className="rounded bg-sunken px-1.5 py-0.5 text-muted text-sm">{text}</span>;
}
