import { pipeline, Readable } from "node:stream";
import type { InfoRecord } from "csv-parse";
import {
	assertColumns,
	BUCKETS,
	type Bucket,
	type Cells,
	type Columns,
	isUnmapped,
	newCells,
	parseStructure,
	toRow,
} from "../columns.ts";
import { cut } from "../cut-text.ts";
import { invalid, type UploadedRow } from "./uploaded-rows.ts";

/** Characters of one record. */
const MAX_RECORD = 16 * 1_024 * 1_024;
const MAX_COLUMNS = 10_000;

/**
 * The examples of a CSV file.
 * @throws UserError 422 naming the line
 */
export async function* readCsv(text: () => AsyncIterable<string>, asked: Columns): AsyncGenerator<UploadedRow> {
	const { CsvError, parse } = await import("csv-parse");
	const parser = parse({
		bom: true,
		info: true,
		skip_empty_lines: true,
		relax_column_count: true,
		max_record_size: MAX_RECORD,
	});
	pipeline(Readable.from(text()), parser, () => undefined);
	let table: CsvTable | undefined;
	try {
		for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
			if (table === undefined) table = new CsvTable(record, asked);
			else yield table.toRow(record, `line ${info.lines}`);
		}
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		throw invalid(`Invalid CSV: ${error.message.slice(0, 300)}`);
	}
	if (table === undefined) throw invalid("The CSV file is empty: it should begin with the names of its columns");
}

class CsvTable {
	readonly #header: readonly string[];
	readonly #positions: ReadonlyMap<string, number>;
	readonly #columns: Columns;
	/** The columns of records that end before the last one, by their number of cells. */
	readonly #columnsOfShort = new Map<number, Columns>();
	/** Columns such as `input.question.text`, whose names say where their values belong. */
	readonly #isNested: boolean;

	constructor(header: readonly string[], asked: Columns) {
		if (header.length > MAX_COLUMNS) throw invalid(`The CSV file has more than ${MAX_COLUMNS} columns`);
		const positions = new Map<string, number>();
		for (const [position, name] of header.entries()) {
			if (positions.has(name)) throw invalid(`Duplicated column header in the CSV file: ${cut(name)}`);
			positions.set(name, position);
		}
		this.#header = header;
		this.#positions = positions;
		this.#columns = isUnmapped(asked) ? columnsByPrefix(header, asked) : asked;
		assertColumns(this.#columns, new Set(header));
		const isPrefixed = (key: string) => BUCKETS.some((bucket) => key.startsWith(`${bucket}.`));
		this.#isNested = asked.flatten.size === 0 && BUCKETS.some((bucket) => this.#columns[bucket].some(isPrefixed));
	}

	toRow(record: readonly string[], place: string): UploadedRow {
		if (record.length > this.#header.length) {
			throw invalid(`${place}: there are ${record.length} cells, but only ${this.#header.length} columns`);
		}
		// An empty cell counts as absent.
		const cellOf = (column: string) => record[this.#positions.get(column) ?? -1] || undefined;
		const columns = this.#columnsOf(record.length);
		if (!this.#isNested) return toRow(columns, place, cellOf);
		return toRow(columns, place, cellOf, (bucket) => this.#toNested(bucket, columns, place, cellOf));
	}

	/** Only those that a record has cells for: thousands of columns and records of one cell would take seconds. */
	#columnsOf(cells: number): Columns {
		if (cells >= this.#header.length) return this.#columns;
		const known = this.#columnsOfShort.get(cells);
		if (known !== undefined) return known;
		const isIn = (column: string) => (this.#positions.get(column) ?? cells) < cells;
		const { input, output, metadata } = this.#columns;
		const columns = {
			...this.#columns,
			input: input.filter(isIn),
			output: output.filter(isIn),
			metadata: metadata.filter(isIn),
		};
		this.#columnsOfShort.set(cells, columns);
		return columns;
	}

	#toNested(bucket: Bucket, columns: Columns, place: string, cellOf: (column: string) => string | undefined): Cells {
		const cells = newCells();
		for (const column of columns[bucket]) {
			const value = cellOf(column);
			if (value === undefined) continue;
			const isPrefixed = column.startsWith(`${bucket}.`);
			const path = isPrefixed ? column.slice(bucket.length + 1).split(".") : [column];
			if (!setAt(cells, path, parseStructure(value))) {
				throw invalid(`${place}, column "${cut(column)}": another column has a value in the same place`);
			}
		}
		return cells;
	}
}

function columnsByPrefix(header: readonly string[], asked: Columns): Columns {
	const of = (bucket: Bucket) => header.filter((name) => name.startsWith(`${bucket}.`));
	const columns = { ...asked, input: of("input"), output: of("output"), metadata: of("metadata") };
	if (isUnmapped(columns)) {
		throw invalid("Name the columns of the input in input_keys[], or let their names begin with input.");
	}
	const hasSplits = header.includes("splits") && asked.splitKeys.length === 0;
	return { ...columns, splitKey: asked.splitKey ?? (hasSplits ? "splits" : undefined) };
}

/** @returns false when another value is in the way */
function setAt(cells: Cells, path: readonly string[], value: unknown): boolean {
	let at = cells;
	for (const key of path.slice(0, -1)) {
		at[key] ??= newCells();
		const next = at[key];
		if (typeof next !== "object" || next === null || Array.isArray(next)) return false;
		at = next as Cells;
	}
	const last = path.at(-1) ?? "";
	if (last in at) return false;
	at[last] = value;
	return true;
}
