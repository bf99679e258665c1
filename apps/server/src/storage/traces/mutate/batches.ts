import type { TraceChange } from "../trace-store.ts";

/** Approximate number of spans per transaction, so that writers wait only briefly. */
export const BATCH_SPANS = 2_000;

/** Rows of traces that one transaction reads. */
export const BATCH_TRACES = 500;

/** What to do with a session that becomes empty; `drop_unannotated` keeps annotated ones. */
export type WhenEmpty = "keep" | "drop" | "drop_unannotated";

/** The result of one transaction of a longer piece of work. */
export interface Step {
	/** Nothing is left to do. */
	readonly done: boolean;
	/** Spans or traces that this step deleted or moved. */
	readonly count: number;
	readonly changes: readonly TraceChange[];
}

export interface DeletionBatch<Row> {
	/** Number of rows used from the front. */
	readonly taken: number;
	/** Traces that are deleted with their spans at once. */
	readonly whole: readonly Row[];
	/**
	 * Very large traces, which are only detached: they no longer belong to a project or session, new spans of their id
	 * start a new trace, and their spans are deleted later.
	 */
	readonly detached: readonly Row[];
}

/** Takes traces from the front of `rows`, as many as one transaction deletes, at least one. */
export function takeBatch<Row extends { readonly span_count: number }>(rows: readonly Row[]): DeletionBatch<Row> {
	const whole: Row[] = [];
	const detached: Row[] = [];
	let spans = 0;
	let taken = 0;
	for (const row of rows) {
		if (taken > 0 && spans + row.span_count > BATCH_SPANS) break;
		if (row.span_count > BATCH_SPANS) detached.push(row);
		else {
			whole.push(row);
			spans += row.span_count;
		}
		taken += 1;
	}
	return { taken, whole, detached };
}

export function changesOf(rows: readonly { readonly id: number; readonly project_id: number }[]): TraceChange[] {
	return [...Map.groupBy(rows, (row) => row.project_id)].map(([projectId, group]) => ({
		projectId,
		traceRowIds: group.map((row) => row.id),
	}));
}
