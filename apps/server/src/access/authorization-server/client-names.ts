const MAX_NAME = 100;
/** Control and format characters, among them those that hide or turn text, and what separates lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0\u2800]/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts that have letters which look like Latin ones. */
const LOOKS_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Lisu}]/u;

/**
 * The name that a program gives itself, as it is shown: without characters that hide or turn text. It may still be the
 * name of another program.
 * @returns undefined for one that is empty, too long, or mixes letters that look alike in one word
 */
export function cleanName(name: string): string | undefined {
	if (name.length > 10 * MAX_NAME || !name.isWellFormed()) return undefined;
	const shown = name.normalize("NFC").replace(UNSEEN, "").replace(/\s+/gu, " ").trim();
	if (shown === "" || [...shown].length > MAX_NAME) return undefined;
	const isMixed = shown.split(/[^\p{L}\p{M}]+/u).some((word) => LATIN.test(word) && LOOKS_LATIN.test(word));
	return isMixed ? undefined : shown;
}

/** By what it is told whether two names are the same to the eye, as far as compatibility forms and case go. */
export function nameKey(name: string): string {
	return name
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, "");
}
