import type { WriteResult } from "../span-batch.ts";

/** Traces that a transaction added or changed. */
export class TraceListChanges {
	readonly #byProject = new Map<number, Set<number>>();

	add(projectId: number, traceRowId: number): void {
		const rowIds = this.#byProject.get(projectId);
		if (rowIds === undefined) this.#byProject.set(projectId, new Set([traceRowId]));
		else rowIds.add(traceRowId);
	}

	list(): WriteResult["changes"] {
		return Array.from(this.#byProject, ([projectId, rowIds]) => ({ projectId, traceRowIds: [...rowIds] }));
	}
}
