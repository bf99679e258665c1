import type { Rollup } from "./rollup.ts";
import type { SpanNode } from "./span-node.ts";
import { TOTALS_COLUMNS, type TotalsColumns, totalsOfRow } from "./totals-columns.ts";
import type { ChosenTexts } from "./trace-texts.ts";

/** The columns of `traces` except the row number. */
export const TRACE_COLUMNS = [
	"project_id",
	"trace_id",
	"session_row_id",
	"session_span",
	"start_micros",
	"start_nanos",
	"end_micros",
	"end_nanos",
	...TOTALS_COLUMNS,
	"root_span",
	"root_span_id",
	"root_name",
	"root_kind",
	"root_status",
	"root_model",
	"user_span",
	"user_id",
	"input_span",
	"output_span",
	"release_span",
	"release",
	"environment_span",
	"environment",
] as const;

/** What a trace is known by. */
export interface TraceKey {
	readonly projectId: number;
	/** 32 hex digits. */
	readonly traceId: string;
}

/** A row of `traces`: sums over its spans, and what lists show. */
export interface TraceRow extends TotalsColumns {
	readonly id: number;
	readonly project_id: number;
	readonly trace_id: Uint8Array;
	readonly session_row_id: number | null;
	readonly session_span: number | null;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	readonly root_span: number;
	readonly root_span_id: Uint8Array;
	readonly root_name: string;
	readonly root_kind: number;
	readonly root_status: number;
	readonly root_model: string | null;
	readonly user_span: number | null;
	readonly user_id: string | null;
	readonly input_span: number | null;
	readonly output_span: number | null;
	readonly release_span: number | null;
	readonly release: string | null;
	readonly environment_span: number | null;
	readonly environment: string | null;
}

/** Values of `TRACE_COLUMNS`, followed by the row number. */
export function traceValues(row: TraceRow): (number | string | Uint8Array | null)[] {
	return [...TRACE_COLUMNS.map((column) => row[column]), row.id];
}

/** @param nodeById returns the spans to which the row refers */
export function rollupOfRow(row: TraceRow, nodeById: (id: number) => SpanNode): Rollup {
	return {
		...totalsOfRow(row),
		startMicros: row.start_micros,
		startNanos: row.start_nanos,
		endMicros: row.end_micros,
		endNanos: row.end_nanos,
		root: nodeById(row.root_span),
		user: row.user_span === null ? undefined : nodeById(row.user_span),
		session: row.session_span === null ? undefined : nodeById(row.session_span),
		release: row.release_span === null ? undefined : nodeById(row.release_span),
		environment: row.environment_span === null ? undefined : nodeById(row.environment_span),
	};
}

/** The row numbers of the spans that {@link rollupOfRow} needs, and of those whose texts the trace shows. */
export function spansOfRow(row: TraceRow): number[] {
	return [
		...[row.root_span, row.user_span, row.session_span, row.release_span, row.environment_span],
		...[row.input_span, row.output_span],
	].filter((id) => id !== null);
}

/** The spans whose texts the trace shows, and the root for which they were chosen. */
export function chosenOfRow(row: TraceRow): ChosenTexts {
	return {
		rootSpan: row.root_span,
		inputSpan: row.input_span,
		outputSpan: row.output_span,
	};
}
