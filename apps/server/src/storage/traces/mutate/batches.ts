import type { TraceChange } from "../trace-store.ts";

/** About this many spans go in one transaction, so that writing waits only shortly. */
export const BATCH_SPANS = 2_000;

/** Rows of traces that one transaction looks at. */
export const BATCH_TRACES = 500;

/** What becomes of a session that its last trace leaves; `drop_unannotated` keeps what people have said of it. */
export type WhenEmpty = "keep" | "drop" | "drop_unannotated";

/** What one transaction of a longer piece of work did. */
export interface Step {
	/** There is nothing left to do. */
	readonly done: boolean;
	/** Spans or traces that this step deleted or moved. */
	readonly count: number;
	readonly changes: readonly TraceChange[];
}

export interface DeletionBatch<Row> {
	/** How many rows from the front. */
	readonly taken: number;
	/** Those that go with their spans at once. */
	readonly whole: readonly Row[];
	/**
	 * Very large ones, which are only detached: they no longer belong to a project or session, new spans of their id start a
	 * new trace, and what is left of them is taken apart later.
	 */
	readonly detached: readonly Row[];
}

/** As many traces from the front of `rows` as one transaction deletes; of one row at least one. */
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
