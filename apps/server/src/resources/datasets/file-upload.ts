import { MAX_ARROW_BYTES, readArrow } from "./arrow-rows.ts";
import type { Columns } from "./columns.ts";
import { readCsv } from "./csv-rows.ts";
import { assertContentEncoding, readBytes, readText } from "./file-text.ts";
import { readJsonLines } from "./jsonl-rows.ts";
import { cut } from "./queries.ts";
import type { ReceivedFile, ReceivedForm } from "./receive-form.ts";
import { invalid, toAction, toDescription, toName, type Upload, type UploadedRow } from "./uploaded-rows.ts";

type ReadRows = (columns: Columns) => AsyncIterable<UploadedRow>;

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
	const readRows = readerOf(file, maxBytes);
	return {
		name,
		action,
		description: toDescription(one("description") ?? file.name),
		hasExampleIds: columns.exampleIdKey !== undefined,
		rows: () => readRows(columns),
	};
}

function readerOf(file: ReceivedFile, maxBytes: number): ReadRows {
	assertContentEncoding(file);
	const text = () => readText(file, maxBytes);
	switch (file.contentType) {
		case "text/csv":
			return (columns) => readCsv(text, columns);
		case "application/jsonl":
		case "application/x-ndjson":
			return (columns) => readJsonLines(text, columns);
		case "application/x-pandas-pyarrow":
		case "application/vnd.apache.arrow.stream":
			return (columns) => readArrow(() => readBytes(file, Math.min(maxBytes, MAX_ARROW_BYTES)), columns);
		default:
			throw invalid(
				`The file's Content-Type should be text/csv, application/jsonl or application/x-pandas-pyarrow, not ${cut(file.contentType)}`,
			);
	}
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
