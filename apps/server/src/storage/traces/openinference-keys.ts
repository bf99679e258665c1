import { type JsonLimits, jsonExcess } from "@spanward/semconv";

/** The key of a span's kind in OpenInference. */
export const KIND_KEY = "openinference.span.kind";

/** Keys of OpenInference whose objects are sent as JSON text: REST expands them, and filters look into them. */
export const JSON_KEY = /metadata$|^llm\.prompt_template\.variables$|(^|\.)tool\.parameters$/;

/** A JSON text beyond these limits is treated as plain text. */
const LIMITS: JsonLimits = { values: 100_000, valuesWithLongIntegers: 25_000, names: 10_000, depth: 64 };

/** Whether the JSON of such a key is nested too deeply or too large to expand. */
export function isTooMuchToExpand(text: string): boolean {
	return jsonExcess(text, LIMITS) !== undefined;
}
