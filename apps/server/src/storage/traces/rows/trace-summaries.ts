import { type TextsBySpan, textsOfRow } from "../content/shown-texts.ts";
import { kindOf } from "../totals/span-kinds.ts";
import { toHex } from "../totals/span-node.ts";
import { spanTotals } from "../totals/totals-columns.ts";
import type { TraceRow } from "../totals/trace-row.ts";
import type { TraceSummary, TraceWithoutTexts } from "../trace-store.ts";
import { endOf } from "./times.ts";

/** The columns of `traces` that lists show, with the session id. */
export interface TraceSummaryRow extends TraceRow {
	readonly session_id: string | null;
}

export const TRACE_SUMMARY_COLUMNS = "traces.*, sessions.session_id as session_id";
export const TRACE_SUMMARY_JOINS = "left join sessions on sessions.id = traces.session_row_id";

/** A trace that is being deleted belongs to no project: its project number is negative. */
export const NOT_DETACHED = "traces.project_id > 0";

export function toTraceSummary(row: TraceSummaryRow, texts: TextsBySpan): TraceSummary {
	return { ...toTraceWithoutTexts(row), ...textsOfRow(row, texts) };
}

export function toTraceWithoutTexts(row: TraceSummaryRow): TraceWithoutTexts {
	return {
		id: row.id,
		projectId: row.project_id,
		traceId: toHex(row.trace_id),
		sessionRowId: row.session_row_id,
		sessionId: row.session_id,
		userId: row.user_id,
		release: row.release,
		environment: row.environment,
		start: { micros: row.start_micros, nanos: row.start_nanos },
		end: endOf(row),
		...spanTotals(row),
		rootName: row.root_name,
		rootSpanRowId: row.root_span,
		rootSpanId: toHex(row.root_span_id),
		rootStatusCode: row.root_status,
		rootKind: kindOf(row.root_kind),
	};
}
