import type { TraceSpan } from "./trace-span.ts";

/** The time that the waterfall shows, in microseconds since 1970. */
export interface TimeWindow {
	readonly startMicros: number;
	readonly endMicros: number;
}

/**
 * The window from the first start to the last end; at least one microsecond wide. While a span runs it lasts until now.
 * @param nowMicros microseconds since 1970
 */
export function traceWindow(spans: readonly TraceSpan[], nowMicros: number): TimeWindow {
	let startMicros = Number.POSITIVE_INFINITY;
	let endMicros = Number.NEGATIVE_INFINITY;
	for (const span of spans) {
		if (span.startMicros < startMicros) startMicros = span.startMicros;
		const end = Math.max(span.state === "running" ? nowMicros : span.endMicros, span.startMicros);
		if (end > endMicros) endMicros = end;
	}
	if (startMicros > endMicros) return { startMicros: 0, endMicros: 1 };
	return { startMicros, endMicros: Math.max(endMicros, startMicros + 1) };
}

/** The time that is drawn of a span: one without an end lasts as long as the window. */
export function shownTime({ state, startMicros, endMicros }: TraceSpan, window: TimeWindow): TimeWindow {
	return { startMicros, endMicros: state === "ended" ? endMicros : window.endMicros };
}

export interface Bar {
	/** Fractions of the window, 0–1. */
	readonly left: number;
	readonly width: number;
	/** Whether part of the span is outside the window. */
	readonly cut: boolean;
}

/** Where a span is drawn; undefined when it lies outside the window. An end before the start draws no width. */
export function barOf(span: TimeWindow, window: TimeWindow): Bar | undefined {
	const whole = window.endMicros - window.startMicros;
	const end = Math.max(span.endMicros, span.startMicros);
	if (end < window.startMicros || span.startMicros > window.endMicros) return undefined;
	const from = Math.max(span.startMicros, window.startMicros);
	const to = Math.min(end, window.endMicros);
	return {
		left: (from - window.startMicros) / whole,
		width: (to - from) / whole,
		cut: from !== span.startMicros || to !== end,
	};
}

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONG_STEPS = [
	...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
	...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
	...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/** The smallest round step that needs at most `count` ticks for a length. Microseconds. */
export function tickStep(lengthMicros: number, count: number): number {
	const least = Math.max(lengthMicros / Math.max(count, 1), 1);
	if (least > (LONG_STEPS[0] ?? SECOND)) {
		const step = LONG_STEPS.find((candidate) => candidate >= least);
		if (step) return step;
		return decimalStep(least / DAY) * DAY;
	}
	return decimalStep(least);
}

function decimalStep(least: number): number {
	const power = 10 ** Math.floor(Math.log10(least));
	const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * 0.999_999) ?? 10;
	return factor * power;
}

export interface Tick {
	/** Fraction of the window. */
	readonly at: number;
	/** Microseconds after the start of the trace. */
	readonly offsetMicros: number;
}

/** Ticks at round offsets from the start of the trace, at most `count` + 1. */
export function ticks(window: TimeWindow, traceStartMicros: number, count: number): Tick[] {
	const length = window.endMicros - window.startMicros;
	const step = tickStep(length, count);
	const from = window.startMicros - traceStartMicros;
	const found: Tick[] = [];
	for (let offset = Math.ceil(from / step) * step; offset <= from + length; offset += step)
		found.push({ at: (offset - from) / length, offsetMicros: offset });
	return found;
}

/** An offset on the axis with the unit that its step needs: `250 ms`, `1.5 s`, `2 m`. */
export function formatTick(offsetMicros: number, stepMicros: number): string {
	if (offsetMicros === 0) return "0";
	const [unit, size] = tickUnit(stepMicros, offsetMicros);
	const value = offsetMicros / size;
	return `${Number(value.toPrecision(6))} ${unit}`;
}

function tickUnit(stepMicros: number, offsetMicros: number): readonly [string, number] {
	if (stepMicros >= DAY) return ["d", DAY];
	if (stepMicros >= HOUR) return ["h", HOUR];
	if (stepMicros >= MINUTE) return ["m", MINUTE];
	if (stepMicros >= SECOND / 10 || Math.abs(offsetMicros) >= 10 * SECOND) return ["s", SECOND];
	if (stepMicros >= 100 || Math.abs(offsetMicros) >= 10_000) return ["ms", 1000];
	return ["µs", 1];
}
