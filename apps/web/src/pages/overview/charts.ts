import type { MetricsPoint } from "@spanward/client";
import { formatCompact, formatCost, formatDuration } from "../../lib/format.ts";
import { type Series, totals } from "../../lib/metrics.ts";
import { texts } from "../../texts/en.ts";
import { overviewTexts } from "../../texts/overview-en.ts";
import { spanKind } from "../../ui/span-kind.tsx";
import type { OverviewSearch } from "./search.ts";
import type { ChartSeries } from "./time-chart.tsx";

type Points = readonly (MetricsPoint | undefined)[];
type Measure = (point: MetricsPoint | undefined) => number | null;

export interface Chart {
	readonly key: "count" | "errors" | "latency" | "tokens" | "cost";
	readonly title: string;
	readonly format: (value: number) => string;
	readonly series: readonly ChartSeries[];
}

/** A group with its points and its colour in all charts. */
export interface Group {
	/** Null for the other groups together, or for everything when the charts are not split. */
	readonly name: string | null;
	readonly label: string;
	readonly points: Points;
	readonly color: string;
	readonly isRest: boolean;
}

const MOST_GROUPS = 7;

/** The groups with the most spans, and the others merged into one. */
export function toGroups(series: Series, by: OverviewSearch["by"]): Group[] {
	if (!by) {
		const points = series.groups.get(null) ?? [];
		return [{ name: null, label: overviewTexts.total, points, color: "series-1", isRest: false }];
	}
	// The group without a value (spans without a model) is the least interesting, whatever its size.
	const sorted = [...series.groups].toSorted(
		([a, ofA], [b, ofB]) => Number(a === null) - Number(b === null) || totals(ofB).spans - totals(ofA).spans,
	);
	const shown: Group[] = sorted.slice(0, MOST_GROUPS).map(([name, points], index) => ({
		name,
		label: labelOf(name, by),
		points,
		color: `series-${index + 1}`,
		isRest: false,
	}));
	const others = sorted.slice(MOST_GROUPS).map(([, points]) => points);
	if (others.length === 0) return shown;
	const rest = series.starts.map((_, at) => sumPoints(others.map((points) => points[at])));
	return [
		...shown,
		{ name: null, label: overviewTexts.others(others.length), points: rest, color: "series-8", isRest: true },
	];
}

function labelOf(name: string | null, by: OverviewSearch["by"]): string {
	if (name === null) return overviewTexts.none;
	return by === "kind" ? texts.kind[spanKind(name)] : name;
}

function sumPoints(points: readonly (MetricsPoint | undefined)[]): MetricsPoint | undefined {
	const there = points.filter((point) => point !== undefined);
	const [first] = there;
	if (!first) return undefined;
	const sum = (read: (point: MetricsPoint) => number) => there.reduce((total, point) => total + read(point), 0);
	return {
		start_time: first.start_time,
		group: null,
		trace_count: sum((point) => point.trace_count),
		span_count: sum((point) => point.span_count),
		running_count: sum((point) => point.running_count),
		error_count: sum((point) => point.error_count),
		// Quantiles of groups cannot be combined.
		latency_ms: null,
		token_count_prompt: sum((point) => point.token_count_prompt),
		token_count_completion: sum((point) => point.token_count_completion),
		token_count_total: sum((point) => point.token_count_total),
		total_cost: sum((point) => point.total_cost),
	};
}

function measure(points: Points, read: Measure): (number | null)[] {
	return points.map((point) => read(point));
}

const SPANS: Measure = (point) => point?.span_count ?? 0;
const RUNNING: Measure = (point) => point?.running_count ?? 0;
const ERRORS: Measure = (point) => point?.error_count ?? 0;
const TOKENS: Measure = (point) => point?.token_count_total ?? 0;
const COST: Measure = (point) => point?.total_cost ?? 0;
const quantile =
	(name: "p50" | "p95" | "p99"): Measure =>
	(point) =>
		point?.latency_ms?.[name] ?? null;

const NAMES = overviewTexts.charts;

/** The charts of the page; split ones have a line per group, and show the 95th percentile of latency. */
export function toCharts(groups: readonly Group[], isSplit: boolean): Chart[] {
	const all = groups[0]?.points ?? [];
	const lines = (read: Measure): ChartSeries[] =>
		groups.map((group) => ({
			label: group.label,
			values: measure(group.points, read),
			color: group.color,
			kind: "line",
		}));
	const split = <T>(whole: T, byGroup: () => T): T => (isSplit ? byGroup() : whole);
	return [
		{
			key: "count",
			title: split(`${NAMES.spans}, ${NAMES.traces.toLowerCase()}`, () => NAMES.spans),
			format: formatCompact,
			series: split<ChartSeries[]>(
				[
					{ label: NAMES.spans, values: measure(all, SPANS), color: "series-1", kind: "bars" },
					{
						label: NAMES.traces,
						values: measure(all, (point) => point?.trace_count ?? 0),
						color: "series-2",
						kind: "line",
					},
					...(all.some((point) => point && point.running_count > 0)
						? [{ label: NAMES.running, values: measure(all, RUNNING), color: "series-3", kind: "line" } as const]
						: []),
				],
				() => lines(SPANS),
			),
		},
		{
			key: "errors",
			title: NAMES.errors,
			format: formatCompact,
			series: split<ChartSeries[]>(
				[{ label: NAMES.errors, values: measure(all, ERRORS), color: "danger", kind: "bars" }],
				() => lines(ERRORS),
			),
		},
		{
			key: "latency",
			title: split(NAMES.latency, () => overviewTexts.latencyOf("p95")),
			format: formatDuration,
			series: split<ChartSeries[]>(
				[
					{ label: "p50", values: measure(all, quantile("p50")), color: "series-1", kind: "line" },
					{ label: "p95", values: measure(all, quantile("p95")), color: "series-2", kind: "line", dash: [6, 3] },
					{ label: "p99", values: measure(all, quantile("p99")), color: "series-3", kind: "line", dash: [2, 2] },
				],
				() => lines(quantile("p95")).filter((_, index) => !groups[index]?.isRest),
			),
		},
		{
			key: "tokens",
			title: NAMES.tokens,
			format: formatCompact,
			series: split<ChartSeries[]>(
				[
					{
						label: overviewTexts.prompt,
						values: measure(all, (point) => point?.token_count_prompt ?? 0),
						color: "series-1",
						kind: "line",
					},
					{
						label: overviewTexts.completion,
						values: measure(all, (point) => point?.token_count_completion ?? 0),
						color: "series-2",
						kind: "line",
						dash: [6, 3],
					},
				],
				() => lines(TOKENS),
			),
		},
		{
			key: "cost",
			title: NAMES.cost,
			format: formatCost,
			series: split<ChartSeries[]>(
				[{ label: NAMES.cost, values: measure(all, COST), color: "series-4", kind: "bars" }],
				() => lines(COST),
			),
		},
	];
}
