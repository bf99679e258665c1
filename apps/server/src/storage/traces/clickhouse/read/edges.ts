import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { Order } from "#storage/traces/trace-store.ts";
import { type Range, rangeOf } from "./bounds.ts";
import { Conditions } from "./conditions.ts";

/*
 * Where the values of a column begin, end and go on. Rows that another one has replaced only make ranges larger, so that
 * they need not be told apart.
 */

interface ColumnOfTable {
	readonly table: string;
	readonly column: string;
}

/** Between which values the rows are that fulfil a condition; undefined when there are none. */
export async function edgesOf(
	shard: ShardReader,
	{ table, column }: ColumnOfTable,
	where: Conditions,
): Promise<Range | undefined> {
	const rows = await shard.select(
		`select min(${column}) as first, max(${column}) as last, count() as count from ${table} where ${where.sql}`,
		{ first: types.Integer, last: types.Integer, count: types.Count },
		{ params: where.params },
	);
	const known = rows.filter(({ count }) => count > 0);
	return known.length === 0 ? undefined : rangeOf(known.flatMap(({ first, last }) => [first, last]));
}

/** Of the column by which a table is partitioned, and of all projects: reads no rows. */
export function edgesOfTable(shard: ShardReader, column: ColumnOfTable): Promise<Range | undefined> {
	return edgesOf(shard, column, new Conditions());
}

/** A column of the rows of a project. */
interface ColumnOfProject extends ColumnOfTable {
	readonly projectId: number;
	/** Rows of a project lie in the order of the column, so that looking for a value reads little. */
	readonly isSorted: boolean;
}

/** The next value, in an order, from an edge on: at or above it, or below it. Undefined when there is none. */
export async function nextValue(
	shard: ShardReader,
	{ table, column, projectId, isSorted }: ColumnOfProject,
	order: Order,
	edge: number,
): Promise<number | undefined> {
	const where = new Conditions().addEqual("project_id", "Int64", projectId);
	where.add(`${column} ${order === "asc" ? ">=" : "<"} ${where.bind("Int64", edge)}`);
	const least = order === "asc" ? "min" : "max";
	const rows = await shard.select(
		isSorted
			? `select ${column} as value from ${table} where ${where.sql} order by ${column} ${order} limit 1`
			: `select ${least}(${column}) as value from ${table} where ${where.sql} having count() > 0`,
		{ value: types.Integer },
		{ params: where.params },
	);
	const values = rows.map(({ value }) => value);
	if (values.length === 0) return undefined;
	return order === "asc" ? Math.min(...values) : Math.max(...values);
}

/** The part of a range that is in another one; undefined when there is none. */
export function within(
	range: Range,
	{ startMicros, endMicros }: { readonly startMicros?: number; readonly endMicros?: number },
): Range | undefined {
	const from = Math.max(range.from, Math.ceil(startMicros ?? range.from));
	const to = Math.min(range.to, Math.ceil(endMicros ?? range.to));
	return from < to ? { from, to } : undefined;
}

/** Row numbers up to which projects have rows. They grow, so that only those above the last known ones are looked at. */
export class HighestNumbers {
	readonly #known = new Map<string, number>();

	/** The one last found; undefined before that. */
	known(table: "spans" | "sessions", projectId: number): number | undefined {
		return this.#known.get(`${table} ${projectId}`);
	}

	/** No row of the project has a higher one. */
	async find(shard: ShardReader, table: "spans" | "sessions", projectId: number): Promise<number> {
		const key = `${table} ${projectId}`;
		const known = this.#known.get(key) ?? 0;
		const where = new Conditions().addEqual("project_id", "Int64", projectId);
		where.add(`id >= ${where.bind("Int64", known)}`);
		const rows = await shard.select(
			`select max(id) as highest from ${table} where ${where.sql}`,
			{ highest: types.Integer },
			{ params: where.params },
		);
		const highest = Math.max(known, ...rows.map((row) => row.highest));
		this.#known.set(key, highest);
		return highest;
	}
}
