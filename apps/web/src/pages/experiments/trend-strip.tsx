import type { Experiment } from "@spanward/client";
import { type ReactNode, useState } from "react";
import { formatCost, formatDuration, formatPercent } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { formatScore, metricNames, type Spread, spreadOf } from "./metrics.ts";

const TEXTS = dataTexts.experiments;
/** Fewest experiments for a line. */
const FEWEST = 2;
/** Most experiments in a line; the dots of more would overlap. */
const MOST = 60;
const MOST_METRICS = 6;
const WIDTH = 160;
const HEIGHT = 44;
const EDGE = 4;

interface Trend {
	readonly title: string;
	readonly read: (experiment: Experiment) => number | null;
	readonly readSpread?: (experiment: Experiment) => Spread | null;
	readonly format: (value: number) => string;
	/** Name of a colour in styles.css. */
	readonly color: string;
}

/** A small line chart per metric, over the experiments from the oldest to the newest. */
export function TrendStrip({ experiments }: { experiments: readonly Experiment[] }): ReactNode {
	const line = experiments.slice(0, MOST).toReversed();
	const trends = trendsOf(line).filter(({ read }) => line.filter((each) => read(each) !== null).length >= FEWEST);
	if (trends.length === 0) return null;
	return (
		<section
			aria-label={TEXTS.trend}
			className="flex shrink-0 gap-6 overflow-x-auto border-line border-b px-3 py-2 max-sm:gap-4"
		>
			{trends.map((trend) => (
				<TrendChart key={trend.title} trend={trend} experiments={line} />
			))}
		</section>
	);
}

function trendsOf(experiments: readonly Experiment[]): Trend[] {
	return [
		...metricNames(experiments)
			.slice(0, MOST_METRICS)
			.map(
				(name, index): Trend => ({
					title: name,
					read: ({ scores }) => scores[name]?.mean ?? null,
					readSpread: ({ scores }) => spreadOf(scores[name]),
					format: formatScore,
					color: `series-${(index % 6) + 1}`,
				}),
			),
		{
			title: TEXTS.column.latency,
			read: ({ average_latency_ms }) => average_latency_ms,
			format: formatDuration,
			color: "series-8",
		},
		{ title: TEXTS.column.cost, read: ({ total_cost }) => total_cost, format: formatCost, color: "series-8" },
		{
			title: TEXTS.column.errors,
			read: ({ error_rate }) => error_rate,
			format: formatPercent,
			color: "series-8",
		},
	];
}

interface Point {
	readonly name: string;
	readonly value: number;
	readonly spread: Spread | null;
	readonly x: number;
}

function TrendChart({ trend, experiments }: { trend: Trend; experiments: readonly Experiment[] }): ReactNode {
	const [shown, setShown] = useState<Point>();
	const step = (WIDTH - 2 * EDGE) / Math.max(1, experiments.length - 1);
	const points = experiments.flatMap((experiment, index): Point[] => {
		const value = trend.read(experiment);
		const spread = trend.readSpread?.(experiment) ?? null;
		return value === null ? [] : [{ name: experiment.name, value, spread, x: EDGE + index * step }];
	});
	const low = Math.min(0, ...points.map(({ value }) => value));
	const high = Math.max(...points.map(({ value, spread }) => spread?.high ?? value));
	const y = (value: number) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
	const last = points.at(-1);
	const named = shown ?? last;
	return (
		<figure className="w-40 shrink-0" onPointerLeave={() => setShown(undefined)}>
			<figcaption className="flex justify-between gap-2 text-sm">
				<span className="truncate text-muted" title={trend.title}>
					{trend.title}
				</span>
				<span>{named && trend.format(named.value)}</span>
			</figcaption>
			<svg
				role="img"
				aria-label={`${TEXTS.trendLabel(trend.title)}: ${points.map(({ value }) => trend.format(value)).join(", ")}`}
				viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
				className="block h-11 w-40"
			>
				<path d={`M0 ${y(low)}H${WIDTH}`} className="stroke-line" />
				<path
					d={points.map(({ x, value }, index) => `${index === 0 ? "M" : "L"}${x} ${y(value)}`).join("")}
					fill="none"
					stroke={`var(--${trend.color})`}
					strokeWidth={1.5}
				/>
				{points.map((point) => (
					<g key={point.x} stroke={`var(--${trend.color})`} fill={`var(--${trend.color})`}>
						{point.spread !== null && point.spread.high > point.spread.low && (
							<path d={`M${point.x} ${y(point.spread.low)}V${y(point.spread.high)}`} opacity={0.5} />
						)}
						<circle cx={point.x} cy={y(point.value)} r={point === named ? 3 : 2} stroke="none" />
						<rect
							x={point.x - Math.max(3, step / 2)}
							width={Math.max(6, step)}
							height={HEIGHT}
							fill="transparent"
							stroke="none"
							onPointerEnter={() => setShown(point)}
						>
							<title>{TEXTS.trendPoint(point.name, trend.format(point.value))}</title>
						</rect>
					</g>
				))}
			</svg>
		</figure>
	);
}
