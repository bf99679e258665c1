import { dataTexts } from "../../../texts/data-en.ts";
import { formatJson, type Json, parseJson } from "../../../ui/content/json-value.ts";
import type { Preview } from "./columns.ts";

export type FileKind = "csv" | "jsonl" | "json";

/** A chosen file, with the columns and rows of its beginning. */
export interface ReadFile {
	readonly kind: FileKind;
	readonly name: string;
	/** The content to send: the file itself, or for JSON its rows as lines. */
	readonly content: Blob;
	readonly preview: Preview;
}

/** A file that cannot be uploaded; the message is shown to the user. */
export class UnreadableFile extends Error {
	override readonly name = "UnreadableFile";
}

const PROBLEMS = dataTexts.upload.problems;
const PREVIEW_ROWS = 20;
/** Bytes read of a file: enough for the columns, and nearly always for twenty rows. */
const BEGINNING = 1 << 20;
/** Bytes; a JSON file is parsed as a whole, in the memory of the page. */
const LARGEST_JSON = 100_000_000;

/**
 * Reads the beginning of a file; only JSON is read as a whole.
 * @throws UnreadableFile
 */
export async function readFile(file: File): Promise<ReadFile> {
	const kind = kindOf(file);
	if (kind === undefined) throw new UnreadableFile(PROBLEMS.kind);
	if (file.size === 0) throw new UnreadableFile(PROBLEMS.empty);
	if (kind === "json") return await readJson(file);
	const text = await file.slice(0, BEGINNING).text();
	const isWhole = file.size <= BEGINNING;
	const preview = kind === "csv" ? await previewCsv(text, isWhole) : previewLines(text, isWhole);
	if (preview.rows.length === 0) throw new UnreadableFile(PROBLEMS.empty);
	return { kind, name: file.name, content: file, preview };
}

function kindOf(file: File): FileKind | undefined {
	const [, ending = ""] = /\.(\w+)$/.exec(file.name.toLowerCase()) ?? [];
	if (ending === "csv") return "csv";
	if (ending === "jsonl" || ending === "ndjson") return "jsonl";
	return ending === "json" ? "json" : undefined;
}

async function previewCsv(text: string, isWhole: boolean): Promise<Preview> {
	const { default: papa } = await import("papaparse");
	const { data, errors } = papa.parse<string[]>(text, {
		delimiter: ",",
		preview: PREVIEW_ROWS + 2,
		skipEmptyLines: true,
	});
	const [header = [], ...rows] = data;
	// The last line of a truncated text is incomplete.
	const isCut = !isWhole && data.length < PREVIEW_ROWS + 2;
	const whole = isCut ? rows.slice(0, -1) : rows;
	const [error] = errors.filter(({ row, type }) => type === "Quotes" && !(isCut && row === data.length - 1));
	if (error !== undefined) throw new UnreadableFile(PROBLEMS.csv((error.row ?? 0) + 1, error.message));
	if (header.filter((name) => name.trim() === "").length > 1) throw new UnreadableFile(PROBLEMS.unnamed);
	const twice = header.find((name, index) => header.indexOf(name) !== index);
	if (twice !== undefined) throw new UnreadableFile(PROBLEMS.twice(twice));
	// One column without a name is left out: pandas writes its index like that.
	const columns = header.filter((name) => name.trim() !== "");
	return {
		columns,
		rows: whole.slice(0, PREVIEW_ROWS).map((row) => columns.map((name) => row[header.indexOf(name)] || undefined)),
		hasMore: !isWhole || whole.length > PREVIEW_ROWS,
	};
}

function previewLines(text: string, isWhole: boolean): Preview {
	const lines = text.split("\n");
	if (!isWhole) lines.pop();
	const objects: Record<string, Json>[] = [];
	let at = 0;
	for (; at < lines.length && objects.length < PREVIEW_ROWS; at += 1) {
		const line = lines[at]?.trim() ?? "";
		if (line !== "") objects.push(parseLine(line, at + 1));
	}
	return toPreview(objects, !isWhole || lines.slice(at).some((line) => line.trim() !== ""));
}

function parseLine(line: string, number: number): Record<string, Json> {
	let value: Json;
	try {
		value = parseJson(line);
	} catch (error) {
		if (error instanceof SyntaxError) throw new UnreadableFile(PROBLEMS.line(number, error.message));
		throw error;
	}
	if (!isObject(value)) throw new UnreadableFile(PROBLEMS.line(number, typeof value));
	return value;
}

async function readJson(file: File): Promise<ReadFile> {
	if (file.size > LARGEST_JSON) throw new UnreadableFile(PROBLEMS.jsonTooLarge);
	const rows = rowsOf(await file.text());
	if (rows.length === 0) throw new UnreadableFile(PROBLEMS.empty);
	const content = new Blob(rows.flatMap((row) => [formatJson(row, 0), "\n"]));
	return {
		kind: "json",
		name: file.name,
		content,
		preview: toPreview(rows.slice(0, PREVIEW_ROWS), rows.length > PREVIEW_ROWS),
	};
}

/** A list of objects, alone or as the only list of an object (`{"data": […]}`, `{"examples": […]}`). */
function rowsOf(text: string): Record<string, Json>[] {
	let value: Json;
	try {
		value = parseJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) throw new UnreadableFile(PROBLEMS.json(error.message));
		throw error;
	}
	const lists = isObject(value) ? Object.values(value).filter((member) => Array.isArray(member)) : [value];
	const [list] = lists;
	if (lists.length !== 1 || !Array.isArray(list) || !list.every(isObject)) throw new UnreadableFile(PROBLEMS.notRows);
	return list as Record<string, Json>[];
}

function isObject(value: unknown): value is Record<string, Json> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toPreview(rows: readonly Record<string, Json>[], hasMore: boolean): Preview {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	return { columns, rows: rows.map((row) => columns.map((name) => row[name])), hasMore };
}
