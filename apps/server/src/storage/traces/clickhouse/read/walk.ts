import { BUDGET_MS, type ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";

/** A part of a sorted list, in the unit of its sort key: from `from` on, before `to`. */
export interface Window {
	readonly from: number;
	readonly to: number;
}

export interface Walk<Row> {
	readonly order: Order;
	readonly limit: number;
	/** The smallest and the largest key that any row has; undefined when there is none. */
	readonly edges: Window | undefined;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	/** The width of the first window. */
	readonly width: number;
	/** The first `limit` rows of a window after the position, in the list's order. */
	readonly read: (window: Window, after: Keyset | undefined, limit: number) => Promise<readonly Row[]>;
	/** What is left of the rows read; absent when all are. */
	readonly keep?: ((rows: readonly Row[]) => Promise<readonly Row[]>) | undefined;
	readonly keyOf: (row: Row) => Keyset;
}

/** Of a list that is read without windows. */
export const WHOLE: Window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Windows become so much wider while they hold too few rows. */
const WIDER = 4;

/**
 * A page of a sorted list, read in windows that widen from its beginning on, so that a page of a long list reads little.
 * A list with a slow condition ends early with the position reached.
 */
export async function walk<Row>({
	order,
	limit,
	edges,
	after,
	width: firstWidth,
	read,
	keep,
	keyOf,
}: Walk<Row>): Promise<ScannedPage<Row>> {
	if (edges === undefined) return { rows: [] };
	const deadline = performance.now() + BUDGET_MS;
	const found: Row[] = [];
	let position = after;
	let width = firstWidth;
	let candidates = FIRST_CANDIDATES;
	const begin = after?.value ?? (order === "asc" ? edges.from : edges.to - 1);
	let edge = order === "asc" ? Math.max(begin, edges.from) : Math.min(begin, edges.to - 1) + 1;
	while (order === "asc" ? edge < edges.to : edge > edges.from) {
		const window =
			order === "asc"
				? { from: edge, to: Math.min(edge + width, edges.to) }
				: { from: Math.max(edge - width, edges.from), to: edge };
		const wanted = limit + 1 - found.length;
		const chunk = keep === undefined ? wanted : Math.max(wanted, candidates);
		const rows = await read(window, position, chunk);
		for (const row of (await keep?.(rows)) ?? rows) {
			found.push(row);
			if (found.length > limit) return { rows: found.slice(0, limit), following: row };
		}
		candidates = Math.min(candidates * WIDER, MOST_CANDIDATES);
		const last = rows.at(-1);
		if (rows.length === chunk && last !== undefined) {
			position = keyOf(last);
		} else {
			edge = order === "asc" ? window.to : window.from;
			width *= WIDER;
		}
		if (keep !== undefined && performance.now() > deadline) {
			const reached = rows.length === chunk && position !== undefined ? position : endOf(window, order);
			return { rows: found, stoppedAt: reached };
		}
	}
	return { rows: found };
}

/** Rows that are read at a time where a condition may leave few of them. */
const FIRST_CANDIDATES = 32;
const MOST_CANDIDATES = 1_000;

/** The last position of a window. */
function endOf({ from, to }: Window, order: Order): Keyset {
	return order === "asc" ? { value: to - 1, id: Number.MAX_SAFE_INTEGER - 1 } : { value: from, id: 0 };
}
