import { UserError } from "#base/errors.ts";
import { toContent } from "../content.ts";
import {
	assertRowCount,
	invalid,
	toAction,
	toDescription,
	toExampleId,
	toName,
	toProject,
	toSpanId,
	toSplits,
	type Upload,
	type UploadedRow,
} from "./uploaded-rows.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * An upload as JSON.
 * @throws UserError 422 with the texts that released clients look for
 */
export function readJsonUpload(body: unknown): Upload {
	if (!isObject(body)) throw invalid("The body should be a JSON object");
	const action = toAction(body["action"]);
	const name = toName(body["name"]);
	const inputs = body["inputs"];
	if (inputs === undefined || inputs === null) throw invalid("input is required");
	if (!isListOfObjects(inputs)) throw invalid("Input should be a list containing only dictionary objects");
	assertRowCount(inputs.length);
	const outputs = objectsOf(body, "outputs", inputs.length);
	const metadata = objectsOf(body, "metadata", inputs.length);
	const splits = listOf(body, "splits", inputs.length);
	const spanIds = listOf(body, "span_ids", inputs.length);
	const exampleIds = listOf(body, "example_ids", inputs.length)?.map((id, row) => toExampleId(id, placeOf(row)));
	assertDistinct(exampleIds);

	function* rows(): Generator<UploadedRow> {
		for (const [row, input] of (inputs as JsonObject[]).entries()) {
			const place = placeOf(row);
			yield {
				place,
				content: toContent(input, outputs?.[row] ?? {}, metadata?.[row] ?? {}, place),
				splits: splits === undefined ? undefined : toSplits(splits[row], place),
				spanId: toSpanId(spanIds?.[row], place),
				exampleId: exampleIds?.[row],
			};
		}
	}

	return {
		name,
		action,
		description: toDescription(body["description"]),
		project: toProject(body["project"]),
		isWiderAllowed: toFlag(body, "allow_wider_access"),
		hasExampleIds: exampleIds !== undefined,
		hasSpanIds: spanIds !== undefined,
		rows,
	};
}

function placeOf(row: number): string {
	return `row ${row + 1}`;
}

function objectsOf(body: JsonObject, key: string, length: number): JsonObject[] | undefined {
	const list = body[key];
	if (list === undefined || list === null) return undefined;
	if (isListOfObjects(list) && list.length === length) return list;
	throw invalid(`${key} should be a list of same length as input containing only dictionary objects`);
}

function toFlag(body: JsonObject, key: string): boolean | undefined {
	const value = body[key];
	if (value === undefined || value === null) return undefined;
	if (typeof value === "boolean") return value;
	throw invalid(`${key} should be true or false`);
}

function listOf(body: JsonObject, key: string, length: number): unknown[] | undefined {
	const list = body[key];
	if (list === undefined || list === null) return undefined;
	if (Array.isArray(list) && list.length === length) return list;
	throw invalid(`${key} should be a list of same length as input`);
}

function assertDistinct(exampleIds: readonly (string | undefined)[] | undefined): void {
	const seen = new Set<string>();
	for (const id of exampleIds ?? []) {
		if (id === undefined) continue;
		if (seen.has(id)) throw duplicateExampleId(id);
		seen.add(id);
	}
}

export function duplicateExampleId(id: string): UserError {
	return new UserError(422, "duplicate_example_id", `Duplicate example_id in request: '${id}'`);
}

function isListOfObjects(value: unknown): value is JsonObject[] {
	return Array.isArray(value) && value.every(isObject);
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
