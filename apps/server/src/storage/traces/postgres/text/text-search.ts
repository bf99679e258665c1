import type { FilterTarget } from "@spanward/filter-language";
import type { ClientBase } from "pg";
import type { CandidateRow } from "../filter/plan.ts";

/** How a list finds the rows that have all words of a text. */
export interface TextSearch {
	/** Only these row numbers can match. */
	readonly rows?: readonly number[];
	/** Which of these rows, a chunk of the list, have the words; absent when all of `rows` do. */
	readonly matches?: (rows: readonly CandidateRow[]) => Promise<ReadonlySet<number>>;
}

export async function startTextSearch(
	_client: ClientBase,
	_projectId: number,
	_text: string,
	_target: FilterTarget,
): Promise<TextSearch> {
	throw new Error("texts are not searched in PostgreSQL yet");
}
