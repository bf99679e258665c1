import { type TextSpans, type TextsBySpan, textsOfRow } from "../content/shown-texts.ts";
import { spanTotals, type TotalsColumns } from "../totals/totals-columns.ts";
import type { SessionSummary } from "../trace-store.ts";
import { endOf } from "./times.ts";

/** A row of `sessions`, with columns of its first trace, and the span of its last output. */
export interface SessionSummaryRow extends TotalsColumns, TextSpans {
	readonly id: number;
	readonly project_id: number;
	readonly session_id: string;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	readonly trace_count: number;
	readonly user_id: string | null;
}

export function toSessionSummary(row: SessionSummaryRow, texts: TextsBySpan): SessionSummary {
	return {
		id: row.id,
		projectId: row.project_id,
		sessionId: row.session_id,
		userId: row.user_id,
		start: { micros: row.start_micros, nanos: row.start_nanos },
		end: endOf(row),
		traceCount: row.trace_count,
		...spanTotals(row),
		...textsOfRow(row, texts),
	};
}
