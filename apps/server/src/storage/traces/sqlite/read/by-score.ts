import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import {
	pageByScore,
	type RankedRow,
	type RowsWanted,
	SCORES,
	type ScoreQuery,
	type ScoreRow,
	scoredBy,
} from "#storage/traces/lists/by-score.ts";
import type { ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Page } from "#storage/traces/trace-store.ts";

/**
 * A page of a list that is sorted by score.
 * @param list one page of those of the wanted rows that pass the filters
 */
export function scanByScore<Row extends { readonly id: number }>(
	db: DatabaseSync,
	target: keyof typeof SCORES,
	query: ScoreQuery,
	after: Keyset | undefined,
	list: (wanted: RowsWanted) => Page<Row>,
): ScannedPage<RankedRow<Row>> {
	const scores = listRows<ScoreRow>(db.prepare(SCORES[target]), ...scoredBy(query));
	const reading = pageByScore<Row>(scores, query, after);
	let step = reading.next();
	while (!step.done) step = reading.next(list(step.value));
	return step.value;
}
