import { toJsonText } from "#http/json-values.ts";

/** What is known of a target, as paths of mappings look into it. Values are whole, never the shortened ones of lists. */
export type TargetContext = Readonly<Record<string, unknown>>;

/** Bytes of a context's JSON. */
export const MAX_CONTEXT_BYTES = 16 * 1024 * 1024;
/** Spans of a trace, and of a session. */
export const MAX_CONTEXT_SPANS = 2_000;

/** A target is larger than a context may be. It is not judged by a part of it. */
export class ContextTooLarge extends Error {
	override readonly name = "ContextTooLarge";
}

/** @throws ContextTooLarge */
export function checkSize(context: TargetContext, what: string): TargetContext {
	const bytes = Buffer.byteLength(toJsonText(context));
	if (bytes <= MAX_CONTEXT_BYTES) return context;
	throw new ContextTooLarge(`the ${what} has ${bytes} bytes as JSON, ${MAX_CONTEXT_BYTES} at most`);
}
