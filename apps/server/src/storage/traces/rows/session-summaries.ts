import type { SessionSummary } from "../trace-store.ts";

/** A row of `sessions`, with what its first and its last trace say. */
export interface SessionSummaryRow {
	readonly id: number;
	readonly project_id: number;
	readonly session_id: string;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	readonly trace_count: number;
	readonly span_count: number;
	readonly error_count: number;
	readonly tokens_prompt: number;
	readonly tokens_completion: number;
	readonly tokens_total: number;
	readonly cost_pico: number;
	readonly costed_spans: number;
	readonly user_id: string | null;
	readonly first_input: string | null;
	readonly last_output: string | null;
}

const PICO = 1e12;

export function toSessionSummary(row: SessionSummaryRow): SessionSummary {
	return {
		id: row.id,
		projectId: row.project_id,
		sessionId: row.session_id,
		userId: row.user_id,
		start: { micros: row.start_micros, nanos: row.start_nanos },
		end: { micros: row.end_micros, nanos: row.end_nanos },
		traceCount: row.trace_count,
		spanCount: row.span_count,
		errorCount: row.error_count,
		tokens: { prompt: row.tokens_prompt, completion: row.tokens_completion, total: row.tokens_total },
		totalCost: row.costed_spans === 0 ? null : row.cost_pico / PICO,
		firstInput: row.first_input,
		lastOutput: row.last_output,
	};
}
