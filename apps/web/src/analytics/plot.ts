import uPlot from "uplot";
import { themeColor } from "../lib/theme.ts";
import { type BucketTimes, bucketAt } from "./bucket-times.ts";
import type { ChartDisplay, Threshold } from "./chart.ts";
import { stack } from "./stacking.ts";
import { CHART_FONT, dateIn, TIME_FORMATS } from "./time-axis.ts";

type Values = readonly (number | null)[];

/** One line, area or row of bars. */
export interface ChartLine {
	/** Unique in its chart. */
	readonly key: string;
	readonly label: string;
	/** Name of a colour in styles.css. */
	readonly color: string;
	/** One a bucket; null where nothing is known. */
	readonly values: Values;
	/** Of the time before, bucket by bucket; drawn dashed. */
	readonly previous?: Values | undefined;
	/** Of the whole range. */
	readonly total: number | null;
}

/** What is drawn. */
export interface Drawing {
	readonly times: BucketTimes;
	readonly lines: readonly ChartLine[];
	readonly style: NonNullable<ChartDisplay["style"]>;
	readonly isStacked: boolean;
	readonly isLog: boolean;
	readonly thresholds: readonly Threshold[];
	/** Milliseconds since 1970; what is before was not read. Undefined when all was. */
	readonly covered: number | undefined;
	readonly format: (value: number) => string;
	readonly zone: string;
}

/** Heights of the lines in their order: in a stack, each on those before it. */
export function heightsOf({ lines, isStacked }: Drawing): readonly Values[] {
	const values = lines.map((line) => line.values);
	return isStacked ? stack(values) : values;
}

/** One series of the canvas. */
interface Drawn {
	readonly values: Values;
	readonly color: string;
	readonly isBefore: boolean;
}

/** From back to front: in a stack the highest first, as each hides the part of those behind it that is below it. */
function drawnSeries(drawing: Drawing): Drawn[] {
	const { lines, isStacked, isLog } = drawing;
	const positive = (values: Values) =>
		isLog ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
	const now = heightsOf(drawing).map((values, index) => ({
		values: positive(values),
		color: lines[index]?.color ?? "",
		isBefore: false,
	}));
	const before = lines.flatMap(({ previous, color }) => (previous === undefined ? [] : [{ previous, color }]));
	const together = stack(before.map(({ previous }) => previous)).at(-1);
	if (isStacked)
		return [
			...now.toReversed(),
			...(together === undefined ? [] : [{ values: positive(together), color: "muted", isBefore: true }]),
		];
	return [...now, ...before.map(({ previous, color }) => ({ values: positive(previous), color, isBefore: true }))];
}

export function plotData(drawing: Drawing): uPlot.AlignedData {
	return [
		drawing.times.drawn.map((start) => start / 1000),
		...drawnSeries(drawing).map(({ values }) => values.slice(0, drawing.times.drawn.length)),
	];
}

export interface PlotOptions {
	readonly width: number;
	readonly height: number;
	/** Charts with the same name show the same moment under the pointer. */
	readonly sync: string;
	/** Called with a range in milliseconds that was selected by dragging. */
	readonly onSelect: (from: number, to: number) => void;
	readonly onCursor: (plot: uPlot) => void;
}

export function plotOptions(drawing: Drawing, options: PlotOptions): uPlot.Options {
	const { times, isLog, format } = drawing;
	const axis = {
		stroke: themeColor("muted"),
		font: CHART_FONT,
		grid: { stroke: themeColor("line"), width: 1 },
		ticks: { stroke: themeColor("line"), width: 1, size: 4 },
	};
	const range: [number, number] = [(times.drawn[0] ?? 0) / 1000, times.drawnEnd / 1000];
	return {
		width: options.width,
		height: options.height,
		tzDate: dateIn(drawing.zone),
		legend: { show: false },
		cursor: {
			// Only the pointer is followed: what is selected in one chart is not in the others.
			sync: {
				key: options.sync,
				setSeries: false,
				filters: { pub: (type) => type !== "mousedown" && type !== "mouseup", sub: () => true },
			},
			drag: { x: true, y: false, setScale: false },
			points: { size: 6 },
			y: false,
			...(drawing.style === "bars"
				? { dataIdx: (_plot, _series, _nearest, time) => bucketAt(times, time * 1000) }
				: {}),
		},
		scales: { x: { time: true, range: () => range }, y: isLog ? { distr: 3 } : { range: linearRange(drawing) } },
		axes: [
			{ ...axis, space: 70, values: TIME_FORMATS },
			{
				...axis,
				size: (_plot, labels) => Math.max(34, ...(labels ?? []).map((label) => 14 + label.length * 6.2)),
				space: 34,
				values: (_plot, splits) => splits.map((split: number | null) => (split === null ? "" : format(split))),
			},
		],
		series: [{}, ...drawnSeries(drawing).map((drawn) => toSeries(drawn, drawing))],
		hooks: {
			drawAxes: [(plot) => hatch(plot, drawing.covered)],
			draw: [(plot) => drawThresholds(plot, drawing.thresholds)],
			setCursor: [options.onCursor],
			setSelect: [
				(plot) => {
					if (plot.select.width < 4) return;
					const from = plot.posToVal(plot.select.left, "x") * 1000;
					const to = plot.posToVal(plot.select.left + plot.select.width, "x") * 1000;
					plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
					options.onSelect(...toBuckets(times, from, to));
				},
			],
		},
	};
}

