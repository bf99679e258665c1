import type { RetentionRule } from "../trace-store.ts";

/**
 * A place in the traces of a project in the order of `traces_by_start`, which tells apart also those that start together:
 * start, duration, row number.
 */
export type TracePlace = readonly [startMicros: number, duration: number, id: number];

export const TRACE_PLACE = "start_micros, end_micros - start_micros, id";
/** The index finds by the start alone; the whole place then counts exactly. Takes what {@link beforePlace} gives. */
export const BEFORE_PLACE = `start_micros <= ? and (${TRACE_PLACE}) < (?, ?, ?)`;

export function beforePlace(place: TracePlace): number[] {
	return [place[0], ...place];
}

/** Before every trace. */
export const FIRST_PLACE: TracePlace = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0];

/** Whether a row of `traces` is annotated, itself or in its session, spans or documents. */
export const IS_ANNOTATED = `(
	exists (select 1 from annotations where annotations.trace_row_id = traces.id)
	or exists (
		select 1 from annotations
		where annotations.session_row_id = traces.session_row_id and annotations.target = 'session'
	)
)`;

/** The traces of a project from one place up to another. */
export interface ExpiredTraces {
	readonly projectId: number;
	readonly keepAnnotated: boolean;
	/** Those up to here have been dealt with. */
	readonly after: TracePlace;
	/** Exclusive. */
	readonly before: TracePlace;
}

/**
 * The place before which traces of the project are expired; undefined when none is.
 * @param oldestKept the place of the last of the `keepNewest` traces that started last; undefined when there are fewer
 */
export function expiryOf(
	{ beforeMicros, keepNewest }: RetentionRule,
	oldestKept: TracePlace | undefined,
): TracePlace | undefined {
	const byAge: TracePlace | undefined =
		beforeMicros === undefined ? undefined : [beforeMicros, Number.MIN_SAFE_INTEGER, 0];
	if (keepNewest === undefined || oldestKept === undefined) return byAge;
	return byAge === undefined || byAge[0] <= oldestKept[0] ? oldestKept : byAge;
}
