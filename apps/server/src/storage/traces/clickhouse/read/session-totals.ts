import { READING } from "@spanward/semconv";
import { pickColumns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import { SESSIONS, TRACES, type TraceRow } from "../tables.ts";

export const SESSION_COLUMNS = {
	project_id: SESSIONS.columns.project_id,
	session_id: SESSIONS.columns.session_id,
	id: SESSIONS.columns.id,
	start_micros: types.Integer,
	start_nanos: types.UInt16,
	end_micros: types.Integer,
	end_nanos: types.UInt16,
	trace_count: types.Integer,
	...pickColumns(TRACES.columns, TOTALS_COLUMNS),
	user_id: TRACES.columns.user_id,
	/** Where the first trace lies, and the last one; 0 without any. */
	first_anchor: types.Integer,
	first_trace: TRACES.columns.trace_id,
	last_anchor: types.Integer,
	last_trace: TRACES.columns.trace_id,
	/** The lowest of its traces. */
	reading: TRACES.columns.reading,
} as const;

/** A session with the totals of its traces. */
export type SessionWithTotals = RowOf<typeof SESSION_COLUMNS> & {
	/** All of them, by start; absent where they were not read. */
	readonly traces?: readonly TraceRow[];
	/** Whether these have their texts. */
	readonly hasTexts?: boolean;
};

/** By which traces of a session are first and last. */
export const PLACE = "(start_micros, start_nanos, trace_id)";

/** Sums, first and last of the traces of each session. Texts are left out: they would be held of all sessions. */
function sumsOf({ where, ofProject, areFew }: TracesOfSessions): string {
	const sums = TOTALS_COLUMNS.map((column) => `sum(${column}) as ${column}_sum`);
	return `select session_row_id, toInt64(count()) as traces, ${sums.join(", ")},
			min((start_micros, start_nanos)) as started, max((end_micros, end_nanos)) as ended,
			argMin(tuple(user_id, anchor_micros, trace_id), ${PLACE}) as first,
			argMax(tuple(anchor_micros, trace_id), ${PLACE}) as last, min(reading) as lowest
		from traces final ${areFew ? `prewhere anchor_micros in (select anchor_micros from traces where ${ofProject} and ${where})` : ""}
		where ${ofProject} and ${where} group by session_row_id`;
}

/** Which traces the totals of sessions are those of. */
export interface TracesOfSessions {
	/** The conditions of being one, and of being in the project. */
	readonly where: string;
	readonly ofProject: string;
	/** Whether it is worth while to look for where they lie first. */
	readonly areFew: boolean;
}

/**
 * Rows of sessions with the totals of their traces; one without traces has the times that it had. For `selectByKey`.
 * @param sessions the condition of rows of sessions
 */
export function sessionsWithTotals(sessions: string, traces: TracesOfSessions): string {
	const has = "sums.traces > 0";
	return `select known.project_id as project_id, known.session_id as session_id, known.id as id,
		if(${has}, sums.started.1, known.start_micros) as start_micros,
		if(${has}, sums.started.2, known.start_nanos) as start_nanos,
		if(${has}, sums.ended.1, known.end_micros) as end_micros,
		if(${has}, sums.ended.2, known.end_nanos) as end_nanos,
		sums.traces as trace_count,
		${TOTALS_COLUMNS.map((column) => `sums.${column}_sum as ${column}`).join(", ")},
		sums.first.1 as user_id, sums.first.2 as first_anchor, sums.first.3 as first_trace,
		sums.last.1 as last_anchor, sums.last.2 as last_trace, if(${has}, sums.lowest, ${READING}) as reading
	from (select * from sessions final where ${sessions}) as known
		left join (${sumsOf(traces)}) as sums on sums.session_row_id = known.id`;
}
