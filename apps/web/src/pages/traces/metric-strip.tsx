import type { MetricsPoint } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { hasFilters } from "../../filtering/filter-values.ts";
import { rowSeriesQuery } from "../../filtering/row-series.ts";
import { formatCompact, formatCost, formatDuration, formatInteger } from "../../lib/format.ts";
import { seriesQuery, totals } from "../../lib/metrics.ts";
import { formatTime } from "../../lib/time.ts";
import { chartRange, rangeLabel, type TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import type { TracesSearch } from "./search.ts";

const NAMES = texts.traces.strip;

/** A line of sparklines above the list: metrics of what its time range and its filters leave. */
export function MetricStrip({
	project,
	search,
	range,
}: {
	project: string;
	search: TracesSearch;
	range: TimeRangeSearch;
}): ReactNode {
	const isFiltered = hasFilters(search);
	// All of a project's time is a week by default: its sums over years would hide what happens now.
	const isWider = !isFiltered && range.from === undefined && !range.to;
	const shown = isWider ? chartRange({}) : { ...range, from: range.from ?? "all" };
	const { view } = search;
	const ofProject = useQuery({ ...seriesQuery(project, shown), enabled: !isFiltered });
	const ofRows = useQuery({ ...rowSeriesQuery(project, search, shown), enabled: isFiltered });
	const { data, isError } = isFiltered ? ofRows : ofProject;
	if (isError && !data) return null;
	const points = data?.groups.get(null) ?? [];
	const sum = totals(points);
	const of = (read: (point: MetricsPoint) => number) => points.map((point) => (point ? read(point) : 0));
	const countsTraces = isFiltered && view !== "spans";
	const count = countsTraces ? sum.traces : sum.spans;
	const errors = of((point) => point.error_count);
	const p95 = of((point) => point.latency_ms?.p95 ?? 0);
	return (
		<section
			aria-label={rangeLabel(shown)}
			className="grid grid-cols-[auto_1fr_1fr_1fr_1fr] items-center gap-6 border-line border-b px-4 py-2 max-sm:hidden"
		>
			{/* Where the list reaches further back than the sparklines. */}
			<p className="max-w-40 text-muted text-sm">
				{isWider ? rangeLabel(shown) : data?.readFrom !== undefined && NAMES.readFrom(formatTime(data.readFrom))}
			</p>
			<Item
				name={countsTraces ? NAMES.traces : NAMES.spans}
				value={formatCompact(count)}
				title={formatInteger(count)}
				isLoading={!data}
			>
				{(label) => (
					<Sparkline label={label} values={of((point) => (countsTraces ? point.trace_count : point.span_count))} />
				)}
			</Item>
			<Item
				name={NAMES.errors}
				value={formatCompact(sum.errors)}
				title={formatInteger(sum.errors)}
				isLoading={!data}
				isDanger={sum.errors > 0}
			>
				{(label) => <Sparkline label={label} values={errors} errors={errors} />}
			</Item>
			<Item name={NAMES.latency} value={formatDuration(lastPositive(p95))} isLoading={!data}>
				{(label) => <Sparkline label={label} values={p95} kind="line" />}
			</Item>
			<Item
				name={NAMES.cost}
				value={sum.cost > 0 ? formatCost(sum.cost) : formatCompact(sum.tokens)}
				unit={sum.cost > 0 ? undefined : NAMES.tokens}
				isLoading={!data}
			>
				{(label) => (
					<Sparkline
						label={label}
						values={of((point) => (sum.cost > 0 ? point.total_cost : point.token_count_total))}
					/>
				)}
			</Item>
		</section>
	);
}

function lastPositive(values: readonly number[]): number | undefined {
	return values.findLast((value) => value > 0);
}

function Item({
	name,
	value,
	title,
	unit,
	isLoading,
	isDanger,
	children,
}: {
	name: string;
	value: string;
	title?: string;
	unit?: string | undefined;
	isLoading: boolean;
	isDanger?: boolean;
	children: (label: string) => ReactNode;
}): ReactNode {
	const shown = unit ?? name;
	return (
		<div className="flex min-w-0 items-end gap-3">
			<div className="w-16 shrink-0">
				<div className="truncate text-muted text-sm">{shown}</div>
				{isLoading ? (
					<Skeleton className="mt-1 w-10" />
				) : (
					<div title={title} className={classNames("truncate font-medium", isDanger && "text-danger")}>
						{value}
					</div>
				)}
			</div>
			<div className="h-6 min-w-0 flex-1">
				{isLoading ? <Skeleton className="h-6" /> : children(`${shown}: ${value}`)}
			</div>
		</div>
	);
}
