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
import { type Queryable, query as run } from "./query.ts";

/**
 * A page of a list that is sorted by score.
 * @param list one page of those of the wanted rows that pass the filters
 */
export async function scanByScore<Row extends { readonly id: number }>(
	client: Queryable,
	target: keyof typeof SCORES,
	query: ScoreQuery,
	after: Keyset | undefined,
	list: (wanted: RowsWanted) => Promise<Page<Row>>,
): Promise<ScannedPage<RankedRow<Row>>> {
	const scores = await run<ScoreRow>(client, SCORES[target], scoredBy(query));
	const reading = pageByScore<Row>(scores, query, after);
	let step = reading.next();
	while (!step.done) step = reading.next(await list(step.value));
	return step.value;
}
