import type { DatabaseSync } from "node:sqlite";
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
	const found: Row[] = [];
	let after = scan.after;
	for (let size = FIRST_CHUNK; ; size = Math.min(4 * size, LARGEST_CHUNK)) {
		const last = lastOfChunk(db, scan, after, size);
		for (const row of iterate(db, scan, after, last, scan.limit + 1 - found.length)) {
			if (scan.slow?.isTimeUp()) return { rows: found, stoppedAt: before(scan.keyOf(row), scan.order) };
			if (scan.verify === undefined || scan.verify(row)) found.push(row);
			if (found.length > scan.limit) return pageOf(found, scan.limit);
			if (scan.verify !== undefined && performance.now() > deadline) return { rows: found, stoppedAt: scan.keyOf(row) };
		}
		if (last === undefined) return { rows: found };
		after = last;
		if (performance.now() > deadline) return { rows: found, stoppedAt: last };
	}
}

/** Whether rows are fetched one by one, as it is unknown how many are needed. */
function isByRow<Row>({ verify, slow }: OrderedScan<Row>): boolean {
	return verify !== undefined || slow !== undefined;
}

function iterate<Row>(
	db: DatabaseSync,
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
	db: DatabaseSync,
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

/** The position of the chunk's last row; undefined when the list ends within the chunk. */
function lastOfChunk<Row>(
	db: DatabaseSync,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	size: number,
): Keyset | undefined {
	const where = positions(scan, after, undefined);
	return findRow<Keyset>(
		db.prepare(
			`select ${scan.value ?? scan.id} as value, ${scan.id} as id from ${scan.table} ${scan.index}
			where ${scan.base.sql} and ${where.sql} ${orderBy(scan)} limit 1 offset ?`,
		),
		...scan.base.values,
		...where.values,
		size - 1,
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
