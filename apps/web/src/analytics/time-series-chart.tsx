import { type ReactNode, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import { UNKNOWN } from "../lib/format.ts";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { ChartTooltip, type Pointed } from "./chart-tooltip.tsx";
import { type Drawing, heightsOf, plotData, plotOptions, pointedBucket } from "./plot.ts";
import { PlotFrame } from "./plot-frame.tsx";
import { seriesAt } from "./stacking.ts";
import { usePlot } from "./use-plot.ts";

export interface TimeSeriesChartProps {
	/** Its name for screen readers. */
	readonly label: string;
	/** The same object while nothing in it changes: another one is drawn anew. */
	readonly drawing: Drawing;
	readonly height: number;
	/** Charts with the same name show the same moment under the pointer. */
	readonly sync: string;
	/** Called with a range in milliseconds that was selected by dragging. */
	readonly onZoom?: ((from: number, to: number) => void) | undefined;
	/** A point was pressed: indexes of its line and bucket. */
	readonly onOpen?: ((line: number, bucket: number) => void) | undefined;
}

/** Lines, areas or bars over time on a canvas; points are reached with the pointer and with arrow keys. */
export function TimeSeriesChart({ label, drawing, height, sync, onZoom, onOpen }: TimeSeriesChartProps): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const [pointed, setPointed] = useState<Pointed | undefined>();
	const [said, setSaid] = useState("");
	const heights = useMemo(() => heightsOf(drawing), [drawing]);
	const at = (plot: uPlot): Pointed | undefined => {
		const { left = -1, top = -1 } = plot.cursor;
		const bucket = pointedBucket(plot);
		if (bucket === undefined || left < 0) return undefined;
		const ofBucket = heights.map((values) => values[bucket] ?? null);
		const line = seriesAt(ofBucket, plot.posToVal(top, "y"), drawing.isStacked);
		return { bucket, line, left: left + plot.over.offsetLeft, width: plot.width };
	};
	const plotted = usePlot(box, {
		subject: drawing,
		height,
		options: (width) =>
			plotOptions(drawing, {
				width,
				height,
				sync,
				onSelect: (from, to) => onZoom?.(from, to),
				// Charts that only follow the pointer of another one have no tooltip.
				onCursor: (plot) => {
					const isHere = plot.over.matches(":hover") || document.activeElement === box.current;
					setPointed(isHere ? at(plot) : undefined);
				},
			}),
		data: () => plotData(drawing),
		onPress: (plot) => {
			const { line, bucket } = at(plot) ?? {};
			if (line !== undefined && bucket !== undefined) onOpen?.(line, bucket);
		},
	});
	const goTo = (bucket: number, line: number) => {
		const plot = plotted.current;
		const start = drawing.times.drawn[bucket];
		const shown = drawing.lines[line];
		if (!plot || start === undefined || !shown) return;
		const height = heights[line]?.[bucket];
		// Bars begin there.
		const left = plot.valToPos(start / 1000, "x") + (drawing.style === "bars" ? 1 : 0);
		plot.setCursor({ left, top: typeof height === "number" ? plot.valToPos(height, "y") : 0 }, false);
		setPointed({ bucket, line, left: left + plot.over.offsetLeft, width: plot.width });
		const value = shown.values[bucket];
		const text = typeof value === "number" ? drawing.format(value) : UNKNOWN;
		setSaid(TEXTS.point(formatTime(drawing.times.starts[bucket]), `${shown.label} ${text}`));
	};
	return (
		<PlotFrame
			{...{ box, label, said, height }}
			canOpen={onOpen !== undefined && pointed?.line !== undefined}
			onMove={(sideways, up) => {
				const last = drawing.times.starts.length - 1;
				const line = (pointed?.line ?? 0) + up;
				const bucket = pointed === undefined ? (sideways < 0 ? last : 0) : pointed.bucket + sideways;
				goTo(Math.max(0, Math.min(last, bucket)), Math.max(0, Math.min(drawing.lines.length - 1, line)));
			}}
			onOpen={() => pointed?.line !== undefined && onOpen?.(pointed.line, pointed.bucket)}
			onLeave={() => setPointed(undefined)}
		>
			{pointed && <ChartTooltip drawing={drawing} pointed={pointed} />}
		</PlotFrame>
	);
}
