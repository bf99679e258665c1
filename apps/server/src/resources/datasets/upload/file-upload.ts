import type { Columns } from "../columns.ts";
import { cut } from "../cut-text.ts";
import { readFileBeside, readingTimeOf } from "./file-reader-client.ts";
import { type FileTask, readFileRows } from "./file-rows.ts";
import { assertContentEncoding, isCompressed } from "./file-text.ts";
import type { ReceivedForm } from "./receive-form.ts";
import { invalid, toAction, toDescription, toName, toProject, type Upload } from "./uploaded-rows.ts";

const CONTENT_TYPES: ReadonlyMap<string, FileTask["contentType"]> = new Map([
	["text/csv", "csv"],
	["application/jsonl", "jsonl"],
	["application/x-ndjson", "jsonl"],
	["application/x-pandas-pyarrow", "arrow"],
	["application/vnd.apache.arrow.stream", "arrow"],
]);

/**
 * Longer files, and those of which more columns are taken, are read in a separate process; starting one takes longer than
 * reading a text this short.
 */
const SHORT_BYTES = 262_144;
const FEW_COLUMNS = 100;

/**
 * An upload as a form with a file.
 * @throws UserError 422
 */
export function readFileUpload({ fields, file }: ReceivedForm, maxBytes: number): Upload {
	const one = (name: string) => fields.get(name)?.[0];
	const action = toAction(one("action"));
	const name = toName(one("name"));
	if (file === undefined) throw invalid("The form has no file");
	const columns = toColumns(fields);
	const { contentEncoding, fd, size } = file;
	assertContentEncoding(contentEncoding);
	const contentType = CONTENT_TYPES.get(file.contentType);
	if (contentType === undefined) {
		throw invalid(
			`The file's Content-Type should be text/csv, application/jsonl or application/x-pandas-pyarrow, not ${cut(file.contentType)}`,
		);
	}
	const isText = contentType !== "arrow" && !isCompressed(contentEncoding);
	const isShort = size <= SHORT_BYTES && countColumns(columns) <= FEW_COLUMNS;
	const task = { contentType, contentEncoding, columns, maxBytes };
	return {
		name,
		action,
		description: toDescription(one("description") ?? file.name),
		project: toProject(one("project")),
		isWiderAllowed: toFlag(one("allow_wider_access")),
		hasExampleIds: columns.exampleIdKey !== undefined,
		hasSpanIds: columns.spanIdKey !== undefined,
		rows: () => (isText && isShort ? readFileRows(fd, task) : readFileBeside(fd, task, readingTimeOf(size))),
	};
}

function toFlag(text: string | undefined): boolean | undefined {
	if (text === undefined || text === "true") return text === "true" ? true : undefined;
	if (text === "false") return false;
	throw invalid("allow_wider_access should be true or false");
}

function countColumns({ input, output, metadata, splitKeys }: Columns): number {
	return input.length + output.length + metadata.length + splitKeys.length;
}

function toColumns(fields: ReadonlyMap<string, readonly string[]>): Columns {
	const several = (name: string) => [...new Set([...(fields.get(`${name}[]`) ?? []), ...(fields.get(name) ?? [])])];
	const one = (name: string) => fields.get(name)?.[0] || undefined;
	const splitKeys = several("split_keys");
	const splitKey = one("split_key");
	if (splitKey !== undefined && splitKeys.length > 0) throw invalid("Give either split_key or split_keys[], not both");
	return {
		input: several("input_keys"),
		output: several("output_keys"),
		metadata: several("metadata_keys"),
		splitKey,
		splitKeys,
		spanIdKey: one("span_id_key"),
		exampleIdKey: one("example_id_key"),
		flatten: new Set(several("flatten_keys")),
	};
}
