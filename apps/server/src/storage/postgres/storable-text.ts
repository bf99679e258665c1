/** PostgreSQL cannot store U+0000. Writers store U+FFFD instead, so searches have to look for that. */
export function storableText(text: string): string {
	return text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
}
