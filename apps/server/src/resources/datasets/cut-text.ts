/** Shortens a text that was sent, for error messages. */
export function cut(text: string): string {
	return text.slice(0, 200);
}
