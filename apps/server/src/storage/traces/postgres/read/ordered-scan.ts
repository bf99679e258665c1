import { present } from "#base/present.ts";
import { BUDGET_MS, FIRST_CHUNK, LARGEST_CHUNK, pageOf, type ScannedPage } from "#storage/traces/lists/positions.ts";
import { type SortKey, storableValue } from "#storage/traces/lists/sort-keys.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { type Queryable, query } from "./query.ts";

/** A sorted list as SQL, with an index in the same order, so that a page reads no more rows than it shows. */
export interface OrderedScan<Row extends { readonly id: number }> {
	readonly columns: string;
	readonly table: "traces" | "spans" | "sessions";
	/** Joined to the rows of a page. */
	readonly joins: string;
	/** Sort key; null when rows are sorted by row number alone. */
	readonly value: string | null;
	readonly order: Order;
	/** Leaves few rows, which are selected first and then sorted. */
	readonly narrow: PostgresConditions | undefined;
	/** Conditions that the index in list order answers, or that are checked on each of the few rows. */
	readonly base: PostgresConditions;
	/** Conditions that need each row to be read. */
	readonly filter: PostgresConditions;
	/** Conditions that SQL cannot evaluate: each returns which of the rows fulfil it. */
	readonly checks: readonly ((rows: readonly Row[]) => Promise<ReadonlySet<number>>)[];
	readonly keyOf: (row: Row) => Keyset;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	readonly limit: number;
}

/** The first list that exists narrows a scan; `base` gets the others. */
export function narrowBy(
	base: PostgresConditions,
	lists: readonly (readonly [column: string, values: readonly number[] | undefined])[],
): PostgresConditions | undefined {
	const [narrow, ...others] = lists
		.filter(([, values]) => values !== undefined)
		.map(([column, values]) => new PostgresConditions().addIn(column, values));
	for (const other of others) base.addAll(other);
	return narrow;
}

/** A position of a cursor as a value of the key's column. */
export function storable<Row>(key: SortKey<Row>, { value, id }: Keyset): Keyset {
	return { value: storableValue(key, value), id };
}

/** Up to this many rows of a time range are sorted; with more, the list is scanned in its order. */
const SORTED_RANGE = 50_000;
/** So many rows that do not start in a range are soon passed over. */
const FEW_OUTSIDE = 2_000;

interface RowsOfProject {
	readonly projectId: number;
	readonly startMicros?: number;
	readonly endMicros?: number;
}

/** Whether so few rows of a project start in the range that sorting them is faster than scanning in another order. */
export async function isSmallRange(
	client: Queryable,
	table: "traces" | "spans",
	range: RowsOfProject,
): Promise<boolean> {
	const { projectId, startMicros, endMicros } = range;
	if (startMicros === undefined) {
		if (endMicros === undefined) return false;
		// All rows but a few, as in a run that leaves out what starts after it: no row is sorted for the sake of these.
		const later = { projectId, startMicros: endMicros };
		if (await hasAtMost(client, table, later, FEW_OUTSIDE)) return false;
	}
	return await hasAtMost(client, table, range, SORTED_RANGE);
}

async function hasAtMost(
	client: Queryable,
	table: "traces" | "spans",
	range: RowsOfProject,
	most: number,
): Promise<boolean> {
	const where = new PostgresConditions().add("project_id = ?", range.projectId).addTimeRange("start_micros", range);
	const [row] = await query<{ rows: number }>(
		client,
		`select count(*) as rows from
			(select 1 from ${table} where ${where.sql} order by start_micros limit ${most + 1}) as range`,
		where.values,
	);
	return present(row, "the count of rows").rows <= most;
}

/** Rows of the first check; later ones take as many as fit into `CHECK_MS`. */
const FIRST_CHECKED = 64;
const MOST_CHECKED = 4_096;
const CHECK_MS = 250;
/** Rows to fill the page at the rate so far, plus a reserve, as each further chunk has its own cost. */
const MORE_THAN_LACKING = 1.2;

