import type { FilterTarget } from "@spanward/filter-language";

/** More rows than this are no shorter a way than the list itself. */
export const MOST_ROWS = 20_000;
/** Not worth another index. */
const FEW_ROWS = 100;

/** The shortest list of those that indexes offer, each with all rows that can match. */
export class FewestRows {
	#rows: readonly number[] | undefined;

	/** Undefined while nothing was offered: every row can match. */
	get rows(): readonly number[] | undefined {
		return this.#rows;
	}

	get areFew(): boolean {
		return this.#rows !== undefined && this.#rows.length < FEW_ROWS;
	}

	/** @param rows undefined when they are too many */
	offer(rows: readonly number[] | undefined): void {
		if (rows !== undefined && (this.#rows === undefined || rows.length < this.#rows.length)) this.#rows = rows;
	}
}

/** By what is selected and what is annotated. */
const ROW_OF_ANNOTATION: Readonly<Record<string, string>> = {
	"span span": "target_row_id",
	"trace trace": "target_row_id",
	"session session": "target_row_id",
	"trace span": "trace_row_id",
	"session span": "(select session_row_id from traces where traces.id = annotations.trace_row_id)",
	"session trace": "(select session_row_id from traces where traces.id = annotations.target_row_id)",
};

/**
 * SQL for the number of the row of `target` that an annotation of `annotated` is about, from a row of `annotations`;
 * undefined where it is about many.
 */
export function annotatedRow(target: FilterTarget, annotated: FilterTarget): string | undefined {
	return ROW_OF_ANNOTATION[`${target} ${annotated}`];
}
