import { present } from "#base/present.ts";
import type { SessionSummaryRow } from "../rows/session-summaries.ts";
import type { Keyset, Order, Page, SessionSort, SpanQuery, TraceSort } from "../trace-store.ts";
import { isByScore, SESSION_SORTS, type SortableSpan, SPAN_SORTS, sortValue, TRACE_SORTS } from "./sort-keys.ts";

/** When filters may leave few rows, a sorted list is read in growing chunks, beginning with this many rows. */
export const FIRST_CHUNK = 2_000;
export const LARGEST_CHUNK = 100_000;
/** A search that finds little stops after this time and returns where to continue. */
export const BUDGET_MS = 1_500;

/** The rows found for a page. */
export interface ScannedPage<Row> {
	readonly rows: readonly Row[];
	/** The first row of the next page, if it has been read. */
	readonly following?: Row;
	/** The last position searched; present when time ran out before the page was full. */
	readonly stoppedAt?: Keyset;
}

/** A sort of traces by one of their columns. */
interface ColumnSort {
	readonly sort: TraceSort;
	readonly order: Order;
}

/** The first `limit` rows; one more may have been read to see whether there is a next page. */
export function pageOf<Row>(rows: readonly Row[], limit: number): ScannedPage<Row> {
	const following = rows[limit];
	return following === undefined ? { rows } : { rows: rows.slice(0, limit), following };
}

/** A page of spans or sessions: the cursor is the next row. @param items of the rows of the page */
export function pageFrom<Row, Item>(
	{ following, stoppedAt }: ScannedPage<Row>,
	items: readonly Item[],
	order: Order,
	keyOf: (row: Row) => Keyset,
): Page<Item> {
	if (stoppedAt !== undefined) return { items, more: true, next: justAfter(stoppedAt, order) };
	if (following === undefined) return { items, more: false };
	return { items, more: true, next: keyOf(following) };
}

/** A page of traces: the cursor is the page's last row. @param items of the rows of the page */
export function tracePage<Row extends Parameters<typeof traceKey>[1], Item>(
	{ rows, following, stoppedAt }: ScannedPage<Row>,
	items: readonly Item[],
	query: ColumnSort,
): Page<Item> {
	if (stoppedAt !== undefined) return { items, more: true, next: toTraceKey(query, stoppedAt) };
	const last = rows.at(-1);
	if (following === undefined || last === undefined) return { items, more: false };
	return { items, more: true, next: traceKey(query, last) };
}

/** The position just before `position`, so that "at or after" becomes "strictly after". Row numbers are integers. */
export function before({ value, id }: Keyset, order: Order): Keyset {
	return { value, id: order === "asc" ? id - 1 : id + 1 };
}

export function justBefore(from: Keyset | undefined, order: Order): Keyset | undefined {
	return from === undefined ? undefined : before(from, order);
}

/** The first position strictly after `last`; it need not be that of a row. */
export function justAfter(last: Keyset, order: Order): Keyset {
	return { value: last.value, id: order === "asc" ? last.id + 1 : last.id - 1 };
}

/** The cursor of a list of spans that starts with this row. */
export function spanKey(
	{ sort, order }: Pick<SpanQuery, "sort" | "order">,
	row: SortableSpan & { readonly id: number },
): Keyset {
	if (isByScore(sort)) return { value: present(row.mean_score, "the score of a row in a list by score"), id: row.id };
	return { value: sort === "id" ? row.id : sortValue(SPAN_SORTS[sort], row, order), id: row.id };
}

/** The cursor of a list of sessions that starts with this row. */
export function sessionKey(
	{ sort, order }: { readonly sort: SessionSort; readonly order: Order },
	row: SessionSummaryRow,
): Keyset {
	return { value: sort === "id" ? row.id : sortValue(SESSION_SORTS[sort], row, order), id: row.id };
}

/** The position of a row of `traces` in wire units: keysets of latencies are in milliseconds. */
export function traceKey(
	query: ColumnSort,
	row: Parameters<(typeof TRACE_SORTS)["start_time"]["of"]>[0] & { readonly id: number },
): Keyset {
	return toTraceKey(query, { value: sortValue(TRACE_SORTS[query.sort], row, query.order), id: row.id });
}

/** Converts to the units of the tables, microseconds. */
export function fromTraceKey({ sort }: Pick<ColumnSort, "sort">, { value, id }: Keyset): Keyset {
	return { value: sort === "latency_ms" ? Math.round(value * 1_000) : value, id };
}

/** The inverse of {@link fromTraceKey}. */
export function toTraceKey({ sort }: Pick<ColumnSort, "sort">, { value, id }: Keyset): Keyset {
	return { value: sort === "latency_ms" ? value / 1_000 : value, id };
}
