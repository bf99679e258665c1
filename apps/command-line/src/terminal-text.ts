import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Columns that the text takes in a terminal. */
export function widthOf(text: string): number {
	return isAscii(text) ? text.length : stringWidth(text);
}

/** The text in at most `width` columns; `mark` stands for what was cut off. */
export function cutTo(text: string, width: number, mark: string): string {
	if (widthOf(text) <= width) return text;
	const room = width - widthOf(mark);
	if (room <= 0) return mark.slice(0, Math.max(0, width));
	let kept = "";
	let used = 0;
	for (const { segment } of graphemes.segment(text.slice(0, width * 16))) {
		const segmentWidth = widthOf(segment);
		if (used + segmentWidth > room) break;
		kept += segment;
		used += segmentWidth;
	}
	return kept + mark;
}

export function padEnd(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
	return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}
