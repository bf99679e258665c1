import type { DataType, Field, RecordBatch, Vector } from "apache-arrow";
import { UserError } from "#base/errors.ts";
import { assertColumns, type Columns, isUnmapped, newCells, toRow } from "../columns.ts";
import { cut } from "../cut-text.ts";
import { assertLengths, assertWhole } from "./arrow-lengths.ts";
import { assertRowCount, invalid, type UploadedRow } from "./uploaded-rows.ts";

/** Bounds the memory: a record batch is read as a whole. */
export const MAX_ARROW_BYTES = 256 * 1_024 * 1_024;
/** Items of a list; bounded because a few bytes can declare any number. */
const MAX_ITEMS = 1_000_000;

type Arrow = typeof import("apache-arrow");

/**
 * The examples of an Arrow IPC stream.
 * @throws UserError 422 when it is malformed, or a column has a type that JSON cannot represent
 */
export async function* readArrow(
	bytes: () => AsyncIterable<Uint8Array>,
	columns: Columns,
): AsyncGenerator<UploadedRow> {
	if (isUnmapped(columns)) throw invalid("Name the columns of the input in input_keys[].");
	let source = new Source(bytes());
	try {
		const arrow = await import("apache-arrow");
		await assertLengths(arrow, source);
		source = new Source(bytes());
		const reader = await arrow.RecordBatchReader.from(source);
		await reader.open();
		if (reader.schema === undefined) throw invalid("Invalid Arrow stream: it has no schema");
		assertColumns(columns, new Set(reader.schema.fields.map(({ name }) => name)));
		let row = 0;
		for await (const batch of reader) {
			assertRowCount(row + batch.numRows);
			const used = usedColumns(arrow, batch, columns);
			for (let index = 0; index < batch.numRows; index += 1) {
				row += 1;
				const place = `row ${row}`;
				yield toRow(columns, place, (column) => used.get(column)?.(index, place) ?? null);
			}
		}
	} catch (error) {
		if (error instanceof UserError || source.failed) throw error;
		throw invalid(
			`Invalid Arrow stream: ${error instanceof Error ? error.message.slice(0, 200) : "it cannot be read"}`,
		);
	}
}

/** Passes bytes on, and remembers whether an error came from reading them. */
class Source implements AsyncIterable<Uint8Array> {
	failed = false;
	readonly #bytes: AsyncIterable<Uint8Array>;

	constructor(bytes: AsyncIterable<Uint8Array>) {
		this.#bytes = bytes;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		try {
			yield* this.#bytes;
		} catch (error) {
			this.failed = true;
			throw error;
		}
	}
}

function usedColumns(
	arrow: Arrow,
	batch: RecordBatch,
	columns: Columns,
): Map<string, (index: number, place: string) => unknown> {
	const names = new Set([
		...columns.input,
		...columns.output,
		...columns.metadata,
		...columns.splitKeys,
		...[columns.splitKey, columns.spanIdKey, columns.exampleIdKey].filter((key) => key !== undefined),
	]);
	const used = new Map<string, (index: number, place: string) => unknown>();
	for (const [position, field] of batch.schema.fields.entries()) {
		const vector = batch.getChildAt(position);
		if (!names.has(field.name) || vector === null) continue;
		const toJson = jsonWriter(arrow, field, field.name);
		for (const data of vector.data) assertWhole(arrow, data);
		used.set(field.name, (index) => toJson(vector.get(index)));
	}
	return used;
}

type ToJson = (value: unknown) => unknown;

/** How values of a type are written as JSON. */
function jsonWriter(arrow: Arrow, { type }: Field, column: string): ToJson {
	const write = writerOf(arrow, type, column);
	return (value) => (value === null || value === undefined ? null : write(value));
}

function writerOf({ DataType, ...arrow }: Arrow, type: DataType, column: string): ToJson {
	const all = { DataType, ...arrow } as Arrow;
	const child = (position: number): ToJson => {
		const field: Field | undefined = type.children?.[position];
		if (field === undefined) throw invalid(`column "${cut(column)}": its type is incomplete`);
		return jsonWriter(all, field, column);
	};
	if (DataType.isDictionary(type)) return writerOf(all, type.dictionary, column);
	if (DataType.isTimestamp(type) || DataType.isDate(type)) return (value) => toTime(Number(value), column);
	if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type)) {
		return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : null);
	}
	if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
		const item = child(0);
		return (value) => itemsOf(value, column).map(item);
	}
	if (DataType.isStruct(type)) {
		const members = (type.children ?? []).map(
			(field: Field, position: number) => [field.name, child(position)] as const,
		);
		return (value) => {
			const cells = newCells();
			// By place: `toArray` mixes up members with names such as "1" or `__proto__`, or with the same name.
			const items = [...(value as Iterable<readonly [name: string, item: unknown]>)];
			for (const [position, [name, write]] of members.entries()) cells[name] = write(items[position]?.[1]);
			return cells;
		};
	}
	const isPlain =
		DataType.isUtf8(type) ||
		DataType.isLargeUtf8(type) ||
		DataType.isBool(type) ||
		DataType.isInt(type) ||
		DataType.isFloat(type) ||
		DataType.isNull(type) ||
		DataType.isTime(type);
	if (isPlain) return (value) => value;
	throw invalid(`column "${cut(column)}": values of the type ${cut(String(type))} are not supported`);
}

function itemsOf(value: unknown, column: string): unknown[] {
	const items = value as Vector;
	if (items.length > MAX_ITEMS) throw invalid(`column "${cut(column)}": a list has more than ${MAX_ITEMS} items`);
	return [...items];
}

function toTime(milliseconds: number, column: string): string {
	const date = new Date(milliseconds);
	if (Number.isNaN(date.getTime())) throw invalid(`column "${cut(column)}": a time is out of range`);
	return date.toISOString();
}
