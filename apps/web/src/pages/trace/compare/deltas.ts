import { formatCompact, formatCost, formatDuration, UNKNOWN } from "../../../lib/format.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import type { TraceSpan } from "../trace-span.ts";

/** A number on either side, and what the right one is more or less. */
export interface Numbers {
	readonly left: number | null;
	readonly right: number | null;
	readonly format: (value: number | null) => string;
}

/** The difference with its sign, `=` for none; the value itself where only one side has it. */
export function deltaText({ left, right, format }: Numbers): string {
	if (left === null && right === null) return "";
	if (left === null || right === null) return format(left ?? right);
	const delta = right - left;
	if (delta === 0) return "=";
	return `${delta > 0 ? "+" : "−"}${format(Math.abs(delta))}`;
}

/** Both values. */
export function fromTo({ left, right, format }: Numbers): string {
	return TEXTS.fromTo(left === null ? UNKNOWN : format(left), right === null ? UNKNOWN : format(right));
}

/** Milliseconds that an ended span took; null while it has no end. */
export function durationOf(span: TraceSpan | undefined): number | null {
	return span?.state === "ended" ? (span.endMicros - span.startMicros) / 1000 : null;
}

export function durations(left: TraceSpan | undefined, right: TraceSpan | undefined): Numbers {
	return { left: durationOf(left), right: durationOf(right), format: formatDuration };
}

export function tokens(left: TraceSpan | undefined, right: TraceSpan | undefined): Numbers {
	return { left: left?.tokens?.total ?? null, right: right?.tokens?.total ?? null, format: formatCompact };
}

export function costs(left: TraceSpan | undefined, right: TraceSpan | undefined): Numbers {
	return { left: left?.cost ?? null, right: right?.cost ?? null, format: formatCost };
}
