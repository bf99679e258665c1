import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../lib/use-theme.ts";

/** How far the pointer may move between press and release of a click, in pixels. */
const STILL = 4;

export interface PlotUse {
	/** Makes the options for a width in pixels. It is called again, and drawn anew, for another `subject`. */
	readonly options: (width: number) => uPlot.Options;
	readonly data: () => uPlot.AlignedData;
	/** What is drawn: the same object while nothing changes. */
	readonly subject: unknown;
	readonly height: number;
	/** A click that was not the end of dragging. */
	readonly onPress: (plot: uPlot) => void;
}

/** Keeps a chart in an element, as wide as that is and in the colours of the theme. @returns the chart, once it is there */
export function usePlot(box: RefObject<HTMLElement | null>, use: PlotUse): RefObject<uPlot | null> {
	const { subject, height } = use;
	const plotted = useRef<uPlot | null>(null);
	const theme = useTheme();
	const make = useEffectEvent((parent: HTMLElement) => new uPlot(use.options(parent.clientWidth), use.data(), parent));
	const press = useEffectEvent((plot: uPlot) => use.onPress(plot));
	// Drawn anew for another subject or theme, which the options are made of.
	useEffect(() => {
		const parent = box.current;
		if (!parent) return;
		const plot = make(parent);
		plotted.current = plot;
		let pressedAt = 0;
		plot.over.addEventListener("mousedown", ({ clientX }) => {
			pressedAt = clientX;
		});
		plot.over.addEventListener("click", ({ clientX }) => {
			if (Math.abs(clientX - pressedAt) < STILL) press(plot);
		});
		const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height }));
		observer.observe(parent);
		return () => {
			observer.disconnect();
			plotted.current = null;
			plot.destroy();
		};
	}, [box, subject, height, theme]);
	return plotted;
}
