import type { TraceRow } from "../tables.ts";

/** Where the row of a trace lies, which is found at once there; by its number alone each partition is looked into. */
export type RowPlace = Pick<TraceRow, "trace_id" | "project_id" | "anchor_micros">;

/** Some hundred bytes each. */
const MOST = 10_000;

/** Where rows of traces were found lately, by their numbers. They may have moved since. */
export class RecentPlaces {
	readonly #places = new Map<number, RowPlace>();

	/** Undefined where it is not known. */
	find(traceRowId: number): RowPlace | undefined {
		return this.#places.get(traceRowId);
	}

	note(rows: readonly (RowPlace & Pick<TraceRow, "id">)[]): void {
		for (const { id, trace_id, project_id, anchor_micros } of rows) {
			// The newest are last.
			this.#places.delete(id);
			this.#places.set(id, { trace_id, project_id, anchor_micros });
		}
		for (const id of this.#places.keys()) {
			if (this.#places.size <= MOST) return;
			this.#places.delete(id);
		}
	}
}
