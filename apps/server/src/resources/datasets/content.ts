import { hash } from "node:crypto";
import { UserError } from "#base/errors.ts";
import { exactInteger } from "#http/exact-json.ts";
import { isNestedAtMost, MAX_DEPTH, toJsonText } from "#http/json-values.ts";

/** Size of one example as JSON. */
const MAX_EXAMPLE_BYTES = 8 * 1_024 * 1_024;

/** The content of an example, as stored. */
export interface Content {
	readonly input: string;
	readonly output: string;
	readonly metadata: string;
	/** Hex; equal for equal contents, whatever the order of their keys. */
	readonly hash: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * @param place where the example was in the request, for the error: `row 3`
 * @throws UserError 422 when the example nests too deeply or is too large
 */
export function toContent(input: JsonObject, output: JsonObject, metadata: JsonObject, place: string): Content {
	if (![input, output, metadata].every((value) => isNestedAtMost(value, MAX_DEPTH))) {
		throw new UserError(422, "example_too_deep", `${place}: the example nests deeper than ${MAX_DEPTH} levels`);
	}
	const texts = [input, output, metadata].map(toJsonText);
	if (texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) > MAX_EXAMPLE_BYTES) {
		throw new UserError(422, "example_too_large", `${place}: the example is larger than ${MAX_EXAMPLE_BYTES} bytes`);
	}
	const [inputText = "", outputText = "", metadataText = ""] = texts;
	return {
		input: inputText,
		output: outputText,
		metadata: metadataText,
		hash: hash("sha256", JSON.stringify([input, output, metadata], inOrder), "hex"),
	};
}

/** A replacer of `JSON.stringify` that writes the keys of objects in order. */
function inOrder(_key: string, value: unknown): unknown {
	if (typeof value === "bigint") return exactInteger(value);
	if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
	const keys = Object.keys(value);
	if (keys.length < 2) return value;
	// Without a prototype, as a key may be `__proto__`.
	const sorted: Record<string, unknown> = Object.create(null);
	for (const key of keys.sort()) sorted[key] = Reflect.get(value, key);
	return sorted;
}
