import { cutText } from "@spanward/otlp";
import type { PartialAnswer } from "./model-request.ts";

/** Of an answer in a span or a run, in bytes of UTF-8. */
const MAX_STORED_BYTES = 4 * 1_024 * 1_024;

/** Says of a cut answer that it is one. */
export const CUT_ANSWER = "The answer is longer than 4 MiB: what is stored is its beginning.";

/** An answer as it is kept: its text first, then calls of tools and reasoning, as far as there is room. */
export function storedAnswer<Answer extends PartialAnswer>(
	answer: Answer,
): { readonly answer: Answer; readonly isCut: boolean } {
	let left = MAX_STORED_BYTES;
	let isCut = false;
	const keep = (text: string): string => {
		const kept = cutText(text, left);
		left -= Buffer.byteLength(kept);
		isCut ||= kept.length < text.length;
		return kept;
	};
	const text = keep(answer.text);
	const tool_calls = answer.tool_calls.map((call) => ({ ...call, arguments: keep(call.arguments) }));
	const reasoning = keep(answer.reasoning);
	return { answer: isCut ? { ...answer, text, tool_calls, reasoning } : answer, isCut };
}
