import { FrameColumn, FrameColumns, type PlacedCell } from "./frame-columns.ts";
import type { Row, Table } from "./span-table.ts";
import type { RowChunk } from "./table-rows.ts";

/** Rows, and bytes of their spans, whose columns every row names. A column that first appears later is absent before. */
const HEAD_ROWS = 1_000;
const HEAD_BYTES = 8 * 1_024 * 1_024;
const PIECE_LENGTH = 65_536;

/**
 * Rows in pandas' table schema JSON, as released clients read it: every column name has its position and `_` as prefix,
 * the index comes first. The schema follows the data, as it is known only then.
 */
export async function* toJsonTable(table: Table, chunks: AsyncIterable<RowChunk>): AsyncGenerator<string> {
	const writer = new JsonTableWriter(table);
	const head: Row[] = [];
	let bytes = 0;
	yield '{"data":[';
	for await (const chunk of chunks) {
		bytes += chunk.bytes;
		if (!writer.hasStarted) {
			for (const row of chunk.rows) head.push(row);
			if (head.length < HEAD_ROWS && bytes < HEAD_BYTES) continue;
			yield* writer.write(head.splice(0));
		} else yield* writer.write(chunk.rows);
		// Keeps the connection from looking idle while a rare filter is searched for.
		yield "\n";
	}
	yield* writer.write(head);
	yield `],"schema":${JSON.stringify(writer.schema)}}`;
}

class JsonTableWriter {
	readonly #index: readonly FrameColumn[];
	readonly #columns: FrameColumns;
	readonly #keys = new Map<FrameColumn, string>();
	/** Columns of the head, which every row names. */
	#always: readonly FrameColumn[] = [];
	#rows = 0;

	constructor(table: Table) {
		this.#index = table.indexNames.map((name, position) => new FrameColumn(name, position));
		this.#columns = new FrameColumns(table.columnNames, this.#index.length);
	}

	get hasStarted(): boolean {
		return this.#rows > 0;
	}

	*write(rows: readonly Row[]): Generator<string> {
		const first = this.#rows === 0;
		const placed = first ? rows.map(({ cells }) => this.#columns.see(cells)) : undefined;
		if (first) this.#always = this.#columns.all;
		let piece = "";
		for (const [at, row] of rows.entries()) {
			piece += this.#toText(row, placed?.[at] ?? this.#columns.see(row.cells));
			if (piece.length < PIECE_LENGTH) continue;
			yield piece;
			piece = "";
		}
		yield piece;
	}

	#toText({ index }: Row, placed: readonly PlacedCell[]): string {
		const known = new Set(placed.map(([column]) => column));
		const cells = placed.map(([column, value]) => this.#keyOf(column) + toJson(value));
		for (const column of this.#always) if (!known.has(column)) cells.push(`${this.#keyOf(column)}null`);
		for (const [at, column] of this.#index.entries()) {
			column.see(index[at]);
			cells.push(this.#keyOf(column) + toJson(index[at]));
		}
		return `${this.#rows++ === 0 ? "" : ","}{${cells.join(",")}}`;
	}

	get schema(): object {
		return {
			fields: [...this.#index, ...this.#columns.all].map((column) => ({
				name: nameOf(column),
				...this.#typeOf(column),
			})),
			primaryKey: this.#index.map(nameOf),
			pandas_version: "1.4.0",
		};
	}

	#typeOf(column: FrameColumn): { type: string; tz?: string } {
		const complete = column.isComplete(this.#rows);
		switch (column.type) {
			case "time":
				return { type: "datetime", tz: "UTC" };
			case "integer":
				return { type: complete ? "integer" : "number" };
			case "number":
				return { type: "number" };
			// Pandas reads an absent boolean as false.
			case "boolean":
				return { type: complete ? "boolean" : "string" };
			case "text":
			case "any":
				return { type: "string" };
		}
	}

	#keyOf(column: FrameColumn): string {
		const known = this.#keys.get(column);
		if (known !== undefined) return known;
		const key = `${JSON.stringify(nameOf(column))}:`;
		this.#keys.set(column, key);
		return key;
	}
}

function nameOf({ name, position }: FrameColumn): string {
	return `${position}_${name}`;
}

function toJson(value: unknown): string {
	return value === undefined ? "null" : JSON.stringify(value);
}
