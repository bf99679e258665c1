import type { Keyset, Order } from "#storage/traces/trace-store.ts";

/** The first of what several shards say is first. Rows of one shard stay as they are. */
export function firstOf<Row>(rows: readonly Row[], limit: number, compare: (a: Row, b: Row) => number): readonly Row[] {
	return rows.toSorted(compare).slice(0, limit);
}

/** Compares by the place in a list. */
export function byKey<Row>(order: Order, keyOf: (row: Row) => Keyset): (a: Row, b: Row) => number {
	const ascending = (a: Keyset, b: Keyset) => a.value - b.value || a.id - b.id;
	return order === "asc" ? (a, b) => ascending(keyOf(a), keyOf(b)) : (a, b) => ascending(keyOf(b), keyOf(a));
}
