import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import {
	pageOfRanked,
	type RankedRow,
	rankByScore,
	SCORES,
	type ScoreRow,
	scoredBy,
} from "#storage/traces/lists/by-score.ts";
import type { ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Order, Page, ScoreSort } from "#storage/traces/trace-store.ts";

export interface ScoreQuery {
	readonly projectId: number;
	readonly sort: ScoreSort;
	readonly order: Order;
	readonly limit: number;
}

/**
 * A page of a list that is sorted by score.
 * @param list one page, from a position on, of those rows of the given numbers that pass the filters
 */
export function scanByScore<Row extends { readonly id: number }>(
	db: DatabaseSync,
	target: keyof typeof SCORES,
	query: ScoreQuery,
	after: Keyset | undefined,
	list: (rowIds: readonly number[], from: Keyset | undefined) => Page<Row>,
): ScannedPage<RankedRow<Row>> {
	const scores = listRows<ScoreRow>(db.prepare(SCORES[target]), ...scoredBy(query));
	const reading = pageOfRanked<Row>(rankByScore(scores, query.order, after), query.limit);
	for (let step = reading.next(); ; ) {
		if (step.done) return step.value;
		const rows: Row[] = [];
		let from: Keyset | undefined;
		do {
			const page = list(step.value, from);
			rows.push(...page.items);
			from = page.next;
		} while (from !== undefined);
		step = reading.next(rows);
	}
}
