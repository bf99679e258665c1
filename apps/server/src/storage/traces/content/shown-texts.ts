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
		return { input: shown(input), output: shown(output) };
	} catch (error) {
		if (error instanceof OtlpDecodeError) return NO_TEXTS;
		throw error;
	}
}

function shown(text: string | undefined): string | null {
	return text ? cut(text).toWellFormed() : null;
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
