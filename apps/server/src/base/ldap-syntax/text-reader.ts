/** A text that is read from left to right. */
export interface TextReader {
	readonly text: string;
	at: number;
}

/** Goes on past what `pattern` (sticky) matches where the reader is; undefined when it matches nothing there. */
export function take(reader: TextReader, pattern: RegExp): RegExpExecArray | undefined {
	pattern.lastIndex = reader.at;
	const match = pattern.exec(reader.text);
	if (match === null) return undefined;
	reader.at = pattern.lastIndex;
	return match;
}
