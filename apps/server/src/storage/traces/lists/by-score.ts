import type { Keyset, Order, Page, ScoreSort } from "../trace-store.ts";
import { BUDGET_MS, justAfter, type ScannedPage } from "./positions.ts";
import { SCORE_PREFIX } from "./sort-keys.ts";

/** The most rows that are looked up at a time. */
const LARGEST_CHUNK = 1_000;

/** What a list that is sorted by score is asked for, besides its filters. */
export interface ScoreQuery {
	readonly projectId: number;
	readonly sort: ScoreSort;
	readonly order: Order;
	readonly limit: number;
}

/** The project and the name of the annotations that a list is sorted by. */
export function scoredBy({ projectId, sort }: ScoreQuery) {
	return [projectId, sort.slice(SCORE_PREFIX.length)] as const;
}

/** The score of an annotation, and the row that it counts for. */
export interface ScoreRow {
	readonly id: number;
	readonly score: number;
}

/** The annotated rows strictly after a position, by their mean scores. @param scores in order of the annotations */
function rankByScore(scores: readonly ScoreRow[], order: Order, after: Keyset | undefined): Keyset[] {
	const means = new Map<number, { sum: number; count: number }>();
	for (const { id, score } of scores) {
		const mean = means.get(id) ?? { sum: 0, count: 0 };
		means.set(id, { sum: mean.sum + score, count: mean.count + 1 });
	}
	const sign = order === "asc" ? 1 : -1;
	const compare = (a: Keyset, b: Keyset) => sign * (a.value - b.value || a.id - b.id);
	return [...means]
		.map(([id, { sum, count }]) => ({ value: sum / count, id }))
		.filter((position) => after === undefined || compare(position, after) > 0)
		.toSorted(compare);
}

/** A row with the position that it has in its list. */
export interface RankedRow<Row> {
	readonly row: Row;
	readonly position: Keyset;
}

/** Rows by their numbers, from a position of their list on. */
export interface RowsWanted {
	readonly rowIds: readonly number[];
	readonly from: Keyset | undefined;
}

/**
 * Reads a page of a list that is sorted by score: yields which rows it wants, and takes a page of those of them that
 * pass the filters.
 * @param scores in order of the annotations
 * @param after the position strictly after which the page begins
 */
export function* pageByScore<Row extends { readonly id: number }>(
	scores: readonly ScoreRow[],
	{ order, limit }: ScoreQuery,
	after: Keyset | undefined,
): Generator<RowsWanted, ScannedPage<RankedRow<Row>>, Page<Row>> {
	const ranked = rankByScore(scores, order, after);
	const deadline = performance.now() + BUDGET_MS;
	const found: RankedRow<Row>[] = [];
	for (let at = 0, size = limit + 1; at < ranked.length; at += size, size = Math.min(4 * size, LARGEST_CHUNK)) {
		const chunk = ranked.slice(at, at + size);
		const rows = new Map<number, Row>();
		const rowIds = chunk.map(({ id }) => id);
		let from: Keyset | undefined;
		do {
			const page: Page<Row> = yield { rowIds, from };
			for (const row of page.items) rows.set(row.id, row);
			from = page.next;
		} while (from !== undefined);
		for (const position of chunk) {
			const row = rows.get(position.id);
			if (row !== undefined) found.push({ row, position });
		}
		const following = found[limit];
		if (following !== undefined) return { rows: found.slice(0, limit), following };
		const last = chunk.at(-1);
		if (last !== undefined && at + size < ranked.length && performance.now() > deadline)
			return { rows: found, stoppedAt: last };
	}
	return { rows: found };
}

/** A page of ranked spans or sessions: the cursor is the next row. @param items of the rows of the page */
export function rankedFrom<Row, Item>(
	{ following, stoppedAt }: ScannedPage<RankedRow<Row>>,
	items: readonly Item[],
	order: Order,
): Page<Item> {
	const next = stoppedAt === undefined ? following?.position : justAfter(stoppedAt, order);
	return next === undefined ? { items, more: false } : { items, more: true, next };
}

/** A page of ranked traces: the cursor is the page's last row. @param items of the rows of the page */
export function rankedAfter<Row, Item>(
	{ rows, following, stoppedAt }: ScannedPage<RankedRow<Row>>,
	items: readonly Item[],
): Page<Item> {
	const next = stoppedAt ?? (following === undefined ? undefined : rows.at(-1)?.position);
	return next === undefined ? { items, more: false } : { items, more: true, next };
}

/**
 * The scores for a list, with `?` for the project and the name of {@link scoredBy}. A trace has its own and those of its
 * root span.
 */
export const SCORES: Readonly<Record<"trace" | "span" | "session", string>> = {
	trace: `select traces.id, score from annotations join traces on traces.id = annotations.trace_row_id
		where annotations.project_id = ? and target in ('trace', 'span') and annotations.name = ? and score is not null
			and (target = 'trace' or target_row_id = traces.root_span)
		order by annotations.id`,
	span: `select target_row_id as id, score from annotations
		where project_id = ? and target = 'span' and name = ? and score is not null order by annotations.id`,
	session: `select target_row_id as id, score from annotations
		where project_id = ? and target = 'session' and name = ? and score is not null order by annotations.id`,
};
