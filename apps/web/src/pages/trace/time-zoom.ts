import type { TimeWindow } from "./waterfall.ts";

/** The shortest time that can be looked at, in microseconds: times are stored no finer. */
const SHORTEST_MICROS = 10;

/** The part of `whole` between two fractions of it, in any order; undefined for all of it. */
export function zoomTo(whole: TimeWindow, from: number, to: number): TimeWindow | undefined {
	const length = whole.endMicros - whole.startMicros;
	return within(
		whole,
		whole.startMicros + Math.min(from, to) * length,
		whole.startMicros + Math.max(from, to) * length,
	);
}

/** A window around a time span, with a tenth of its length on either side. */
export function zoomAround(whole: TimeWindow, { startMicros, endMicros }: TimeWindow): TimeWindow | undefined {
	const margin = Math.max(endMicros - startMicros, SHORTEST_MICROS) / 10;
	return within(whole, startMicros - margin, Math.max(endMicros, startMicros) + margin);
}

/** Shows a part that is `factor` as long and keeps the time at the fraction `at` of the window where it is. */
export function zoomBy(whole: TimeWindow, shown: TimeWindow, factor: number, at: number): TimeWindow | undefined {
	const length = shown.endMicros - shown.startMicros;
	const next = Math.max(length * factor, SHORTEST_MICROS);
	const fixed = shown.startMicros + at * length;
	return within(whole, fixed - at * next, fixed + (1 - at) * next);
}

/** The window moved by a fraction of `whole`, up to either end. */
export function pan(whole: TimeWindow, shown: TimeWindow, by: number): TimeWindow {
	const length = shown.endMicros - shown.startMicros;
	const wanted = shown.startMicros + by * (whole.endMicros - whole.startMicros);
	const startMicros = Math.max(whole.startMicros, Math.min(wanted, whole.endMicros - length));
	return { startMicros, endMicros: startMicros + length };
}

function within(whole: TimeWindow, from: number, to: number): TimeWindow | undefined {
	const middle = (from + to) / 2;
	const half = Math.max(to - from, SHORTEST_MICROS) / 2;
	const startMicros = Math.max(whole.startMicros, middle - half);
	const endMicros = Math.min(whole.endMicros, middle + half);
	const isAll = startMicros <= whole.startMicros && endMicros >= whole.endMicros;
	return isAll || endMicros <= startMicros ? undefined : { startMicros, endMicros };
}
