import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { linkOptions } from "@tanstack/react-router";
import { type ReactNode, Suspense, useMemo, useRef } from "react";
import { AnswerChart } from "../../analytics/answer-chart.tsx";
import { AnswerNotes } from "../../analytics/answer-notes.tsx";
import { cellLinks } from "../../analytics/cell-links.ts";
import { type Chart, measuresOf } from "../../analytics/chart.ts";
import { toChartSearch } from "../../analytics/search.ts";
import { usePageVisible } from "../../lib/page-visible.ts";
import { shownTimeZone, useTimeZone } from "../../lib/time.ts";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { heightOf } from "./layouts.ts";
import { perTime } from "./per-time.ts";
import { widgetQuery } from "./queries.ts";
import { useNear } from "./use-near.ts";
import type { Widget } from "./widget-question.ts";

const MarkdownText = lazyPart(() => import("./markdown-text.tsx"), "MarkdownText");

/** Pixels of a widget that its chart does not have: the title, and room around. */
const FRAME = 52;
const LEGEND = 26;
const LEAST = 72;
const MOST_GROUPS = 100;

export interface WidgetBodyProps {
	readonly widget: Widget;
	/** What it asks here; a text asks nothing. */
	readonly chart: Chart;
	/** Its name or id; undefined across projects. */
	readonly project: string | undefined;
	/** Milliseconds; false: it is asked once. */
	readonly refresh: number | false;
	readonly onZoom: (from: number, to: number) => void;
}

/** What a widget shows. It is asked for once it is near the screen, and never while the tab is behind others. */
export function WidgetBody(props: WidgetBodyProps): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const { widget, chart } = props;
	const isNear = useNear(box);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its place is scrolled with the keyboard
		<div ref={box} tabIndex={0} className="min-h-0 flex-1 overflow-auto px-3 pb-2">
			{widget.kind === "text" ? (
				<Suspense fallback={<WidgetSkeleton />}>
					<MarkdownText text={widget.text ?? ""} />
				</Suspense>
			) : chart.query.project?.length === 0 ? (
				<EmptyState className="py-4" title={TEXTS.widget.noProjects} text={TEXTS.widget.noProjectsText} />
			) : (
				<WidgetAnswer {...props} isNear={isNear} />
			)}
		</div>
	);
}

function WidgetAnswer({
	widget,
	chart,
	project,
	refresh,
	onZoom,
	isNear,
}: WidgetBodyProps & { isNear: boolean }): ReactNode {
	useTimeZone();
	const isVisible = usePageVisible();
	const query = useQuery({
		...widgetQuery(project, chart, shownTimeZone()),
		enabled: isNear && isVisible,
		refetchInterval: refresh,
	});
	const { data: answered, error, refetch, isPlaceholderData } = query;
	const { per } = widget.display;
	const data = useMemo(
		() => (answered === undefined || per === undefined || per === "bucket" ? answered : perTime(answered, per)),
		[answered, per],
	);
	const links = useMemo(
		() => (data === undefined ? undefined : cellLinks(data, project, othersLink(project, chart))),
		[data, project, chart],
	);
	if (data === undefined || links === undefined) {
		if (error === null) return <WidgetSkeleton />;
		return <ErrorState error={error} onRetry={() => void refetch()} />;
	}
	const isOfSeveral = (chart.query.group_by?.length ?? 0) > 0 || measuresOf(chart.query).length > 1;
	const legend = isOfSeveral && chart.display.legend !== false ? LEGEND : 0;
	return (
		<div className={classNames("flex flex-col gap-2", isPlaceholderData && "opacity-60")}>
			<AnswerNotes answer={data} />
			{error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
			<AnswerChart
				answer={data}
				chart={chart}
				links={links}
				project={project}
				height={Math.max(LEAST, heightOf(widget.layout) - FRAME - legend)}
				isTitled
				sync="dashboard"
				onZoom={onZoom}
			/>
		</div>
	);
}

/** The groups behind the others are shown in Explore. */
function othersLink(project: string | undefined, chart: Chart): LinkProps | undefined {
	const { limit } = chart.query;
	if (limit !== undefined && limit >= MOST_GROUPS) return undefined;
	return exploreLink(project, { ...chart, query: { ...chart.query, limit: MOST_GROUPS } });
}

export function exploreLink(project: string | undefined, chart: Chart): LinkProps {
	const search = toChartSearch(chart);
	return (
		project === undefined
			? linkOptions({ to: "/explore", search })
			: linkOptions({ to: "/p/$project/explore", params: { project }, search })
	) as LinkProps;
}

function WidgetSkeleton(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className="flex h-full flex-col gap-2 py-1">
			<Skeleton className="w-24" />
			<Skeleton className="min-h-8 w-full flex-1" />
		</div>
	);
}
