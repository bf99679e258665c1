import { type Column, type Columns, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { firstOf } from "#storage/traces/clickhouse/read/first-of.ts";
import { findRows, selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import type { Table, TableRow } from "#storage/traces/clickhouse/tables.ts";

type Numbered = Columns & { readonly id: Column<number> };

/** Rows that follow each other, and the row number up to which the table was read; null at its end. */
interface Step<Row> {
	readonly rows: readonly Row[];
	readonly next: number | null;
}

/**
 * Reads a table in the order of row numbers, in which it is not stored: in windows of numbers, as an index leaves out
 * what is not in a window. They become wider while they hold few rows.
 */
export class RowNumberWalk<Of extends Numbered> {
	readonly #shards: ShardReader;
	readonly #table: Table<Of>;
	#width = 1;
	#last: number | undefined;

	constructor(shards: ShardReader, table: Table<Of>) {
		this.#shards = shards;
		this.#table = table;
	}

	/** The next rows after a row number, at most `step`. @throws ClickHouseOpenError */
	async read(after: number, step: number): Promise<Step<TableRow<Table<Of>>>> {
		// Rows may have been added since the table was read before.
		if (after === 0) this.#last = undefined;
		this.#last ??= await lastNumber(this.#shards, this.#table.name);
		this.#width = Math.max(this.#width, step);
		for (let from = after; from < this.#last; ) {
			const to = from + this.#width;
			const found = await findRows(
				this.#shards,
				this.#table,
				{ sql: "id > {from:Int64} and id <= {to:Int64}", params: { from, to } },
				`order by id limit ${step}`,
			);
			const rows = firstOf(found, step, (a, b) => a.id - b.id);
			const last = rows.at(-1);
			const isFull = rows.length === step;
			if (isFull) this.#width = Math.max(step, Math.floor(this.#width / 2));
			else if (rows.length < step / 4) this.#width *= 2;
			if (last !== undefined) return { rows, next: isFull ? last.id : to < this.#last ? to : null };
			from = to;
		}
		return { rows: [], next: null };
	}
}

/** The highest row number of a table; 0 without rows. @throws ClickHouseOpenError */
export async function lastNumber(shards: ShardReader, table: string): Promise<number> {
	const rows = await selectFinal(shards, `select max(id) as last from ${table}`, { last: types.Integer });
	return rows.reduce((highest, { last }) => Math.max(highest, last), 0);
}
