import {
	AsyncByteQueue,
	Bool,
	type Data,
	type DataType,
	Field,
	Float64,
	Int64,
	makeBuilder,
	makeData,
	RecordBatch,
	RecordBatchStreamWriter,
	Schema,
	Struct,
	TimestampNanosecond,
	Utf8,
} from "apache-arrow";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { FrameColumn, FrameColumns } from "./frame-columns.ts";
import type { Row, Table } from "./span-table.ts";
import { TableTime } from "./table-row.ts";
import type { RowChunk } from "./table-rows.ts";

const BATCH_ROWS = 1_000;
const BATCH_LENGTH = 4 * 1_024 * 1_024;

/** Reads the rows of a table, starting at a span if one is given. */
type ReadRows = (from?: Keyset) => AsyncIterable<RowChunk>;

/**
 * Rows as an Arrow IPC stream with pandas' metadata for the index; lists, objects and mixed values are JSON (the
 * extension type `arrow.json`). The schema comes first, so the rows are read twice; columns that only spans have that
 * arrive meanwhile are left out.
 */
export async function* toArrowTable(table: Table, readRows: ReadRows): AsyncGenerator<Uint8Array> {
	const index = table.indexNames.map((name, position) => new FrameColumn(name, position));
	const columns = new FrameColumns(table.columnNames, index.length);
	let from: Keyset | undefined;
	for await (const chunk of readRows()) {
		from ??= chunk.from;
		for (const row of chunk.rows) {
			for (const [at, column] of index.entries()) column.see(row.index[at]);
			columns.see(row.cells);
		}
	}
	const writer = new ArrowWriter([...index, ...columns.all], index.length);
	let batch: (readonly unknown[])[] = [];
	let length = 0;
	for await (const { rows } of readRows(from)) {
		for (const row of rows) {
			const values = writer.toValues(row, columns);
			batch.push(values);
			for (const value of values) length += typeof value === "string" ? value.length : 8;
			if (batch.length < BATCH_ROWS && length < BATCH_LENGTH) continue;
			yield writer.write(batch);
			batch = [];
			length = 0;
		}
	}
	yield writer.write(batch);
	yield writer.finish();
}

/** Collects written bytes until they are taken, so that memory holds one batch at most. */
class CollectedBytes extends AsyncByteQueue {
	#chunks: Uint8Array[] = [];

	override write(chunk: Uint8Array): void {
		this.#chunks.push(chunk);
	}

	take(): Uint8Array {
		return Buffer.concat(this.#chunks.splice(0));
	}
}

class ArrowWriter {
	readonly #fields: readonly ArrowField[];
	readonly #schema: Schema;
	readonly #bytes = new CollectedBytes();
	readonly #writer = new RecordBatchStreamWriter();

	constructor(columns: readonly FrameColumn[], indexes: number) {
		this.#fields = columns.map((column) => new ArrowField(column, column.position < indexes));
		const fields = this.#fields.map(({ field }) => field);
		const pandas = JSON.stringify({
			index_columns: fields.slice(0, indexes).map(({ name }) => name),
			column_indexes: [],
			columns: this.#fields.map(({ field, column, pandasType }) => ({
				name: column.name,
				field_name: field.name,
				pandas_type: pandasType,
				numpy_type: "object",
				metadata: null,
			})),
			pandas_version: "1.4.0",
		});
		this.#schema = new Schema(fields, new Map([["pandas", pandas]]));
		this.#writer.reset(this.#bytes, this.#schema);
	}

	/** By position. */
	toValues({ index, cells }: Row, columns: FrameColumns): readonly unknown[] {
		const values: unknown[] = this.#fields.map(() => null);
		for (const [at, value] of index.entries()) values[at] = this.#fields[at]?.toValue(value) ?? null;
		for (const [{ position }, value] of columns.place(cells)) {
			if (position < values.length) values[position] = this.#fields[position]?.toValue(value) ?? null;
		}
		return values;
	}

	write(rows: readonly (readonly unknown[])[]): Uint8Array {
		if (rows.length > 0) {
			const children = this.#fields.map((field, at) => field.toData(rows.map((row) => row[at])));
			const type = new Struct(this.#schema.fields);
			this.#writer.write(
				new RecordBatch(this.#schema, makeData({ type, length: rows.length, nullCount: 0, children })),
			);
		}
		return this.#bytes.take();
	}

	finish(): Uint8Array {
		this.#writer.finish();
		return this.#bytes.take();
	}
}

const JSON_TEXT = new Map([
	["ARROW:extension:name", "arrow.json"],
	["ARROW:extension:metadata", ""],
]);

/** An Arrow field for a column, of the type that its values had in the first pass. */
class ArrowField {
	readonly column: FrameColumn;
	readonly field: Field;
	readonly pandasType: string;
	readonly toValue: (value: unknown) => unknown;

	constructor(column: FrameColumn, isIndex: boolean) {
		this.column = column;
		// A column may have the name of the index.
		const name = isIndex ? `__index_level_${column.position}__` : column.name;
		const make = (type: DataType, metadata?: Map<string, string>) => new Field(name, type, true, metadata);
		const only = (type: string) => (value: unknown) => (typeof value === type ? value : null);
		switch (column.type) {
			case "text":
				this.pandasType = "unicode";
				this.field = make(new Utf8());
				this.toValue = only("string");
				break;
			case "number":
				this.pandasType = "float64";
				this.field = make(new Float64());
				this.toValue = only("number");
				break;
			case "integer":
				this.pandasType = "int64";
				this.field = make(new Int64());
				this.toValue = (value) => (Number.isSafeInteger(value) ? BigInt(Number(value)) : null);
				break;
			case "boolean":
				this.pandasType = "bool";
				this.field = make(new Bool());
				this.toValue = only("boolean");
				break;
			case "time":
				this.pandasType = "datetimetz";
				this.field = make(new TimestampNanosecond("UTC"));
				this.toValue = (value) => (value instanceof TableTime ? value.nanoseconds : null);
				break;
			case "any":
				this.pandasType = "unicode";
				this.field = make(new Utf8(), JSON_TEXT);
				this.toValue = (value) => (value === null || value === undefined ? null : JSON.stringify(value));
				break;
		}
	}

	toData(values: readonly unknown[]): Data {
		const { type } = this.field;
		// Arrow's builder for times takes milliseconds, which are too coarse.
		const isTime = this.column.type === "time";
		const builder = makeBuilder({ type: isTime ? new Int64() : type, nullValues: [null] });
		for (const value of values) builder.append(value);
		const data = builder.finish().flush();
		if (!isTime) return data;
		const { length, nullCount, nullBitmap, values: nanoseconds } = data;
		return makeData({ type: new TimestampNanosecond("UTC"), length, nullCount, nullBitmap, data: nanoseconds });
	}
}
