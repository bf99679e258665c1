import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { CHART_FONT, TIME_FORMATS } from "../../analytics/time-axis.ts";
import { themeColor } from "../../lib/theme.ts";
import { formatTime, useTimeZone } from "../../lib/time.ts";
import { useTheme } from "../../lib/use-theme.ts";

export interface ChartSeries {
	readonly label: string;
	/** One value per bucket; null without measurements. */
	readonly values: readonly (number | null)[];
	/** Name of a colour in styles.css. */
	readonly color: string;
	readonly dash?: readonly number[];
	readonly kind: "bars" | "line";
}

export interface TimeChartProps {
	/** Description for screen readers. */
	readonly label: string;
	/** Starts of the buckets, milliseconds. */
	readonly starts: readonly number[];
	readonly bucketMs: number;
	readonly series: readonly ChartSeries[];
	readonly format: (value: number) => string;
	/** Called with the time range that was selected by dragging, in milliseconds. */
	readonly onZoom: (from: number, to: number) => void;
	readonly height: number;
}

/** Synchronizes the cursors of all charts. */
const SYNC = uPlot.sync("overview");
/** A series over time on a canvas. */
export function TimeChart(props: TimeChartProps): ReactNode {
	const { label, starts, bucketMs, series, format, onZoom, height } = props;
	const box = useRef<HTMLDivElement>(null);
	const theme = useTheme();
	const [zone] = useTimeZone();
	const zoom = useEffectEvent(onZoom);
	useEffect(() => {
		const parent = box.current;
		if (!parent) return;
		const axis = {
			stroke: themeColor("muted"),
			font: CHART_FONT,
			grid: { stroke: themeColor("line"), width: 1 },
			ticks: { stroke: themeColor("line"), width: 1, size: 4 },
		};
		// A bar begins at the start of its bucket, so the range has to include the last bucket.
		const range: [number, number] = [(starts[0] ?? 0) / 1000, ((starts.at(-1) ?? 0) + bucketMs) / 1000];
		const options: uPlot.Options = {
			width: parent.clientWidth,
			height,
			tzDate: (seconds) =>
				zone === "utc" ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000),
			cursor: {
				sync: { key: SYNC.key, setSeries: false },
				drag: { x: true, y: false, setScale: false },
				points: { size: 6 },
			},
			scales: {
				x: { time: true, range: () => range },
				y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
			},
			axes: [
				{ ...axis, space: 70, values: TIME_FORMATS },
				{ ...axis, size: 72, space: 34, values: (_plot, splits) => splits.map((split) => format(split)) },
			],
			series: [
				{ value: (_plot, seconds: number | null) => (seconds === null ? "" : formatTime(seconds * 1000)) },
				...series.map((each) => toSeries(each, format)),
			],
			hooks: {
				setSelect: [
					(plot) => {
						if (plot.select.width < 4) return;
						const from = plot.posToVal(plot.select.left, "x") * 1000;
						const to = plot.posToVal(plot.select.left + plot.select.width, "x") * 1000;
						plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
						zoom(Math.floor(from / bucketMs) * bucketMs, Math.ceil(to / bucketMs) * bucketMs);
					},
				],
			},
		};
		const data: uPlot.AlignedData = [starts.map((start) => start / 1000), ...series.map((each) => [...each.values])];
		const plot = new uPlot(options, data, parent);
		const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height }));
		observer.observe(parent);
		return () => {
			observer.disconnect();
			plot.destroy();
		};
	}, [starts, bucketMs, series, format, height, theme, zone]);
	return <div ref={box} role="img" aria-label={label} className="time-chart min-w-0" />;
}

/** Indexes of values between two gaps, which no line connects; null where uPlot draws every point anyway. */
function lonePoints(plot: uPlot, index: number, showsAll: boolean): number[] | null {
	if (showsAll) return null;
	const values = plot.data[index] ?? [];
	const isGap = (at: number) => values[at] === null || values[at] === undefined;
	return Array.from(values.keys()).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
}

function toSeries(series: ChartSeries, format: (value: number) => string): uPlot.Series {
	const color = themeColor(series.color);
	return {
		label: series.label,
		stroke: color,
		width: series.kind === "bars" ? 0 : 1.5,
		...(series.dash ? { dash: [...series.dash] } : {}),
		...(series.kind === "bars" && uPlot.paths.bars
			? { fill: color, paths: uPlot.paths.bars({ size: [0.8, 40], align: 1 }) }
			: {}),
		points: { size: 5, fill: color, ...(series.kind === "bars" ? { show: false } : { filter: lonePoints }) },
		value: (_plot, value: number | null) => (value === null || value === undefined ? "–" : format(value)),
	};
}
