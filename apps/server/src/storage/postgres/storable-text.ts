/** PostgreSQL has no character with the number zero: writers put U+FFFD, so that is what has to be looked for. */
export function storableText(text: string): string {
	return text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
}
