import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef } from "react";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { FilterChips } from "../../filtering/filter-chips.tsx";
import { type ChangeSearch, hasFilters, without } from "../../filtering/filter-values.ts";
import { nextListSearch } from "../../filtering/list-search.ts";
import { rowSeriesQuery } from "../../filtering/row-series.ts";
import { type Series, seriesQuery } from "../../lib/metrics.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { present } from "../../lib/search-params.ts";
import { formatTime } from "../../lib/time.ts";
import { BUCKET_MS, chartRange } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { overviewTexts } from "../../texts/overview-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { toCharts, toGroups } from "./charts.ts";
import type { OverviewSearch } from "./search.ts";
import { TimeChart } from "./time-chart.tsx";
import { TotalsTable } from "./totals-table.tsx";

const route = getRouteApi("/p/$project/overview");
const HEIGHT = 180;

export function OverviewPage(): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const { from, to, view } = search;
	const isFiltered = hasFilters(search);
	// Only the metrics of whole projects are split.
	const by = isFiltered ? undefined : search.by;
	const navigate = route.useNavigate();
	const { data: projectData } = useQuery(projectQuery(project));
	const range = chartRange({ ...(from ? { from } : {}), ...(to ? { to } : {}) });
	const ofProject = useQuery({ ...seriesQuery(project, range, by), enabled: !isFiltered });
	const ofRows = useQuery({ ...rowSeriesQuery(project, search, range), enabled: isFiltered });
	const { data, error, refetch } = isFiltered ? ofRows : ofProject;
	const field = useRef<HTMLInputElement | null>(null);
	const change: ChangeSearch<OverviewSearch> = (next, replace = false) =>
		void navigate({ search: (before) => next(before), replace });
	usePageTitle(overviewTexts.title, projectData?.name ?? project);
	const zoom = (start: number, end: number) => {
		void navigate({
			search: (before) => ({ ...before, from: new Date(start).toISOString(), to: new Date(end).toISOString() }),
		});
	};
	return (
		<div className="min-h-0 flex-1 overflow-auto p-4">
			<div className="mb-3 flex flex-wrap items-center gap-3">
				<h1 className="font-semibold text-xl">{overviewTexts.title}</h1>
				<FilterBar
					target={view === "spans" ? "span" : "trace"}
					label={texts.traces.search}
					search={search}
					onSearch={(typed, isSameStep) =>
						change(
							(before) => ({
								...without(before, ["q", "filter"]),
								...nextListSearch(present({ q: before.q, filter: before.filter }), typed),
							}),
							isSameStep,
						)
					}
					error={error}
					inputRef={field}
				/>
				<FilterChips search={search} change={change} />
				{!isFiltered && (
					<>
						<span className="text-muted">{overviewTexts.groupBy}</span>
						<SegmentedControl<NonNullable<OverviewSearch["by"]> | "none">
							label={overviewTexts.groupBy}
							value={by ?? "none"}
							onChange={(next) =>
								void navigate({
									search: ({ by: _by, ...before }) => (next === "none" ? before : { ...before, by: next }),
								})
							}
							choices={[
								{ value: "none", label: overviewTexts.groupNone },
								{ value: "model", label: overviewTexts.groupModel },
								{ value: "kind", label: overviewTexts.groupKind },
								{ value: "name", label: overviewTexts.groupName },
							]}
						/>
					</>
				)}
				<span className="ml-auto text-muted text-sm max-sm:hidden">{overviewTexts.zoomHint}</span>
			</div>
			{data?.readFrom !== undefined && (
				<p role="status" className="mb-3 text-muted">
					{texts.traces.strip.readFrom(formatTime(data.readFrom))}
				</p>
			)}
			{error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
			{!data && !error && <Loading />}
			{data && <Charts project={project} series={data} by={by} onZoom={zoom} />}
		</div>
	);
}

function Loading(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className="grid gap-6 lg:grid-cols-2">
			{["lg:col-span-2", "", "", "", ""].map((span, index) => (
				<div key={index} className={span}>
					<Skeleton className="mb-2 w-24" />
					<Skeleton className="h-[212px] w-full" />
				</div>
			))}
		</div>
	);
}

function Charts({
	project,
	series,
	by,
	onZoom,
}: {
	project: string;
	series: Series;
	by: OverviewSearch["by"];
	onZoom: (from: number, to: number) => void;
}): ReactNode {
	const groups = useMemo(() => toGroups(series, by), [series, by]);
	const charts = useMemo(() => toCharts(groups, by !== undefined), [groups, by]);
	if (groups.every((group) => group.points.every((point) => point === undefined))) {
		return <EmptyState title={overviewTexts.noData} />;
	}
	const first = series.starts[0];
	const last = series.starts.at(-1);
	return (
		<>
			<div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
				{charts.map((chart) => (
					<section
						key={chart.key}
						aria-label={chart.title}
						className={classNames("min-w-0", chart.key === "count" && "lg:col-span-2")}
					>
						<h2 className="mb-1 flex gap-2">
							<span className="font-semibold">{chart.title}</span>
							{chart.key !== "latency" && <span className="text-muted">{overviewTexts.perBucket[series.bucket]}</span>}
						</h2>
						<TimeChart
							label={overviewTexts.chartLabel(chart.title, formatTime(first), formatTime(last))}
							starts={series.starts}
							bucketMs={BUCKET_MS[series.bucket]}
							series={chart.series}
							format={chart.format}
							onZoom={onZoom}
							height={HEIGHT}
						/>
					</section>
				))}
			</div>
			<div className="mt-6 overflow-x-auto">
				<TotalsTable project={project} groups={groups} by={by} />
			</div>
		</>
	);
}
