import { parseExactJson } from "#http/exact-json.ts";
import { type Content, toContent } from "./content.ts";
import { cut } from "./cut-text.ts";
import { invalid, toExampleId, toSpanId, toSplits, type UploadedRow } from "./upload/uploaded-rows.ts";

export const BUCKETS = ["input", "output", "metadata"] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Which columns of a file mean what. */
export interface Columns extends Readonly<Record<Bucket, readonly string[]>> {
	readonly splitKey: string | undefined;
	readonly splitKeys: readonly string[];
	readonly spanIdKey: string | undefined;
	readonly exampleIdKey: string | undefined;
	/** Columns with objects: the members of the object are taken in its place. */
	readonly flatten: ReadonlySet<string>;
}

/** Whether no column is assigned to any bucket. */
export function isUnmapped(columns: Columns): boolean {
	return BUCKETS.every((bucket) => columns[bucket].length === 0);
}

/** @throws UserError 422 naming columns that the file does not have */
export function assertColumns(columns: Columns, header: ReadonlySet<string>): void {
	const one = (key: string | undefined) => (key === undefined ? [] : [key]);
	const named: [string, readonly string[]][] = [
		["input", columns.input],
		["output", columns.output],
		["metadata", columns.metadata],
		["split", [...one(columns.splitKey), ...columns.splitKeys]],
		["span id", one(columns.spanIdKey)],
		["example id", one(columns.exampleIdKey)],
		["flatten", [...columns.flatten]],
	];
	for (const [what, keys] of named) {
		const missing = keys.filter((key) => !header.has(key));
		if (missing.length > 0) throw invalid(`${what} keys not found in column headers: ${cut(missing.join(", "))}`);
	}
}

/** Values by column; without a prototype, as a column may be called `__proto__`. */
export type Cells = Record<string, unknown>;

export function newCells(): Cells {
	return Object.create(null);
}

/** One row of a file as an example; `cellOf` returns undefined for columns that the row does not have. */
export function toRow(
	columns: Columns,
	place: string,
	cellOf: (column: string) => unknown,
	toBucket: (bucket: Bucket) => Cells = (bucket) => toCells(columns, bucket, place, cellOf),
): UploadedRow {
	const { splitKey, splitKeys, spanIdKey, exampleIdKey } = columns;
	const content: Content = toContent(toBucket("input"), toBucket("output"), toBucket("metadata"), place);
	return {
		place,
		content,
		splits: splitsOf(splitKey, splitKeys, place, cellOf),
		spanId: spanIdKey === undefined ? undefined : toSpanId(cellOf(spanIdKey), place),
		exampleId: exampleIdKey === undefined ? undefined : toExampleId(cellOf(exampleIdKey), place),
	};
}

function splitsOf(
	splitKey: string | undefined,
	splitKeys: readonly string[],
	place: string,
	cellOf: (column: string) => unknown,
): string[] | undefined {
	if (splitKey !== undefined) return toSplits(listed(cellOf(splitKey)), place);
	if (splitKeys.length > 0)
		return toSplits(
			splitKeys.map(cellOf).map((value) => value ?? null),
			place,
		);
	return undefined;
}

/** Parses a text that is a JSON list; other values stay. */
function listed(value: unknown): unknown {
	if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value;
	const parsed = parseStructure(value);
	return Array.isArray(parsed) ? parsed : value;
}

function toCells(columns: Columns, bucket: Bucket, place: string, cellOf: (column: string) => unknown): Cells {
	const cells = newCells();
	for (const column of columns[bucket]) {
		const value = cellOf(column);
		if (value === undefined) continue;
		if (columns.flatten.has(column)) flattenInto(cells, column, value, place);
		else setOnce(cells, column, value, column, place);
	}
	return cells;
}

function flattenInto(cells: Cells, column: string, value: unknown, place: string): void {
	const members = typeof value === "string" ? parseStructure(value) : value;
	if (members === null || members === "") return;
	if (typeof members !== "object" || Array.isArray(members)) {
		throw invalid(`${place}, column "${cut(column)}": this is not an object, so it cannot be flattened`);
	}
	for (const [key, member] of Object.entries(members)) setOnce(cells, key, member, column, place);
}

function setOnce(cells: Cells, key: string, value: unknown, column: string, place: string): void {
	if (key in cells) throw invalid(`${place}, column "${cut(column)}": there is another value of "${cut(key)}"`);
	cells[key] = value;
}

/** Parses a text that is a JSON list or object; other texts stay. */
export function parseStructure(text: string): unknown {
	if (!/^\s*[[{]/.test(text)) return text;
	try {
		return parseExactJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) return text;
		throw error;
	}
}
