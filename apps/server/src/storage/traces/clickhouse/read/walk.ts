import { failureOf } from "#storage/clickhouse/failures.ts";
import { BUDGET_MS, type ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";
import { isOfBound, type Limits, type Range } from "./bounds.ts";

/** A part of a sorted list, in the unit of its sort key. */
export type Window = Range;

export interface Walk<Row> {
	readonly order: Order;
	readonly limit: number;
	/** The `performance.now()` at which the list was asked for. */
	readonly begun: number;
	/** All keys are in it; undefined when there is none. */
	readonly edges: Window | undefined;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	/** The next key that a row may have, from an edge on, which a window without rows asks for; undefined at the end. */
	readonly next?: ((edge: number, limits: Limits) => Promise<number | undefined>) | undefined;
	/** The width of the first window, infinite where the list is read as a whole, and of the narrowest. */
	readonly width: number;
	readonly least: number;
	/** Whether the page may end early with the position reached, as it has a condition that may be slow. */
	readonly isSlow: boolean;
	/** The first `limit` rows of a window after the position, in the list's order. */
	readonly read: (window: Window, after: Keyset | undefined, limit: number, limits: Limits) => Promise<readonly Row[]>;
	/** Of a window so many rows are read first, at least, where a condition may leave few of them. */
	readonly candidates?: number | undefined;
	/** What is left of the rows read, some after the other; absent when all are. */
	readonly keep?: ((rows: readonly Row[], limits: Limits) => AsyncIterable<Kept<Row>>) | undefined;
	readonly keyOf: (row: Row) => Keyset;
	/** Whether the list is sorted by row number, which is then the value of each key, too. */
	readonly isById?: boolean;
}

/** The next rows that were looked at. */
export interface Kept<Row> {
	readonly rows: readonly Row[];
	/** The last that was looked at. */
	readonly last: Row;
}

/** Of a list that is read without windows. */
export const AS_WHOLE = {
	edges: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
	width: Number.POSITIVE_INFINITY,
	least: Number.POSITIVE_INFINITY,
} as const;

/**
 * A page of a sorted list, read in windows that widen from its beginning on, so that a page of a long list reads little.
 * A window whose statement reaches a bound is read again in narrower ones. A list with a slow condition ends early with
 * the position reached.
 * @throws ClickHouseFailure when a statement reaches a bound in the narrowest window
 */
export async function walk<Row>(list: Walk<Row>): Promise<ScannedPage<Row>> {
	const { order, limit, edges, keep, keyOf } = list;
	if (edges === undefined) return { rows: [] };
	const pace = new Pace({ ...list, edges, hasCandidates: keep !== undefined });
	const found: Row[] = [];
	/** Rows of the window that has been begun, before which others were found. */
	let before = 0;
	let position = list.after;
	let edge = order === "asc" ? edges.from : edges.to;
	const isAtEnd = () => (order === "asc" ? edge >= edges.to : edge <= edges.from);
	for (;;) {
		edge = nearest(order, edge, position);
		if (isAtEnd()) return { rows: found };
		if (pace.isOver && pace.reached !== undefined) return { rows: found, stoppedAt: pace.reached };
		const window = pace.windowAt(edge);
		const chunk = pace.chunk(limit + 1 - found.length);
		const limits = pace.begin(window, chunk);
		try {
			const rows = await list.read(window, position, chunk, limits);
			for await (const { rows: kept, last } of keep?.(rows, limits) ?? allOf(rows)) {
				for (const row of kept) {
					found.push(row);
					if (found.length > limit) return { rows: found.slice(0, limit), following: row };
				}
				position = keyOf(last);
				pace.reach(position);
				if (pace.isOver) return { rows: found, stoppedAt: position };
			}
			if (rows.length === chunk) {
				pace.enlarge();
				continue;
			}
			edge = order === "asc" ? window.to : window.from;
			pace.reach(endOf(window, list));
			pace.widen({ found: found.length - before, left: limit + 1 - found.length });
			before = found.length;
			if (list.next === undefined || rows.length > 0 || !pace.mayJump || isAtEnd()) continue;
			const next = await list.next(edge, pace.limits());
			if (next === undefined) return { rows: found };
			const from = edge;
			edge = order === "asc" ? Math.max(edge, next) : Math.min(edge, next + 1);
			pace.jump(Math.abs(edge - from));
		} catch (error) {
			if (!isOfBound(error)) throw error;
			// What was reached has used up the time.
			const isLate = limits.until !== undefined && failureOf(error)?.kind === "too_slow";
			if (isLate && pace.reached !== undefined) return { rows: found, stoppedAt: pace.reached };
			pace.narrow(window, chunk, { error, isLate });
		}
	}
}

/** The edge of what is left of a list after a position. */
function nearest(order: Order, edge: number, position: Keyset | undefined): number {
	if (position === undefined) return edge;
	return order === "asc" ? Math.max(edge, position.value) : Math.min(edge, position.value + 1);
}

async function* allOf<Row>(rows: readonly Row[]): AsyncGenerator<Kept<Row>> {
	const last = rows.at(-1);
	if (last !== undefined) yield { rows, last };
}

/** Rows that are read at a time where a condition may leave few of them. */
const MOST_CANDIDATES = 1_000;
/** Windows, and chunks of rows, become so much larger while they hold too few. */
const WIDER = 4;
/** And so much smaller when a statement reaches a bound. */
const NARROWER = 16;
/** And so much larger after that. */
const WIDER_AGAIN = 2;
/** Of the time, for the first window. */
const FIRST_SHARE = 2 / 3;
/** Of what is left of it, for another one. */
const LAST_SHARE = 0.8;

type Paced = Pick<Walk<unknown>, "order" | "begun" | "width" | "least" | "isSlow" | "candidates"> & {
	readonly edges: Window;
	/** Whether a condition may leave few of the rows that are read. */
	readonly hasCandidates: boolean;
};

/** How wide the windows of a walk are, how many rows are read of them, and how long they may take. */
class Pace {
	/** Everything up to there was looked at. */
	reached: Keyset | undefined;
	readonly #list: Paced;
	readonly #deadline: number;
	#width: number;
	#candidates: number;
	#hasMetBound = false;
	/** Whether gaps may be jumped over. */
	mayJump = true;
	/** Whether the first window took too long. */
	#isPatient = false;
	/** Whether another window would take more time than is left. */
	#hasNoTime = false;
	#begun = 0;
	#last: { readonly width: number; readonly tookMs: number } | undefined;
	/** Whether the window cannot be narrower, and whether no fewer rows can be read of it, either. */
	#isNarrowest = false;
	#isSmallest = false;

	constructor(list: Paced) {
		this.#list = list;
		this.#deadline = list.begun + BUDGET_MS;
		this.#width = list.width;
		this.#candidates = list.candidates ?? 1;
	}

	/** The next window from an edge on. */
	windowAt(edge: number): Window {
		const { order, edges } = this.#list;
		if (this.#isWhole) return edges;
		if (order === "asc") return { from: edge, to: Math.min(edge + this.#width, edges.to) };
		return { from: Math.max(edge - this.#width, edges.from), to: edge };
	}

	/** Rows to read where so many are wanted. */
	chunk(wanted: number): number {
		return this.#list.hasCandidates ? Math.max(this.#hasMetBound ? 1 : wanted, this.#candidates) : wanted;
	}

	/** Begins a window, of which so many rows are read. */
	begin({ from, to }: Window, chunk: number): Limits {
		const { least, hasCandidates } = this.#list;
		this.#isNarrowest = this.#isWhole || to - from <= least;
		this.#isSmallest = this.#isNarrowest && (!hasCandidates || chunk <= 1);
		this.#begun = performance.now();
		return this.limits();
	}

	limits(): Limits {
		if (!this.#list.isSlow) return {};
		if (this.reached !== undefined) return { until: this.#deadline };
		// Something has to be looked at: where the first window is too much, a narrower one, in the time that it takes.
		const now = performance.now();
		const left = FIRST_SHARE * (this.#deadline - now);
		return this.#isSmallest || this.#isWhole || this.#isPatient || left <= 0 ? {} : { until: now + left };
	}

	get #isWhole(): boolean {
		return this.#width === Number.POSITIVE_INFINITY;
	}

	reach(position: Keyset): void {
		this.reached = position;
	}

	get isOver(): boolean {
		return this.#list.isSlow && (this.#hasNoTime || performance.now() >= this.#deadline);
	}

	/** After a window: the next one takes no longer than there is time, and is no wider than the rows that are left need. */
	widen({ found, left }: { readonly found: number; readonly left: number }): void {
		const wider = Math.min(this.#list.isSlow ? this.#fitting() : this.#wider, this.#needed(found, left));
		this.#width = Math.max(this.#list.least, Math.ceil(this.#width * wider));
		this.enlarge();
	}

	/** How much wider a window is that has so many rows, and some more by chance, if they lie as those found in the last one. */
	#needed(found: number, left: number): number {
		if (found === 0) return Number.POSITIVE_INFINITY;
		return Math.max(1 / WIDER, (left + 2 * Math.sqrt(left) + 2) / found);
	}

	/** How much wider the next window is: what it takes is expected to grow as it did from the last one to this one. */
	#fitting(): number {
		const now = performance.now();
		const [left, tookMs, width, last] = [
			LAST_SHARE * (this.#deadline - now),
			now - this.#begun,
			this.#width,
			this.#last,
		];
		this.#last = { width, tookMs };
		const slope = last === undefined || width <= last.width ? 0 : (tookMs - last.tookMs) / (width - last.width);
		// What a statement takes whatever its window is no reason for narrow ones.
		const fitting = slope <= 0 ? (tookMs > left ? 0 : WIDER) : 1 + (left - tookMs) / (slope * width);
		this.#hasNoTime = fitting < 1 / WIDER;
		return Math.min(this.#wider, Math.max(1 / WIDER, fitting));
	}

	/** After a gap of the list; where rows are everywhere, and a condition leaves none, looking for gaps is of no use. */
	jump(distance: number): void {
		if (distance < this.#width) this.mayJump = false;
		else this.#width = this.#list.width;
	}

	/** After a chunk that was full. */
	enlarge(): void {
		this.#candidates = Math.min(this.#candidates * this.#wider, MOST_CANDIDATES);
	}

	get #wider(): number {
		return this.#hasMetBound ? WIDER_AGAIN : WIDER;
	}

	/**
	 * After a bound was reached.
	 * @param isLate whether it was that of the list's time
	 * @throws the error when the window, and the chunk of its rows, was the smallest
	 */
	narrow(
		{ from, to }: Window,
		chunk: number,
		{ error, isLate }: { readonly error: Error; readonly isLate: boolean },
	): void {
		if (this.#isSmallest) throw error;
		if (!this.#isNarrowest) this.#width = Math.max(this.#list.least, Math.floor((to - from) / NARROWER));
		this.#candidates = Math.max(1, Math.floor(chunk / NARROWER));
		if (isLate) this.#isPatient = true;
		else this.#hasMetBound = true;
		this.#last = undefined;
	}
}

/** Above every row number; with the one after it, cursors have room for it. */
const HIGHEST_ROW_ID = 999_999_999_999_998;
const LOWEST_ROW_ID = 1;

/** The last position of a window. */
function endOf({ from, to }: Window, { order, isById = false }: Pick<Walk<unknown>, "order" | "isById">): Keyset {
	const value = order === "asc" ? to - 1 : from;
	return { value, id: isById ? value : order === "asc" ? HIGHEST_ROW_ID : LOWEST_ROW_ID };
}
