import { OtlpDecodeError } from "@spanward/otlp";
import { readStoredTexts } from "../span-meaning.ts";
import type { SpanContent } from "../trace-store.ts";

/** What lists of traces and sessions show of a span; null where it has no such text. */
export interface ShownTexts {
	readonly input: string | null;
	readonly output: string | null;
}

const NO_TEXTS: ShownTexts = { input: null, output: null };
const TEXT_CHARACTERS = 2_000;

/** The texts of a span, each cut to 2,000 characters. Content that cannot be decoded has none. */
export function shownTextsOf(content: SpanContent): ShownTexts {
	try {
		const { input, output } = readStoredTexts(content);
		return { input: shownText(input), output: shownText(output) };
	} catch (error) {
		if (error instanceof OtlpDecodeError) return NO_TEXTS;
		throw error;
	}
}

/** A text as lists show it: a copy, as V8 keeps the whole text, maybe megabytes, for a part of it. Without halves of surrogate pairs. */
export function shownText(text: string | undefined): string | null {
	return text ? Buffer.from(cut(text)).toString() : null;
}

function cut(text: string): string {
	if (text.length <= TEXT_CHARACTERS) return text;
	const last = text.charCodeAt(TEXT_CHARACTERS - 1);
	const splitsPair = last >= 0xd800 && last <= 0xdbff;
	return text.slice(0, splitsPair ? TEXT_CHARACTERS - 1 : TEXT_CHARACTERS);
}

/** The spans, by row number, whose texts a row of a list shows. */
export interface TextSpans {
	readonly input_span: number | null;
	readonly output_span: number | null;
}

export type TextsBySpan = ReadonlyMap<number, ShownTexts>;

/** The texts that rows of a list show, read in the transaction that has read the rows. */
export type ReadShownTexts = (rows: readonly TextSpans[]) => TextsBySpan;

/** Of 100 rows with two spans each, ten pages. */
const CACHED_SPANS = 2_000;

/**
 * The texts of the last spans that have an end and no log records, by row number: these texts never change, and row
 * numbers are never used again.
 */
export class ShownTextsCache {
	readonly #texts = new Map<number, ShownTexts>();

	get(id: number): ShownTexts | undefined {
		const found = this.#texts.get(id);
		if (found !== undefined) this.set(id, found);
		return found;
	}

	set(id: number, texts: ShownTexts): void {
		this.#texts.delete(id);
		this.#texts.set(id, texts);
		const [oldest] = this.#texts.keys();
		if (this.#texts.size > CACHED_SPANS && oldest !== undefined) this.#texts.delete(oldest);
	}
}

/** The row numbers of the spans whose texts rows of a list show, each once. */
export function spansWithTexts(rows: readonly TextSpans[]): number[] {
	const all = rows.flatMap(({ input_span, output_span }) => [input_span, output_span]);
	return [...new Set(all)].filter((id) => id !== null);
}

/** The texts that a row of a list shows. */
export function textsOfRow(
	{ input_span, output_span }: TextSpans,
	texts: TextsBySpan,
): { readonly firstInput: string | null; readonly lastOutput: string | null } {
	return {
		firstInput: input_span === null ? null : (texts.get(input_span)?.input ?? null),
		lastOutput: output_span === null ? null : (texts.get(output_span)?.output ?? null),
	};
}
