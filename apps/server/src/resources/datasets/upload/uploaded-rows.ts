import { UserError } from "#base/errors.ts";
import type { Content } from "../content.ts";
import { cut } from "../cut-text.ts";

/** Rows of one upload. */
export const MAX_ROWS = 1_000_000;
const MAX_ID_LENGTH = 1_000;
const MAX_NAME_LENGTH = 1_000;
const MAX_SPLITS_OF_ROW = 100;

/** One example of an upload. */
export interface UploadedRow {
	/** Where it was in the request, for errors: `line 3`. */
	readonly place: string;
	readonly content: Content;
	/** Undefined when the upload does not mention splits. */
	readonly splits?: readonly string[] | undefined;
	/** Hex id of a span. */
	readonly spanId?: string | undefined;
	/** The caller's own id of the example, or its global id. */
	readonly exampleId?: string | undefined;
}

/** A parsed upload. */
export interface Upload {
	readonly name: string;
	readonly action: Action;
	readonly description: string | null;
	/** Where the dataset is to live: id or name of a project, null for the library. */
	readonly project: string | null | undefined;
	readonly isWiderAllowed: boolean | undefined;
	/** Whether rows may have example ids; then the rows are read twice. */
	readonly hasExampleIds: boolean;
	/** Whether rows may name spans. */
	readonly hasSpanIds: boolean;
	/** Returns the same rows at each call. */
	rows(): AsyncIterable<UploadedRow> | Iterable<UploadedRow>;
}

export type Action = "create" | "append" | "update";

const ACTIONS: ReadonlySet<string> = new Set<Action>(["create", "append", "update"]);

/** @throws UserError 422 with the text that released clients look for */
export function toAction(value: unknown): Action {
	if (value === undefined || value === null || value === "") return "create";
	if (typeof value !== "string") throw invalid("Invalid dateset action: it should be a text");
	const action = value.toLowerCase();
	if (!ACTIONS.has(action)) throw invalid(`Invalid dateset action: ${cut(value)}`);
	return action as Action;
}

/** @throws UserError 422 */
export function toName(value: unknown): string {
	if (typeof value !== "string" || value.trim() === "") throw invalid("Dataset name is required");
	if (value.length > MAX_NAME_LENGTH) throw invalid(`A dataset name has at most ${MAX_NAME_LENGTH} characters`);
	assertStorable(value, "the dataset name");
	return value;
}

/** @throws UserError 422 */
export function toDescription(value: unknown): string | null {
	if (value === undefined || value === null) return null;
	if (typeof value !== "string" || value.length > 100_000) {
		throw invalid("The description should be a text of at most 100000 characters");
	}
	assertStorable(value, "the description");
	return value;
}

/** @throws UserError 422 */
export function toProject(value: unknown): string | null | undefined {
	if (value === undefined || value === null) return value;
	if (typeof value !== "string" || value.length > MAX_NAME_LENGTH) {
		throw invalid(`project should be the id or name of a project, of at most ${MAX_NAME_LENGTH} characters`);
	}
	return value;
}

/** @throws UserError 422 */
export function toExampleId(value: unknown, place: string): string | undefined {
	return toIdText(value, place, "the example id");
}

/** @throws UserError 422 */
export function toSpanId(value: unknown, place: string): string | undefined {
	return toIdText(value, place, "the span id");
}

function toIdText(value: unknown, place: string, what: string): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") {
		throw invalid(`${place}: ${what} should be a text`);
	}
	const text = String(value).trim();
	if (text.length > MAX_ID_LENGTH) throw invalid(`${place}: ${what} has more than ${MAX_ID_LENGTH} characters`);
	assertStorable(text, `${place}: ${what}`);
	return text === "" ? undefined : text;
}

/**
 * Names of splits: a text, a list of them, or nothing.
 * @throws UserError 422
 */
export function toSplits(value: unknown, place: string): string[] {
	if (value === undefined || value === null) return [];
	const items: readonly unknown[] = Array.isArray(value) ? value : [value];
	const names = new Set<string>();
	for (const item of items) {
		if (item === null) continue;
		if (typeof item !== "string") throw invalid(`${place}: splits should be a text or a list of texts`);
		const name = item.trim();
		if (name.length > MAX_NAME_LENGTH) {
			throw invalid(`${place}: the name of a split has at most ${MAX_NAME_LENGTH} characters`);
		}
		assertStorable(name, `${place}: the name of a split`);
		if (name !== "") names.add(name);
	}
	if (names.size > MAX_SPLITS_OF_ROW) throw invalid(`${place}: an example is in at most ${MAX_SPLITS_OF_ROW} splits`);
	return [...names];
}

/** @throws UserError 422 when there are more rows than an upload may have */
export function assertRowCount(count: number): void {
	if (count > MAX_ROWS) throw invalid(`An upload has at most ${MAX_ROWS} rows; send the others with the action append`);
}

export function invalid(message: string): UserError {
	return new UserError(422, "invalid_upload", message);
}

export function uploadTooLarge(): UserError {
	return new UserError(413, "upload_too_large", "The upload is larger than SERVICE_MAX_UPLOAD_BYTES allows.");
}

function assertStorable(text: string, what: string): void {
	if (text.includes("\0") || !text.isWellFormed()) throw invalid(`${what} has a NUL or half of a surrogate pair`);
}
