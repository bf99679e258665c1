import { TRACE_SUMMARY_COLUMNS, TRACE_SUMMARY_JOINS } from "../rows/trace-summaries.ts";
import { CURSOR_COLUMNS } from "./expired-traces.ts";

/**
 * Selects the cursor of the trace that follows the newest ones. Parameters: the project, the number of newest traces.
 */
export const OLDEST_KEPT = `select start_micros, end_micros - start_micros as duration, id from traces
	where project_id = ? order by start_micros desc, end_micros - start_micros desc, id desc limit 1 offset ?`;

/** How many expired traces a preview shows. */
const NAMED = 10;

/** Selects summaries of the first expired traces. @param isExpired condition on rows of `traces` */
export function firstExpiredSql(isExpired: string): string {
	return `select ${TRACE_SUMMARY_COLUMNS}
		from (select * from traces where ${isExpired} order by ${CURSOR_COLUMNS} limit ${NAMED}) as traces
		${TRACE_SUMMARY_JOINS} order by traces.start_micros, traces.end_micros - traces.start_micros, traces.id`;
}

/** Selects when the first expired trace started, or the last. */
export function expiredEndSql(isExpired: string, order: "asc" | "desc"): string {
	return `select start_micros from traces where ${isExpired} order by start_micros ${order} limit 1`;
}
