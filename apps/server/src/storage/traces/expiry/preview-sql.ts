import { TRACE_SUMMARY_COLUMNS, TRACE_SUMMARY_JOINS } from "../rows/trace-summaries.ts";
import { CURSOR_COLUMNS } from "./expired-traces.ts";

/** The place of the trace after so many newer ones: takes the project, and their number. */
export const OLDEST_KEPT = `select start_micros, end_micros - start_micros as duration, id from traces
	where project_id = ? order by start_micros desc, end_micros - start_micros desc, id desc limit 1 offset ?`;

/** Row numbers of all traces that are annotated. */
export const ANNOTATED_TRACES = `
	select trace_row_id from annotations where trace_row_id is not null
	union
	select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
	where annotations.session_row_id is not null and annotations.target = 'session'`;

/** How many of the traces that would go are named. */
const NAMED = 10;

/** Summaries of the first traces that would go. @param going says of rows of `traces` whether they do */
export function firstGoing(going: string): string {
	return `select ${TRACE_SUMMARY_COLUMNS}
		from (select * from traces where ${going} order by ${CURSOR_COLUMNS} limit ${NAMED}) as traces
		${TRACE_SUMMARY_JOINS} order by traces.start_micros, traces.end_micros - traces.start_micros, traces.id`;
}

/** When the first of them started, or the last. */
export function endOfGoing(going: string, order: "asc" | "desc"): string {
	return `select start_micros from traces where ${going} order by start_micros ${order} limit 1`;
}
