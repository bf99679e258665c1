import type { Rollup } from "#storage/traces/totals/rollup.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import { rollupColumns } from "#storage/traces/totals/trace-row-columns.ts";
import type { TracePlace, TraceRow } from "../tables.ts";
import type { ChosenTexts } from "./text-chooser.ts";

/** What the row of a trace is made of. */
export interface SummedTrace {
	readonly place: Pick<TracePlace, "project_id" | "trace_id" | "id">;
	/** Where the row lies: a start that the trace has had, and none before its first span. */
	readonly anchor: number;
	/** Of all spans of the trace, which are `nodes`. */
	readonly rollup: Rollup;
	readonly nodes: readonly SpanNode[];
	readonly texts: ChosenTexts;
	/** Of its session; null without one. */
	readonly sessionRowId: number | null;
	readonly written: Pick<TraceRow, "batch" | "version" | "reading">;
}

/** The row of a trace by all its spans. */
export function traceRow({ place, anchor, rollup, nodes, texts, sessionRowId, written }: SummedTrace): TraceRow {
	return {
		project_id: place.project_id,
		anchor_micros: anchor,
		trace_id: place.trace_id,
		id: place.id,
		session_row_id: sessionRowId,
		session_id: sessionOf(rollup),
		...rollupColumns(rollup),
		last_start_micros: nodes.reduce((last, node) => Math.max(last, node.startMicros), 0),
		input_span: texts.inputSpan,
		output_span: texts.outputSpan,
		first_input: texts.firstInput,
		last_output: texts.lastOutput,
		batch: written.batch,
		version: written.version,
		is_deleted: 0,
		reading: written.reading,
	};
}

/** The id of the session that a trace has by its spans. */
export function sessionOf(rollup: Rollup): string | null {
	return rollup.session?.sessionId ?? null;
}
