import type { FilterTarget } from "@spanward/filter-language";

/** With more rows than this the list itself is no slower. */
export const MOST_ROWS = 20_000;
/** With so few rows, trying another index is not worth it. */
const FEW_ROWS = 100;

/**
 * Collects the candidate rows that indexes offer, and keeps the shortest list. Each list has all rows that can match.
 */
export class FewestRows {
	#rows: readonly number[] | undefined;

	/** Undefined while every row can match. */
	get rows(): readonly number[] | undefined {
		return this.#rows;
	}

	get areFew(): boolean {
		return this.#rows !== undefined && this.#rows.length < FEW_ROWS;
	}

	/** @param rows undefined when there are too many */
	offer(rows: readonly number[] | undefined): void {
		if (rows !== undefined && (this.#rows === undefined || rows.length < this.#rows.length)) this.#rows = rows;
	}
}

/** Keys are the target and what is annotated. */
const ROW_OF_ANNOTATION: Readonly<Record<string, string>> = {
	"span span": "target_row_id",
	"trace trace": "target_row_id",
	"session session": "target_row_id",
	"trace span": "trace_row_id",
	"session span": "(select session_row_id from traces where traces.id = annotations.trace_row_id)",
	"session trace": "(select session_row_id from traces where traces.id = annotations.target_row_id)",
};

/**
 * SQL for the row number in `target` to which an annotation of `annotated` belongs, from a row of `annotations`;
 * undefined where it belongs to many rows.
 */
export function annotatedRow(target: FilterTarget, annotated: FilterTarget): string | undefined {
	return ROW_OF_ANNOTATION[`${target} ${annotated}`];
}
