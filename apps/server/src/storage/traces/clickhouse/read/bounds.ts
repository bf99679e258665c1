import { Abandoned } from "#base/fair-turns.ts";
import { failureOf } from "#storage/clickhouse/failures.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";

export interface Limits {
	/** The `performance.now()` until which statements may take. */
	readonly until?: number | undefined;
	/** Aborted when nobody waits for the answer any more. */
	readonly gone?: AbortSignal | undefined;
}

/** A reader whose statements end at these limits. @throws Abandoned from `select` once nobody waits */
export function limited(shard: ShardReader, { until, gone }: Limits): ShardReader {
	if (until === undefined && gone === undefined) return shard;
	return {
		select: async (statement, columns, options) => {
			const limits = {
				...(gone === undefined ? {} : { signal: gone }),
				...(until === undefined ? {} : { withinMs: until - performance.now() }),
			};
			try {
				return await shard.select(statement, columns, { ...options, ...limits });
			} catch (error) {
				throw gone?.aborted === true ? new Abandoned() : error;
			}
		},
	};
}

/** Whether a statement failed as it reached a bound, so that it may do when it is asked about less. */
export function isOfBound(error: unknown): error is Error {
	return failureOf(error)?.isOfBound === true;
}

/** Of one statement. */
const MOST_KEYS = 50_000;
/** Characters of keys that are texts. */
const LONGEST_KEYS = 4_000_000;

/** Rows of keys, for as many keys at a time as a statement does not become too large with; those of no order. */
export async function inParts<Key extends string | number | object, Row>(
	keys: readonly Key[],
	read: (part: readonly Key[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
	const rows: Row[] = [];
	for (const part of partsOf(keys)) for (const row of await inHalves(part, read)) rows.push(row);
	return rows;
}

function* partsOf<Key>(keys: readonly Key[]): Generator<readonly Key[]> {
	let part: Key[] = [];
	let length = 0;
	for (const key of keys) {
		const own = typeof key === "string" ? key.length : 0;
		if (part.length > 0 && (part.length === MOST_KEYS || length + own > LONGEST_KEYS)) {
			yield part;
			part = [];
			length = 0;
		}
		part.push(key);
		length += own;
	}
	if (part.length > 0) yield part;
}

/** Rows of keys; a statement that reaches a bound is asked anew about each half of its keys. */
async function inHalves<Key, Row>(
	keys: readonly Key[],
	read: (part: readonly Key[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
	try {
		return await read(keys);
	} catch (error) {
		if (!isOfBound(error) || keys.length <= 1) throw error;
		const middle = Math.ceil(keys.length / 2);
		return [...(await inHalves(keys.slice(0, middle), read)), ...(await inHalves(keys.slice(middle), read))];
	}
}

/** From `from` on, before `to`. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** How far steps through a range go: the first one, the narrowest, and about how many rows one is to have. */
interface Step {
	readonly width: number;
	readonly least: number;
	readonly rows: number;
}

/** Rows of a range of times or row numbers, some at a time, in its order. */
export async function* inSteps<Row>(
	range: Range,
	step: Step,
	read: (part: Range) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
	let { width } = step;
	for (let from = range.from; from < range.to; ) {
		const part = { from, to: Math.min(from + width, range.to) };
		const rows = await inRanges(part, step.least, read);
		yield rows;
		from = part.to;
		const fitting = step.rows / Math.max(1, rows.length);
		width = Math.max(step.least, Math.ceil(width * Math.min(PARTS, Math.max(1 / PARTS, fitting))));
	}
}

/** The range of at least one number. */
export function rangeOf(numbers: readonly number[]): Range {
	const from = numbers.reduce((a, b) => Math.min(a, b));
	return { from, to: numbers.reduce((a, b) => Math.max(a, b)) + 1 };
}

/** Parts into which a range is divided. */
const PARTS = 4;

/**
 * Rows of a range of times or row numbers, in its order; a statement that reaches a bound is asked anew about parts of it.
 * @param least no part is narrower
 */
export async function inRanges<Row>(
	range: Range,
	least: number,
	read: (part: Range) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
	try {
		return await read(range);
	} catch (error) {
		if (!isOfBound(error)) throw error;
		return await inPartsOf(range, least, read, error);
	}
}

/** @throws `error` when the parts would be too narrow */
async function inPartsOf<Row>(
	range: Range,
	least: number,
	read: (part: Range) => Promise<readonly Row[]>,
	error: Error,
): Promise<Row[]> {
	const width = Math.ceil((range.to - range.from) / PARTS);
	if (width < least) throw error;
	const rows: Row[] = [];
	for (let from = range.from; from < range.to; from += width)
		for (const row of await inRanges({ from, to: Math.min(from + width, range.to) }, least, read)) rows.push(row);
	return rows;
}

export interface FirstOfParts<Row> {
	readonly order: Order;
	readonly limit: number;
	readonly keyOf: (row: Row) => Keyset;
	readonly limits: Limits;
	/** Of all rows, in the unit of the parts; undefined when there are none. */
	readonly edges: () => Promise<Range | undefined>;
	/** No part is narrower. */
	readonly least: number;
	/** The first rows of a part, sorted; of everything when absent. */
	readonly read: (part?: Range) => Promise<readonly Row[]>;
}

/**
 * The first rows of a list whose order is not that in which rows lie. When the statement reaches a bound of its own, it is
 * asked anew about parts, whose first rows are sorted.
 */
export async function firstOfParts<Row>(list: FirstOfParts<Row>): Promise<readonly Row[]> {
	const { order, limit, keyOf, limits, edges, least, read } = list;
	try {
		return await read();
	} catch (error) {
		// Parts take no less time than all.
		if (!isOfBound(error) || limits.until !== undefined) throw error;
		const range = await edges();
		if (range === undefined) return [];
		const rows = (await inPartsOf(range, least, read, error)).map((row) => ({ row, key: keyOf(row) }));
		const ascending = (a: Keyset, b: Keyset) => a.value - b.value || a.id - b.id;
		rows.sort((a, b) => (order === "asc" ? ascending(a.key, b.key) : ascending(b.key, a.key)));
		return rows.slice(0, limit).map(({ row }) => row);
	}
}
