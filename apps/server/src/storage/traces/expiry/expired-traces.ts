import type { RetentionRule } from "../trace-store.ts";

/**
 * A position in the traces of a project in the order of `traces_by_start`, unique even if several start together:
 * start, duration, row number.
 */
export type TraceCursor = readonly [startMicros: number, duration: number, id: number];

export const CURSOR_COLUMNS = "start_micros, end_micros - start_micros, id";
/**
 * The first condition is the one that the index can search; the second compares the whole cursor. Parameters: {@link
 * beforeCursorParams}.
 */
export const BEFORE_CURSOR = `start_micros <= ? and (${CURSOR_COLUMNS}) < (?, ?, ?)`;

export function beforeCursorParams(place: TraceCursor): number[] {
	return [place[0], ...place];
}

/** Before every trace. */
export const FIRST_CURSOR: TraceCursor = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0];

/** The traces of a project from one cursor to another. */
export interface ExpiredTraces {
	readonly projectId: number;
	readonly keepAnnotated: boolean;
	/** Traces up to and including this cursor have been handled. */
	readonly after: TraceCursor;
	/** Exclusive. */
	readonly before: TraceCursor;
}

/**
 * The cursor before which traces of the project are expired; undefined if none are.
 * @param oldestKept the cursor of the oldest of the `keepNewest` newest traces; undefined if there are fewer
 */
export function expiryOf(
	{ beforeMicros, keepNewest }: RetentionRule,
	oldestKept: TraceCursor | undefined,
): TraceCursor | undefined {
	const byAge: TraceCursor | undefined =
		beforeMicros === undefined ? undefined : [beforeMicros, Number.MIN_SAFE_INTEGER, 0];
	if (keepNewest === undefined || oldestKept === undefined) return byAge;
	return byAge === undefined || byAge[0] <= oldestKept[0] ? oldestKept : byAge;
}
