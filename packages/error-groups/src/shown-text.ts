const NUL = /\0/g;

/** A text that any database stores and any page shows, at most `limit` UTF-16 units, whole characters. */
export function shownText(text: string, limit: number): string {
	const isCut = text.length > limit;
	const head = isCut ? text.slice(0, splitsCharacter(text, limit - 1) ? limit - 2 : limit - 1) : text;
	const shown = head.toWellFormed().replace(NUL, "\ufffd");
	return isCut ? `${shown}…` : shown;
}

/** As `shownText`, with all white space and control characters as single spaces. Reads no more than it shows. */
export function shownLine(text: string, limit: number): string {
	const head = text.length > 4 * limit ? text.slice(0, 4 * limit) : text;
	return shownText(oneLine(head), limit);
}

/** White space, control characters and colours of a terminal become single spaces. */
export function oneLine(text: string): string {
	return text.replace(TERMINAL_COLOURS, "").replace(BLANKS, " ").trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const TERMINAL_COLOURS = /\u001b\[[0-9;]{0,20}m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const BLANKS = /[\s\u0000-\u001f\u007f]+/g;

function splitsCharacter(text: string, at: number): boolean {
	const code = text.charCodeAt(at - 1);
	return code >= 0xd800 && code <= 0xdbff;
}
