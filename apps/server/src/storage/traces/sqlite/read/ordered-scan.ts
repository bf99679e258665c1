import type { DatabaseSync, StatementSync } from "node:sqlite";
import { endIfAbandoned } from "#storage/sqlite/abandoned-calls.ts";
import { eachRow, findRow, listRows } from "#storage/sqlite/rows.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import {
	BUDGET_MS,
	before,
	FIRST_CHUNK,
	LARGEST_CHUNK,
	pageOf,
	type ScannedPage,
} from "#storage/traces/lists/positions.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";

/** A sorted list as SQL, with an index in the same order, so that a page reads no more rows than it shows. */
export interface OrderedScan<Row> {
	readonly columns: string;
	readonly table: "traces" | "spans" | "sessions";
	/** `indexed by …`, or empty to let SQLite choose. */
	readonly index: string;
	/** Joined to the rows of a page. */
	readonly joins: string;
	/** Sort key; null when rows are sorted by row number alone. */
	readonly value: string | null;
	readonly id: string;
	readonly order: Order;
	/**
	 * The numbers of rows that may match, without overlaps and in the order of the list, which is by row number; the scan
	 * reads no others. They may be looked for while the list is read.
	 */
	readonly ranges?: Iterable<ScannedRange> | undefined;
	/**
	 * The parts of a range of row numbers where rows may match, ascending and without overlaps; undefined when they have
	 * more than so many numbers. For lists by row number.
	 */
	readonly narrow?: ((range: NumberRange, most: number) => readonly NumberRange[] | undefined) | undefined;
	/** Called with each row of the page that a slow condition accepted. */
	readonly onFound?: ((row: Row) => void) | undefined;
	/** Conditions that the index answers. */
	readonly base: Conditions;
	/** Conditions that need each row to be read. */
	readonly filter: Conditions;
	/** Conditions that need other rows or content. */
	readonly slow?: SlowCondition | undefined;
	/** A condition that SQL cannot evaluate. */
	readonly verify?: (row: Row) => boolean;
	readonly keyOf: (row: Row) => Keyset;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	readonly limit: number;
}

/** From the first number to the last, both included. */
export interface NumberRange {
	readonly first: number;
	readonly last: number;
}

export interface ScannedRange extends NumberRange {
	/** No row in it can match, beyond those of the ranges before; it says how far was looked. */
	readonly isEmpty?: boolean;
}

/**
 * A condition that checks the time for each row: when time is up, it accepts the next row, whose position then ends the
 * scan.
 */
export interface SlowCondition {
	readonly condition: Conditions;
	start(deadline: number): void;
	isTimeUp(): boolean;
}

/** One page of a sorted list. With filters the list is read in growing chunks, until the page is full or time is up. */
export function scanPage<Row>(db: DatabaseSync, scan: OrderedScan<Row>): ScannedPage<Row> {
	if (scan.filter.isEmpty && scan.slow === undefined && scan.verify === undefined) {
		const rows = select(db, scan, scan.after, undefined, scan.limit + 1);
		return pageOf(rows, scan.limit);
	}
	const deadline = performance.now() + BUDGET_MS;
	scan.slow?.start(deadline);
	const statements = new Statements(db);
	const found: Row[] = [];
	let reached: Keyset | undefined;
	for (const { after, upTo, index, isEmpty } of scan.ranges === undefined
		? chunks(db, scan)
		: piecesOf(scan, scan.ranges)) {
		endIfAbandoned();
		if (reached !== undefined && performance.now() > deadline) return { rows: found, stoppedAt: reached };
		reached = upTo;
		const rows = isEmpty ? [] : iterate(statements, { ...scan, index }, after, upTo, scan.limit + 1 - found.length);
		for (const row of rows) {
			if (scan.slow?.isTimeUp()) return { rows: found, stoppedAt: before(scan.keyOf(row), scan.order) };
			if (scan.verify === undefined || scan.verify(row)) {
				found.push(row);
				if (isByRow(scan)) scan.onFound?.(row);
			}
			if (found.length > scan.limit) return pageOf(found, scan.limit);
			if (scan.verify !== undefined && performance.now() > deadline) return { rows: found, stoppedAt: scan.keyOf(row) };
		}
	}
	return { rows: found };
}

/** A part of a list: strictly after the one position, up to the other one. */
interface Piece {
	readonly after: Keyset | undefined;
	readonly upTo: Keyset | undefined;
	readonly index: string;
	/** No row in it can match. */
	readonly isEmpty?: boolean | undefined;
}

/** Reading a row by way of an index takes as long as reading so many rows in the order of their numbers. */
const DENSE = 3;
/** The share of a chunk that is looked at to see how dense its rows are. */
const SAMPLE = 0.1;

/** The whole list, in growing chunks. */
function* chunks<Row>(db: DatabaseSync, scan: OrderedScan<Row>): Generator<Piece> {
	let { after } = scan;
	for (let size = FIRST_CHUNK; ; size = Math.min(4 * size, LARGEST_CHUNK)) {
		const dense = endOfDense(db, scan, after, size);
		const upTo = dense ?? nthRow(db, scan, after, size);
		const isLast = upTo === undefined || (dense !== undefined && nthRow(db, scan, dense, 1) === undefined);
		yield* narrowed(scan, { after, upTo, index: dense === undefined ? scan.index : "not indexed" }, size);
		if (isLast) return;
		after = upTo;
	}
}

