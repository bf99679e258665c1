/** Draw nothing, or change how the text around them is drawn: controls, zero-width and bidirectional characters. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const EACH_UNSEEN = new RegExp(UNSEEN, "gu");
/** Three and more marks on one letter reach into the lines above and below. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const MAX_LENGTH = 100;

/**
 * A name that a stranger has chosen, as it can be shown beside our own words: one line of at most 100 characters, all of
 * which are seen, in the order in which they are.
 * @returns undefined if nothing is left
 */
export function foreignName(text: string): string | undefined {
	const seen = text
		.slice(0, 20 * MAX_LENGTH)
		.replace(/\s+/gu, " ")
		.replace(EACH_UNSEEN, "")
		.replace(PILED_MARKS, "$1")
		.trim();
	const letters = [...seen];
	return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join("")}…` : seen || undefined;
}
