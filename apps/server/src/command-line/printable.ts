const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of somebody else for a terminal: what is not seen, and what would move the cursor, is escaped. One line. */
export function printable(text: string): string {
	return text.toWellFormed().replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