/** The parts of a chunk of `size` rows where rows may match, if they are far fewer; otherwise the whole chunk. */
function* narrowed<Row>(scan: OrderedScan<Row>, chunk: Piece, size: number): Generator<Piece> {
	const isAscending = scan.order === "asc";
	const [start, end] = isAscending
		? [chunk.after?.id ?? -1, chunk.upTo?.id ?? Number.MAX_SAFE_INTEGER]
		: [chunk.after?.id ?? Number.MAX_SAFE_INTEGER, chunk.upTo?.id ?? 0];
	const range = isAscending ? { first: start + 1, last: end } : { first: end, last: start - 1 };
	const parts = scan.value === null ? scan.narrow?.(range, size / 2) : undefined;
	if (parts === undefined) {
		yield chunk;
		return;
	}
	yield* piecesOf(scan, isAscending ? parts : parts.toReversed());
	yield { ...chunk, isEmpty: true };
}

/**
 * The end of a chunk of so many row numbers, among which there are so few rows of other lists that all are read, instead
 * of looking each up from an index; undefined for any other list.
 */
function endOfDense<Row>(
	db: DatabaseSync,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	size: number,
): Keyset | undefined {
	if (scan.value !== null || scan.index === "") return undefined;
	const sample = nthRow(db, scan, after, size * SAMPLE);
	const first = after ?? (sample && nthRow(db, scan, undefined, 1));
	if (sample === undefined || first === undefined) return undefined;
	if (Math.abs(first.id - sample.id) > DENSE * size * SAMPLE) return undefined;
	const id = scan.order === "asc" ? first.id + size : first.id - size;
	return { value: id, id };
}

/** Each range, as far as it lies after the scan's start. */
function* piecesOf<Row>(scan: OrderedScan<Row>, ranges: Iterable<ScannedRange>): Generator<Piece> {
	const at = (id: number): Keyset => ({ value: id, id });
	const isAscending = scan.order === "asc";
	for (const { first, last, isEmpty } of ranges) {
		let [after, upTo] = isAscending ? [first - 1, last] : [last + 1, first];
		if (scan.after !== undefined) after = isAscending ? Math.max(after, scan.after.id) : Math.min(after, scan.after.id);
		if (isAscending ? upTo <= after : upTo >= after) continue;
		yield { after: at(after), upTo: at(upTo), index: "not indexed", isEmpty };
	}
}

/** Statements of a scan, whose parts have the same text. */
class Statements {
	readonly #db: DatabaseSync;
	readonly #byText = new Map<string, StatementSync>();

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	prepare(sql: string): StatementSync {
		const statement = this.#byText.get(sql) ?? this.#db.prepare(sql);
		this.#byText.set(sql, statement);
		return statement;
	}
}

/** Whether rows are fetched one by one, as it is unknown how many are needed. */
function isByRow<Row>({ verify, slow }: OrderedScan<Row>): boolean {
	return verify !== undefined || slow !== undefined;
}

function iterate<Row>(
	db: Pick<DatabaseSync, "prepare">,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	upTo: Keyset | undefined,
	missing: number,
): Iterable<Row> {
	if (!isByRow(scan)) return select(db, scan, after, upTo, missing);
	const { sql, values } = pageQuery(scan, after, upTo);
	return eachRow<Row>(db.prepare(sql), ...values);
}

function select<Row>(
	db: Pick<DatabaseSync, "prepare">,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	upTo: Keyset | undefined,
	limit: number,
): Row[] {
	const { sql, values } = pageQuery({ ...scan, columns: `${scan.id} as row_id`, joins: "" }, after, upTo);
	// First finds the rows of the page, from the index alone if it has the sort key.
	const rows = db.prepare(
		`select ${scan.columns} from (${sql} limit ?) as page
		cross join ${scan.table} on ${scan.id} = page.row_id ${scan.joins} ${orderBy(scan)}`,
	);
	return listRows<Row>(rows, ...values, limit);
}

function pageQuery<Row>(scan: OrderedScan<Row>, after: Keyset | undefined, upTo: Keyset | undefined) {
	const where = positions(scan, after, upTo);
	const slow = scan.slow === undefined ? "" : ` and ${scan.slow.condition.sql}`;
	return {
		sql: `select ${scan.columns} from ${scan.table} ${scan.index} ${scan.joins} where ${scan.base.sql} and ${where.sql} and ${scan.filter.sql}${slow} ${orderBy(scan)}`,
		values: [...scan.base.values, ...where.values, ...scan.filter.values, ...(scan.slow?.condition.values ?? [])],
	};
}

/** The position of row number `count` after the one given; undefined when the list ends before. */
function nthRow<Row>(
	db: DatabaseSync,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	count: number,
): Keyset | undefined {
	const where = positions(scan, after, undefined);
	return findRow<Keyset>(
		db.prepare(
			`select ${scan.value ?? scan.id} as value, ${scan.id} as id from ${scan.table} ${scan.index}
			where ${scan.base.sql} and ${where.sql} ${orderBy(scan)} limit 1 offset ?`,
		),
		...scan.base.values,
		...where.values,
		count - 1,
	);
}

function positions<Row>(scan: OrderedScan<Row>, after: Keyset | undefined, upTo: Keyset | undefined): Conditions {
	const where = new Conditions();
	const [beyond, until] = scan.order === "asc" ? [">", "<="] : ["<", ">="];
	for (const [operator, position] of [[beyond, after] as const, [until, upTo] as const]) {
		if (position === undefined) continue;
		if (scan.value === null) where.add(`${scan.id} ${operator} ?`, position.id);
		else where.add(`(${scan.value}, ${scan.id}) ${operator} (?, ?)`, position.value, position.id);
	}
	return where;
}

function orderBy<Row>({ value, id, order }: OrderedScan<Row>): string {
	return value === null ? `order by ${id} ${order}` : `order by ${value} ${order}, ${id} ${order}`;
}