/** One page of a sorted list. With filters the list is read in growing chunks, until the page is full or time is up. */
export async function scanPage<Row extends { readonly id: number }>(
	client: Queryable,
	scan: OrderedScan<Row>,
): Promise<ScannedPage<Row>> {
	const { limit, checks, keyOf } = scan;
	if (scan.filter.isEmpty && checks.length === 0)
		return pageOf(await select(client, scan, scan.after, undefined, limit + 1), limit);
	const deadline = performance.now() + BUDGET_MS;
	const found: Row[] = [];
	let looked = 0;
	let checked = FIRST_CHECKED;
	let size = scan.narrow === undefined ? FIRST_CHUNK : LARGEST_CHUNK;
	for (let after = scan.after; ; ) {
		const wanted = checks.length === 0 ? limit + 1 - found.length : checked;
		const rows = await select(client, scan, after, size, wanted);
		const start = performance.now();
		found.push(...(await passing(rows, checks)));
		looked += rows.length;
		if (found.length > limit) return pageOf(found, limit);
		const lastRow = rows.length < wanted ? undefined : rows.at(-1);
		const last = lastRow === undefined ? await lastOfChunk(client, scan, after, size) : keyOf(lastRow);
		if (last === undefined) return { rows: found };
		after = last;
		if (performance.now() > deadline) return { rows: found, stoppedAt: last };
		if (lastRow === undefined) size = Math.min(4 * size, LARGEST_CHUNK);
		const lacking =
			found.length === 0 ? Number.POSITIVE_INFINITY : (looked / found.length) * (limit + 1 - found.length);
		checked = Math.min(nextChecked(checked, performance.now() - start), Math.ceil(lacking * MORE_THAN_LACKING));
	}
}

function nextChecked(checked: number, ms: number): number {
	const wanted = Math.round((checked * CHECK_MS) / Math.max(ms, 1));
	return Math.max(1, Math.min(wanted, 4 * checked, MOST_CHECKED));
}

async function passing<Row extends { readonly id: number }>(
	rows: readonly Row[],
	checks: OrderedScan<Row>["checks"],
): Promise<readonly Row[]> {
	let left = rows;
	for (const check of checks) {
		if (left.length === 0) return left;
		const ids = await check(left);
		left = left.filter((row) => ids.has(row.id));
	}
	return left;
}

/** At most `limit` rows after a position that pass the filter among the next `chunk` rows, or among all when absent. */
async function select<Row extends { readonly id: number }>(
	client: Queryable,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	chunk: number | undefined,
	limit: number,
): Promise<Row[]> {
	const { table, columns, joins, filter } = scan;
	const order = orderBy(scan);
	const next = nextRows(scan, after);
	const page =
		chunk === undefined
			? { sql: `${next.sql} limit ?`, values: [...next.values, limit] }
			: {
					sql: `select * from (${next.sql} limit ?) as ${table} where ${filter.sql} ${order} limit ?`,
					values: [...next.values, chunk, ...filter.values, limit],
				};
	return query<Row>(client, `select ${columns} from (${page.sql}) as ${table} ${joins} ${order}`, page.values);
}

/** The position of the chunk's last row; undefined when the list ends within the chunk. */
async function lastOfChunk<Row extends { readonly id: number }>(
	client: Queryable,
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	size: number,
): Promise<Keyset | undefined> {
	const id = `${scan.table}.id`;
	const next = nextRows(scan, after, `${scan.value ?? id} as value, ${id} as id`);
	const [last] = await query<Keyset>(client, `${next.sql} limit 1 offset ?`, [...next.values, size - 1]);
	return last;
}

function nextRows<Row extends { readonly id: number }>(
	scan: OrderedScan<Row>,
	after: Keyset | undefined,
	columns = "*",
) {
	const { table, narrow, base } = scan;
	const where = new PostgresConditions().addAll(base).addAll(positions(scan, after));
	// `offset 0` keeps PostgreSQL from finding the few rows in another way.
	const from = narrow === undefined ? table : `(select * from ${table} where ${narrow.sql} offset 0) as ${table}`;
	return {
		sql: `select ${columns} from ${from} where ${where.sql} ${orderBy(scan)}`,
		values: [...(narrow?.values ?? []), ...where.values],
	};
}

function positions<Row extends { readonly id: number }>(
	{ table, value, order }: OrderedScan<Row>,
	after: Keyset | undefined,
): PostgresConditions {
	const where = new PostgresConditions();
	const beyond = order === "asc" ? ">" : "<";
	if (after === undefined) return where;
	if (value === null) return where.add(`${table}.id ${beyond} ?`, after.id);
	// The first condition determines which partitions are read.
	return where
		.add(`${value} ${beyond}= ?`, after.value)
		.add(`(${value}, ${table}.id) ${beyond} (?, ?)`, after.value, after.id);
}

function orderBy<Row extends { readonly id: number }>({ table, value, order }: OrderedScan<Row>): string {
	return value === null ? `order by ${table}.id ${order}` : `order by ${value} ${order}, ${table}.id ${order}`;
}
