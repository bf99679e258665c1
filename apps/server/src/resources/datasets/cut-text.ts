/** Of what was sent, for messages. */
export function cut(text: string): string {
	return text.slice(0, 200);
}
