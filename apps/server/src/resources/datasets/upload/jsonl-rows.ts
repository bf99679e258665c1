import { parseExactJson } from "#http/exact-json.ts";
import { type Bucket, type Cells, type Columns, isUnmapped, toRow } from "../columns.ts";
import { invalid, type UploadedRow } from "./uploaded-rows.ts";

const MAX_LINE = 16 * 1_024 * 1_024;

/**
 * The examples of a file with one JSON object per line.
 * @throws UserError 422 naming the line
 */
export async function* readJsonLines(text: () => AsyncIterable<string>, asked: Columns): AsyncGenerator<UploadedRow> {
	const isOwnFormat = isUnmapped(asked);
	// The format of a download: objects under the names of the buckets, and the names of splits.
	const columns =
		isOwnFormat && asked.splitKeys.length === 0 ? { ...asked, splitKey: asked.splitKey ?? "splits" } : asked;
	let number = 0;
	for await (const line of linesOf(text())) {
		number += 1;
		if (line.trim() === "") continue;
		const place = `line ${number}`;
		const object = parseLine(line, place);
		const cellOf = (column: string) => (Object.hasOwn(object, column) ? object[column] : undefined);
		if (!isOwnFormat) yield toRow(columns, place, cellOf);
		else yield toRow(columns, place, cellOf, (bucket) => memberOf(object, bucket, place));
	}
}

function parseLine(line: string, place: string): Cells {
	try {
		const value = parseExactJson(line);
		if (isObject(value)) return value;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw invalid(`${place}: it should be a JSON object`);
}

function memberOf(object: Cells, bucket: Bucket, place: string): Cells {
	const value = Object.hasOwn(object, bucket) ? object[bucket] : undefined;
	if (isObject(value)) return value;
	if (bucket !== "input" && (value === undefined || value === null)) return {};
	throw invalid(`${place}: "${bucket}" should be an object; or name the keys of the input in input_keys[]`);
}

function isObject(value: unknown): value is Cells {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
	let pieces: string[] = [];
	let length = 0;
	let number = 1;
	for await (const chunk of text) {
		let from = 0;
		for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
			pieces.push(chunk.slice(from, end));
			yield pieces.join("");
			number += 1;
			pieces = [];
			length = 0;
			from = end + 1;
		}
		pieces.push(chunk.slice(from));
		length += chunk.length - from;
		if (length > MAX_LINE) throw invalid(`line ${number}: it has more than ${MAX_LINE} characters`);
	}
	yield pieces.join("");
}
