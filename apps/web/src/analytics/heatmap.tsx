import type { Analytics } from "@spanward/client";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import { formatInteger } from "../lib/format.ts";
import { themeColor } from "../lib/theme.ts";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { bucketTimes } from "./bucket-times.ts";
import { binLink, type Distribution } from "./distribution.ts";
import type { HistogramProps } from "./histogram.tsx";
import { formatNumberOf } from "./measures.ts";
import { type Drawing, plotOptions, pointedBucket } from "./plot.ts";
import { PlotFrame } from "./plot-frame.tsx";
import { usePlot } from "./use-plot.ts";

export interface HeatmapProps extends HistogramProps {
	/** Charts with the same name show the same moment under the pointer. */
	readonly sync: string;
	/** Called with a range in milliseconds that was selected by dragging. */
	readonly onZoom?: ((from: number, to: number) => void) | undefined;
}

interface PointedCell {
	readonly bucket: number;
	readonly bin: number;
	readonly left: number;
	readonly width: number;
}

/** How a number is spread in each bucket: the more rows in a cell, the stronger its colour. */
export function Heatmap({ answer, distribution, display, project, height, sync, onZoom }: HeatmapProps): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const [pointed, setPointed] = useState<PointedCell | undefined>();
	const [said, setSaid] = useState("");
	const navigate = useNavigate();
	const { bins, values, of } = distribution;
	const format = useMemo(() => formatNumberOf(of, display), [of, display]);
	const drawing = useMemo(() => drawingOf(answer, format), [answer, format]);
	const at = (plot: uPlot): PointedCell | undefined => {
		const { left = -1, top = -1 } = plot.cursor;
		const bucket = pointedBucket(plot);
		if (bucket === undefined || left < 0) return undefined;
		const bin = Math.max(0, Math.min(bins.length - 1, Math.floor(plot.posToVal(top, "y"))));
		return { bucket, bin, left: left + plot.over.offsetLeft, width: plot.width };
	};
	const open = (cell: PointedCell | undefined) => {
		if (!cell || !values[cell.bucket]?.[cell.bin]) return;
		const link = binLink(answer, project, cell.bin, cell.bucket);
		if (link) void navigate(link);
	};
	const plotted = usePlot(box, {
		subject: drawing,
		height,
		options: (width) =>
			heatmapOptions(drawing, distribution, {
				width,
				height,
				sync,
				onSelect: (from, to) => onZoom?.(from, to),
				onCursor: (plot) => {
					const isHere = plot.over.matches(":hover") || document.activeElement === box.current;
					setPointed(isHere ? at(plot) : undefined);
				},
			}),
		data: () => [drawing.times.drawn.map((start) => start / 1000), drawing.times.drawn.map(() => null)],
		onPress: (plot) => open(at(plot)),
	});
	const textOf = ({ bucket, bin }: Pick<PointedCell, "bucket" | "bin">) => {
		const count = formatInteger(values[bucket]?.[bin]);
		return TEXTS.bin(format(bins[bin]?.start ?? 0), format(bins[bin]?.end ?? 0), count);
	};
	return (
		<PlotFrame
			{...{ box, said, height }}
			label={TEXTS.distributionOf(of)}
			canOpen={pointed !== undefined}
			onMove={(sideways, up) => {
				const plot = plotted.current;
				const last = values.length - 1;
				if (!plot || last < 0) return;
				const bucket = Math.max(0, Math.min(last, pointed ? pointed.bucket + sideways : sideways < 0 ? last : 0));
				const bin = Math.max(0, Math.min(bins.length - 1, (pointed?.bin ?? 0) + up));
				const left = plot.valToPos((drawing.times.drawn[bucket] ?? 0) / 1000, "x") + 1;
				plot.setCursor({ left, top: plot.valToPos(bin + 0.5, "y") }, false);
				setPointed({ bucket, bin, left: left + plot.over.offsetLeft, width: plot.width });
				setSaid(TEXTS.point(formatTime(drawing.times.starts[bucket]), textOf({ bucket, bin })));
			}}
			onOpen={() => open(pointed)}
			onLeave={() => setPointed(undefined)}
		>
			{pointed && (
				<div
					aria-hidden
					data-chart-tooltip
					className="popup-surface pointer-events-none absolute top-1 z-20 px-2 py-1.5 text-sm"
					style={
						pointed.left > pointed.width / 2
							? { right: pointed.width - pointed.left + 12 }
							: { left: pointed.left + 12 }
					}
				>
					<p className="whitespace-nowrap text-muted">
						{formatTime(drawing.times.starts[pointed.bucket])} – {formatTime(drawing.times.ends[pointed.bucket])}
					</p>
					<p className="whitespace-nowrap">{textOf(pointed)}</p>
				</div>
			)}
		</PlotFrame>
	);
}

function drawingOf(answer: Analytics, format: Drawing["format"]): Drawing {
	return {
		times: bucketTimes(answer),
		lines: [],
		style: "bars",
		isStacked: false,
		isLog: false,
		thresholds: [],
		covered: answer.covered_start_time === null ? undefined : Date.parse(answer.covered_start_time),
		format,
		zone: answer.time_zone,
	};
}

/** The axes of a chart over time, with bins upwards, and cells instead of lines. */
function heatmapOptions(
	drawing: Drawing,
	{ bins, values }: Distribution,
	options: Parameters<typeof plotOptions>[1],
): uPlot.Options {
	const shared = plotOptions(drawing, options);
	const [time = {}, upwards = {}] = shared.axes ?? [];
	const most = Math.max(1, ...values.flatMap((counts) => counts ?? []));
	return {
		...shared,
		scales: { ...shared.scales, y: { range: () => [0, bins.length] } },
		axes: [
			time,
			{
				...upwards,
				grid: { show: false },
				incrs: [1, 2, 5, 10, 20, 50],
				values: (_plot, splits) =>
					splits.map((bin) => {
						const edge = bins[bin]?.start ?? bins[bin - 1]?.end;
						return edge === undefined ? "" : drawing.format(edge);
					}),
			},
		],
		series: [{}, { paths: () => null, points: { show: false } }],
		hooks: { ...shared.hooks, draw: [(plot) => drawCells(plot, drawing, values, most)] },
	};
}

function drawCells(plot: uPlot, { times }: Drawing, values: Distribution["values"], most: number): void {
	const { ctx } = plot;
	ctx.save();
	ctx.fillStyle = themeColor("accent");
	for (const [bucket, counts] of values.entries()) {
		if (counts === null) continue;
		const left = plot.valToPos((times.drawn[bucket] ?? 0) / 1000, "x", true);
		const right = plot.valToPos((times.drawn[bucket + 1] ?? times.drawnEnd) / 1000, "x", true);
		for (const [bin, count] of counts.entries()) {
			if (count === 0) continue;
			const top = plot.valToPos(bin + 1, "y", true);
			const bottom = plot.valToPos(bin, "y", true);
			// Few rows have to be seen beside many.
			ctx.globalAlpha = 0.12 + 0.88 * (Math.log1p(count) / Math.log1p(most));
			ctx.fillRect(left, top, Math.max(1, right - left - 1), Math.max(1, bottom - top - 1));
		}
	}
	ctx.restore();
}
