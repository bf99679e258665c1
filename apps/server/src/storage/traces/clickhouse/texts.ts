import type { Texts } from "../totals/trace-texts.ts";

/** Bits of `spans.texts`: whether it is known, and which texts there are. */
const KNOWN = 4;
const INPUT = 1;
const OUTPUT = 2;
export const UNKNOWN_TEXTS = 0;

export function textBits({ input, output }: Texts): number {
	return KNOWN | (input ? INPUT : 0) | (output ? OUTPUT : 0);
}

/** As `textsOf` of `TextCandidates`, which asks only whether there are texts; undefined where that is not known. */
export function presenceOf(bits: number): Texts | undefined {
	if ((bits & KNOWN) === 0) return undefined;
	return { input: (bits & INPUT) === 0 ? undefined : "x", output: (bits & OUTPUT) === 0 ? undefined : "x" };
}
