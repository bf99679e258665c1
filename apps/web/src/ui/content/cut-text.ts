/** How much of a long text is shown at first: about a screenful. */
const SCREENFUL = { characters: 4000, lines: 48 } as const;

export interface CutText {
	readonly shown: string;
	readonly cut: boolean;
}

/** The first screenful of a text; a text that is only a little longer stays whole. */
export function cutText(text: string, screenful: { characters: number; lines: number } = SCREENFUL): CutText {
	let end = text.length;
	if (text.length > screenful.characters * 1.25) end = screenful.characters;
	let lines = 1;
	let lastLineEnd = -1;
	for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
		lines++;
		if (lines === screenful.lines + 1) lastLineEnd = at;
	}
	if (lastLineEnd >= 0 && lines > screenful.lines * 1.25) end = lastLineEnd;
	if (end >= text.length) return { shown: text, cut: false };
	// Not between the halves of a surrogate pair.
	const code = text.charCodeAt(end - 1);
	if (code >= 0xd800 && code <= 0xdbff) end--;
	return { shown: text.slice(0, end), cut: true };
}

/** A long text in blocks of whole lines, so that the browser lays out only those on the screen. */
export function textBlocks(text: string, size = 16_000): string[] {
	const blocks: string[] = [];
	for (let start = 0; start < text.length; ) {
		const lineEnd = text.indexOf("\n", start + size);
		const end = lineEnd >= 0 && lineEnd < start + 4 * size ? lineEnd + 1 : Math.min(text.length, start + 4 * size);
		blocks.push(text.slice(start, end));
		start = end;
	}
	return blocks;
}

const encoder = new TextEncoder();

/** Size in UTF-8: `812 B`, `48 KB`, `1.6 MB` (decimal units). */
export function formatTextSize(text: string): string {
	const bytes = encoder.encode(text).length;
	if (bytes < 1000) return `${bytes} B`;
	if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
	return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
