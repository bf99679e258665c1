import type { OpenedTrace } from "./totals/add-spans.ts";

/** A trace that a batch adds spans to, as far as it may have to be looked at for failures. */
export type MarkedTrace = Pick<OpenedTrace, "row" | "fresh" | "ended">;

/**
 * Whether a trace may have failures that it had not before. If not, a stored one may still turn out to be handed on by
 * the spans that came, or by their absence.
 */
export function mayHaveNewFailures({ fresh, ended }: Omit<MarkedTrace, "row">): boolean {
	return fresh.some((span) => span.mayHaveFailed) || ended.some(({ span }) => span.mayHaveFailed);
}

/** Traces to look at for failures, by row number. */
export interface TracesToMark {
	/** With spans that may have failed. */
	readonly failing: readonly number[];
	/** Others that have other spans than before, which matters where some have failed. */
	readonly changed: readonly number[];
}

/**
 * Random, so that a mark that was made anew differs from the one before it; below 2^48, of which each store keeps all
 * digits.
 */
export function newGeneration(): number {
	return Math.floor(Math.random() * 2 ** 48);
}

/** Traces of which spans were deleted: what they had failed by may be the failure of another one now. */
export function shrunk(rows: readonly { readonly id: number; readonly error_count: number }[]): TracesToMark {
	const { failing = [], changed = [] } = Object.groupBy(rows, ({ error_count }) =>
		error_count > 0 ? "failing" : "changed",
	);
	return { failing: failing.map(({ id }) => id), changed: changed.map(({ id }) => id) };
}
