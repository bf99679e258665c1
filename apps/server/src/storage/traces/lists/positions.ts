import type { Keyset, Order, Page, SpanQuery, TraceQuery } from "../trace-store.ts";

/** A sorted list is read in growing chunks of so many rows where a filter may leave few of them. */
export const FIRST_CHUNK = 2_000;
export const LARGEST_CHUNK = 100_000;
/** A search that finds little stops after this long and says where to go on. */
export const BUDGET_MS = 1_500;

/** What was found of a page. */
export interface ScannedPage<Row> {
	readonly rows: readonly Row[];
	/** The first row of the next page, when it was seen. */
	readonly following?: Row;
	/** Everything up to here was looked at; present when time ran out before the page was full. */
	readonly stoppedAt?: Keyset;
}

/** The first `limit` of the rows, one more of which may have been read to see whether there is more. */
export function pageOf<Row>(rows: readonly Row[], limit: number): ScannedPage<Row> {
	const following = rows[limit];
	return following === undefined ? { rows } : { rows: rows.slice(0, limit), following };
}

/** A page of spans or sessions: the list goes on at the next row. @param items of the rows of the page */
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

/** A page of traces: the list goes on after its last row. @param items of the rows of the page */
export function tracePage<Row extends Parameters<typeof traceKey>[1], Item>(
	{ rows, following, stoppedAt }: ScannedPage<Row>,
	items: readonly Item[],
	query: Pick<TraceQuery, "sort">,
): Page<Item> {
	if (stoppedAt !== undefined) return { items, more: true, next: toTraceKey(query, stoppedAt) };
	const last = rows.at(-1);
	if (following === undefined || last === undefined) return { items, more: false };
	return { items, more: true, next: traceKey(query, last) };
}

/** The position just before `position`, so that "at or after" becomes "strictly after". Row numbers are whole. */
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

/** Where a list of spans goes on with this row. */
export function spanKey(
	{ sort }: Pick<SpanQuery, "sort">,
	row: { readonly id: number; readonly start_micros: number },
): Keyset {
	return { value: sort === "id" ? row.id : row.start_micros, id: row.id };
}

/** The position of a row of `traces` as the wire has it: keysets of latencies carry milliseconds. */
export function traceKey(
	{ sort }: Pick<TraceQuery, "sort">,
	row: { readonly id: number; readonly start_micros: number; readonly end_micros: number },
): Keyset {
	return {
		value: sort === "latency_ms" ? (row.end_micros - row.start_micros) / 1_000 : row.start_micros,
		id: row.id,
	};
}

/** The position as tables have it, in microseconds. */
export function fromTraceKey({ sort }: Pick<TraceQuery, "sort">, { value, id }: Keyset): Keyset {
	return { value: sort === "latency_ms" ? Math.round(value * 1_000) : value, id };
}

/** The inverse of {@link fromTraceKey}. */
export function toTraceKey({ sort }: Pick<TraceQuery, "sort">, { value, id }: Keyset): Keyset {
	return { value: sort === "latency_ms" ? value / 1_000 : value, id };
}
