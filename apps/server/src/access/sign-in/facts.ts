import type { Fact } from "./steps.ts";

const MAX_SHOWN = 1_000;

/** A text from elsewhere, as it may be shown: shortened, and without what acts on a terminal or hides text. */
export function shownText(text: string): string {
	const seen = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
	return seen.length <= MAX_SHOWN ? seen : `${seen.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

export function fact(name: string, value: string): Fact {
	return { name: shownText(name), value: shownText(value) };
}
