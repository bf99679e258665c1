import { useState } from "react";
import { zoomAround, zoomBy } from "./time-zoom.ts";
import type { TraceSpan } from "./trace-span.ts";
import { shownTime, type TimeWindow } from "./waterfall.ts";

export interface TraceZoom {
	/** The part of the trace's time that is shown; undefined for all of it. */
	readonly shown: TimeWindow | undefined;
	readonly show: (part: TimeWindow | undefined) => void;
	readonly showAll: () => void;
	/** Shows the time of the selected span. */
	readonly showSpan: () => void;
	readonly zoomIn: () => void;
	readonly zoomOut: () => void;
}

const STEP = 0.5;

/** Which part of a trace's time the waterfall shows. Zooming keeps the selected span where it is drawn. */
export function useTraceZoom(whole: TimeWindow, selected: TraceSpan | undefined): TraceZoom {
	const [shown, show] = useState<TimeWindow>();
	const time = selected && shownTime(selected, whole);
	const zoom = (factor: number) => {
		const part = shown ?? whole;
		show(zoomBy(whole, part, factor, placeOf(time, part)));
	};
	return {
		shown,
		show,
		showAll: () => show(undefined),
		showSpan: () => time && show(zoomAround(whole, time)),
		zoomIn: () => zoom(STEP),
		zoomOut: () => zoom(1 / STEP),
	};
}

/** Where the middle of a span is drawn, as a fraction of a window; the window's middle when it is not in there. */
function placeOf(span: TimeWindow | undefined, part: TimeWindow): number {
	if (!span) return 0.5;
	const middle = (span.startMicros + Math.max(span.endMicros, span.startMicros)) / 2;
	const at = (middle - part.startMicros) / (part.endMicros - part.startMicros);
	return at >= 0 && at <= 1 ? at : 0.5;
}
