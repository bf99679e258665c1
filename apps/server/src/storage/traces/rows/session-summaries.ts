import { spanTotals, type TotalsColumns } from "../totals/totals-columns.ts";
import type { SessionSummary } from "../trace-store.ts";

/** A row of `sessions`, with columns of its first and last trace. */
export interface SessionSummaryRow extends TotalsColumns {
	readonly id: number;
	readonly project_id: number;
	readonly session_id: string;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	readonly trace_count: number;
	readonly user_id: string | null;
	readonly first_input: string | null;
	readonly last_output: string | null;
}

export function toSessionSummary(row: SessionSummaryRow): SessionSummary {
	return {
		id: row.id,
		projectId: row.project_id,
		sessionId: row.session_id,
		userId: row.user_id,
		start: { micros: row.start_micros, nanos: row.start_nanos },
		end: { micros: row.end_micros, nanos: row.end_nanos },
		traceCount: row.trace_count,
		...spanTotals(row),
		firstInput: row.first_input,
		lastOutput: row.last_output,
	};
}
