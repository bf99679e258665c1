import type { Condition, FilterTarget } from "@spanward/filter-language";
import type { ClientBase } from "pg";
import type { Conditions } from "../../filter/conditions.ts";

/** A row of a list: a span, trace or session by its row number. */
export interface CandidateRow {
	readonly id: number;
}

/** How a list finds the rows that a condition selects. */
export interface FilterPlan {
	/** All of these hold; each of one look at the row. Placeholders are `?`. */
	readonly quick: Conditions;
	/** Only these row numbers can match. */
	readonly rows?: readonly number[];
	/**
	 * Which of these rows, a chunk of the list, hold what takes other rows or content to tell.
	 * @throws ConditionTooSlow when the time for it is over
	 */
	readonly slow?: (rows: readonly CandidateRow[]) => Promise<ReadonlySet<number>>;
}

export async function planFilter(
	_client: ClientBase,
	query: { readonly projectId: number; readonly condition?: Condition },
	_target: FilterTarget,
): Promise<FilterPlan | undefined> {
	if (query.condition === undefined) return undefined;
	throw new Error("conditions are not compiled for PostgreSQL yet");
}
