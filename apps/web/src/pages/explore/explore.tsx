import type { Analytics } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { type LinkProps, linkOptions, useLocation } from "@tanstack/react-router";
import LayoutDashboard from "lucide-react/icons/layout-dashboard";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type ReactNode, Suspense, useMemo, useRef, useState } from "react";
import { AnswerChart, hasNoRows, NoRows } from "../../analytics/answer-chart.tsx";
import { AnswerNotes } from "../../analytics/answer-notes.tsx";
import { AnswerTable } from "../../analytics/answer-table.tsx";
import { BinsTable } from "../../analytics/bins-table.tsx";
import { cellLinks } from "../../analytics/cell-links.ts";
import { askedQuery, type Chart, DEFAULT_LIMIT, measuresOf } from "../../analytics/chart.ts";
import { GroupColors, GroupColorsProvider } from "../../analytics/colors.ts";
import { ProjectPicker } from "../../analytics/project-picker.tsx";
import { analyticsQuery, schemaQuery } from "../../analytics/queries.ts";
import { QueryForm } from "../../analytics/query-form.tsx";
import { LONGEST_ADDRESS, toChart, toChartSearch } from "../../analytics/search.ts";
import { refusalOf } from "../../filtering/refusal.ts";
import { formatBytes, formatDuration } from "../../lib/format.ts";
import { useCan } from "../../lib/me.ts";
import { mayEdit as mayEditProject } from "../../lib/project-role.ts";
import { projectQuery } from "../../lib/projects.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { shownTimeZone, useTimeZone } from "../../lib/time.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { texts } from "../../texts/en.ts";
import { IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { CopyQuestionMenu } from "./copy-question-menu.tsx";
import { DownloadCsv } from "./download-csv.tsx";
import type { ExploreSearch } from "./search.ts";

const RowsTab = lazyPart(() => import("./rows-tab.tsx"), "RowsTab");
const SaveToDashboard = lazyPart(() => import("./save-to-dashboard.tsx"), "SaveToDashboard", { isOver: true });

const TEXTS = analyticsTexts.explore;
const HEIGHT = 300;
/** Of each chart where there are several. */
const EACH = 210;
const MOST_GROUPS = 100;

type Search = ExploreSearch & TimeRangeSearch;

export interface ExploreProps {
	/** Its name or id; undefined: about several. */
	readonly project: string | undefined;
	readonly search: Search;
	readonly change: (next: (before: Search) => Search, replace?: boolean) => void;
	readonly heading: ReactNode;
}

/** A question, its answer as a chart and as a table, and the rows themselves. */
export function Explore({ project, search, change, heading }: ExploreProps): ReactNode {
	useTimeZone();
	const zone = shownTimeZone();
	const inAddress = useMemo(() => toChart(search), [search]);
	// What was chosen last counts at once: a choice made before the address is drawn would take it back.
	const [ahead, setAhead] = useState<{ readonly of: Search; readonly chart: Chart }>();
	const chart = ahead?.of === search ? ahead.chart : inAddress;
	const query = useMemo(() => askedQuery(chart), [chart]);
	const schema = useQuery(schemaQuery);
	const { data, error, refetch, isPlaceholderData, isFetching } = useQuery(analyticsQuery(project, query, zone));
	const field = useRef<HTMLInputElement | null>(null);
	const put = (next: Chart, isSameStep = false) => {
		setAhead({ of: search, chart: next });
		change(({ tab }) => ({ ...toChartSearch(next), ...(tab ? { tab } : {}) }), isSameStep);
	};
	useShortcuts({
		title: TEXTS.title,
		shortcuts: [
			{ keys: ["/"], label: texts.shortcuts.search, run: () => field.current?.focus() },
			{ keys: ["r"], label: texts.shortcuts.refresh, run: () => void refetch() },
		],
	});
	const page = useRef<HTMLDivElement | null>(null);
	useShortcuts({
		title: TEXTS.charts,
		// The chart that has the focus takes them itself.
		within: page,
		shortcuts: [
			{ keys: ["ArrowLeft", "ArrowRight"], label: TEXTS.alongTime, run: () => false },
			{ keys: ["ArrowUp", "ArrowDown"], label: TEXTS.alongLines, run: () => false },
			{ keys: ["Enter"], label: TEXTS.openPoint, run: () => false },
		],
	});
	const [colors] = useState(() => new GroupColors());
	return (
		<GroupColorsProvider value={colors}>
			<div ref={page} className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
				<div className="flex flex-wrap items-center gap-3">
					{heading}
					<div className="ml-auto flex items-center gap-1">
						<IconButton label={TEXTS.refresh} shortcut="r" onClick={() => void refetch()}>
							<RefreshCw size={14} aria-hidden className={isFetching ? "motion-safe:animate-spin" : ""} />
						</IconButton>
						<SaveButton project={project} chart={chart} />
						<DownloadCsv question={{ project, query, zone }} />
						<CopyQuestionMenu question={{ project, query, zone }} />
					</div>
				</div>
				{project === undefined && (
					<div>
						<ProjectPicker
							projects={search.project ?? []}
							onChange={(projects) =>
								change(({ project: _project, ...rest }) =>
									projects.length > 0 ? { ...rest, project: [...projects] } : rest,
								)
							}
						/>
					</div>
				)}
				{schema.data ? (
					<QueryForm
						schema={schema.data}
						chart={chart}
						onChange={put}
						project={project}
						error={error}
						searchRef={field}
					/>
				) : schema.error ? (
					<ErrorState error={schema.error} onRetry={() => void schema.refetch()} />
				) : (
					<FormSkeleton />
				)}
				<LongAddress />
				{error && !isPlaceholderData && !data ? (
					<ErrorState error={error} onRetry={() => void refetch()} />
				) : data ? (
					<div className={classNames("flex flex-col gap-3", isPlaceholderData && "opacity-60")}>
						{error !== null && refusalOf(error, query.filter) === undefined && (
							<ErrorState error={error} onRetry={() => void refetch()} />
						)}
						<Answer {...{ project, search, change, chart, answer: data }} />
					</div>
				) : (
					<AnswerSkeleton />
				)}
			</div>
		</GroupColorsProvider>
	);
}

/** For those who may change dashboards there. */
function SaveButton({ project, chart }: { project: string | undefined; chart: Chart }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	const can = useCan();
	const { data } = useQuery({ ...projectQuery(project ?? ""), enabled: project !== undefined });
	const mayEdit = can("write") && (project === undefined || (data !== undefined && mayEditProject(data.own_role)));
	if (!mayEdit) return null;
	return (
		<>
			<IconButton label={analyticsTexts.save.action} onClick={() => setOpen(true)}>
				<LayoutDashboard size={14} aria-hidden />
			</IconButton>
			<Suspense>
				{isOpen && <SaveToDashboard project={project} chart={chart} onClose={() => setOpen(false)} />}
			</Suspense>
		</>
	);
}

function Answer({
	project,
	search,
	change,
	chart,
	answer,
}: Omit<ExploreProps, "heading"> & { chart: Chart; answer: Analytics }): ReactNode {
	const { query } = chart;
	const limit = query.limit ?? DEFAULT_LIMIT;
	const links = useMemo(
		() => cellLinks(answer, project, limit < MOST_GROUPS ? MORE_GROUPS : undefined),
		[answer, project, limit],
	);
	const { distribution } = answer;
	const hasGroups = (query.group_by?.length ?? 0) > 0;
	if (hasNoRows(answer, query)) return <NoRows of={answer.of} />;
	return (
		<>
			<AnswerNotes answer={answer} />
			{chart.kind !== "table" && (
				<AnswerChart
					answer={answer}
					chart={chart}
					links={links}
					project={project}
					height={Math.max(HEIGHT, EACH * measuresOf(query).length)}
					sync="explore"
					onZoom={(from, to) =>
						change((before) => ({
							...before,
							from: new Date(from).toISOString(),
							to: new Date(to).toISOString(),
						}))
					}
				/>
			)}
			<section aria-label={TEXTS.results} className="flex flex-col gap-2">
				<div className="flex items-center">
					<SegmentedControl<"groups" | "rows">
						label={TEXTS.results}
						value={search.tab ?? "groups"}
						onChange={(tab) => change(({ tab: _tab, ...rest }) => (tab === "rows" ? { ...rest, tab } : rest))}
						choices={[
							{ value: "groups", label: distribution ? TEXTS.bins : hasGroups ? TEXTS.groups : TEXTS.buckets },
							{ value: "rows", label: TEXTS.rows },
						]}
					/>
					<span className="ml-auto text-muted text-sm max-sm:hidden">
						{TEXTS.readFrom(TEXTS.source[answer.source], formatDuration(answer.took_ms))}
					</span>
				</div>
				{search.tab === "rows" ? (
					<Suspense fallback={<SkeletonRows />}>
						<RowsTab project={project} projects={query.project} answer={answer} query={query} />
					</Suspense>
				) : distribution === undefined ? (
					<AnswerTable
						answer={answer}
						links={links}
						sort={query.sort}
						onSort={(sort) => change((before) => ({ ...before, sort }))}
						hasColors={chart.kind === "time_series" || chart.kind === "bar"}
					/>
				) : (
					<BinsTable answer={answer} distribution={distribution} project={project} />
				)}
			</section>
		</>
	);
}

/** The same question with as many groups as a chart may have. */
const MORE_GROUPS = linkOptions({
	to: ".",
	search: (before: Record<string, unknown>) => ({ ...before, limit: MOST_GROUPS }),
}) as LinkProps;

/** The address has the whole state: where it is too long to be sent, the page says so. */
function LongAddress(): ReactNode {
	const { href } = useLocation();
	const { length } = `${location.origin}${href}`;
	if (length <= LONGEST_ADDRESS) return null;
	return (
		<p role="status" className="rounded bg-warn-soft px-3 py-1.5 text-warn">
			{TEXTS.tooLong(formatBytes(length))}
		</p>
	);
}

function FormSkeleton(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className="flex flex-col gap-2">
			<div className="flex gap-2">
				{["w-24", "w-40", "w-40"].map((width, index) => (
					<Skeleton key={index} className={`h-7 ${width}`} />
				))}
				<Skeleton className="h-7 max-w-2xl flex-1" />
			</div>
			<div className="flex gap-2">
				<Skeleton className="h-7 w-80" />
				<Skeleton className="h-7 w-40" />
				<Skeleton className="h-7 w-48" />
			</div>
		</div>
	);
}

function AnswerSkeleton(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className="flex flex-col gap-3">
			<Skeleton className="w-32" />
			<Skeleton className="h-[300px] w-full" />
			{Array.from({ length: 6 }, (_, index) => (
				<div key={index} className="flex h-8 items-center justify-between border-line border-b px-2">
					<Skeleton className="w-40" />
					<Skeleton className="w-16" />
				</div>
			))}
		</div>
	);
}