/** The bucket that the pointer is at. */
export function pointedBucket({ cursor }: uPlot): number | undefined {
	return cursor.idxs?.[0] ?? cursor.idx ?? undefined;
}

/** The range that whole buckets have which lie in a selection. */
export function toBuckets({ starts, ends, drawn, drawnEnd }: BucketTimes, from: number, to: number): [number, number] {
	const first = bucketAt({ drawn }, from);
	const last = Math.max(
		first,
		drawn.findLastIndex((start) => start < Math.min(to, drawnEnd)),
	);
	return [starts[first] ?? from, ends[last] ?? to];
}

function linearRange({ thresholds }: Drawing): uPlot.Scale.Range {
	const most = Math.max(0, ...thresholds.map(({ value }) => value));
	return (_plot, min, max) => {
		const [low, high] = [Math.min(0, min ?? 0), Math.max(most, max ?? 0)];
		return [low * 1.08, high > 0 ? high * 1.08 : low < 0 ? 0 : 1];
	};
}

function toSeries({ color: name, isBefore }: Drawn, { style, isStacked }: Drawing): uPlot.Series {
	const color = themeColor(name);
	if (isBefore) {
		const steps = style === "bars" && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
		return { stroke: color, width: 1.25, dash: [5, 4], points: { show: false }, alpha: 0.8, ...steps };
	}
	const points = { size: 5, fill: color, filter: lonePoints };
	if (style === "bars" && uPlot.paths.bars)
		return {
			stroke: color,
			fill: color,
			width: 0,
			paths: uPlot.paths.bars({ size: [0.85, 48], align: 1 }),
			points: { show: false },
		};
	if (style === "line") return { stroke: color, width: 1.5, points };
	// In a stack, what is in front has to hide what is behind.
	const fill = isStacked ? mixed(color, themeColor("canvas"), 0.55) : `color-mix(in srgb, ${color} 15%, transparent)`;
	return { stroke: color, width: 1.25, fill, points: isStacked ? { show: false } : points };
}

/** Indexes of values between two gaps, which no line connects; null where uPlot draws every point anyway. */
function lonePoints(plot: uPlot, index: number, showsAll: boolean): number[] | null {
	if (showsAll) return null;
	const values = plot.data[index] ?? [];
	const isGap = (at: number) => values[at] === null || values[at] === undefined;
	return Array.from(values.keys()).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
}

/** Lines across the part that was not read. */
function hatch(plot: uPlot, covered: number | undefined): void {
	if (covered === undefined) return;
	const { left, top, width, height } = plot.bbox;
	const end = Math.min(left + width, plot.valToPos(covered / 1000, "x", true));
	if (end <= left) return;
	const { ctx } = plot;
	ctx.save();
	ctx.beginPath();
	ctx.rect(left, top, end - left, height);
	ctx.clip();
	ctx.strokeStyle = themeColor("line-strong");
	ctx.lineWidth = 1;
	ctx.beginPath();
	for (let x = left - height; x < end; x += 8 * uPlot.pxRatio) {
		ctx.moveTo(x, top + height);
		ctx.lineTo(x + height, top);
	}
	ctx.stroke();
	ctx.restore();
}

function drawThresholds(plot: uPlot, thresholds: readonly Threshold[]): void {
	const { left, width } = plot.bbox;
	const { ctx } = plot;
	for (const { value, color } of thresholds) {
		const y = plot.valToPos(value, "y", true);
		ctx.save();
		ctx.strokeStyle = themeColor(color === "danger" ? "danger" : "warn");
		ctx.lineWidth = uPlot.pxRatio;
		ctx.setLineDash([8, 4]);
		ctx.beginPath();
		ctx.moveTo(left, y);
		ctx.lineTo(left + width, y);
		ctx.stroke();
		ctx.restore();
	}
}

/** Of two colours as #rrggbb or #rgb; the first one where one is written in another way. */
function mixed(a: string, b: string, share: number): string {
	const [of, and] = [partsOf(a), partsOf(b)];
	if (!of || !and) return a;
	const parts = of.map((part, index) =>
		Math.round(part * share + (and[index] ?? 0) * (1 - share))
			.toString(16)
			.padStart(2, "0"),
	);
	return `#${parts.join("")}`;
}

function partsOf(color: string): number[] | undefined {
	const digits = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(color)?.[1];
	if (digits === undefined) return undefined;
	const size = digits.length / 3;
	return [0, 1, 2].map((at) =>
		Number.parseInt(digits.slice(at * size, (at + 1) * size).repeat(size === 1 ? 2 : 1), 16),
	);
}
