/** The kind of a span by the OpenInference convention. */
export const KIND_KEY = "openinference.span.kind";

/** Keys whose objects are sent as JSON text by the OpenInference convention: REST takes it apart, filters look into it. */
export const JSON_KEY = /metadata$|^llm\.prompt_template\.variables$|(^|\.)tool\.parameters$/;

/** A text that nests deeper stays a text. */
const MAX_DEPTH = 64;

/** Whether the JSON of such a key nests too deeply to be taken apart; brackets inside strings count too. */
export function nestsTooDeeply(text: string): boolean {
	let depth = 0;
	for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
		depth += bracket === "[" || bracket === "{" ? 1 : -1;
		if (depth > MAX_DEPTH) return true;
	}
	return false;
}
