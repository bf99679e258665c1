import { type JsonLimits, jsonExcess } from "@spanward/semconv";

/** The kind of a span by the OpenInference convention. */
export const KIND_KEY = "openinference.span.kind";

/** Keys whose objects are sent as JSON text by the OpenInference convention: REST takes it apart, filters look into it. */
export const JSON_KEY = /metadata$|^llm\.prompt_template\.variables$|(^|\.)tool\.parameters$/;

/** A text whose JSON holds more stays a text. */
const LIMITS: JsonLimits = { values: 100_000, valuesWithLongIntegers: 25_000, names: 10_000, depth: 64 };

/** Whether the JSON of such a key nests too deeply, or holds too much, to be taken apart. */
export function isTooMuchToExpand(text: string): boolean {
	return jsonExcess(text, LIMITS) !== undefined;
}
