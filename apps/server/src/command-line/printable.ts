const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes untrusted text safe for a terminal: one line, with invisible and control characters escaped. */
export function printable(text: string): string {
	return text.toWellFormed().replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
