const MARK = "\n[… cut …]\n";

/** The texts with the longest ones cut in their middle, so that all together have so many characters at most. */
export function cutTexts(texts: ReadonlyMap<string, string>, most: number): ReadonlyMap<string, string> {
	const limit = fairLimit(
		[...texts.values()].map(({ length }) => length),
		most,
	);
	return new Map(Array.from(texts, ([name, text]) => [name, cutMiddle(text, limit)]));
}

/** The length to which all longer ones are cut: shorter ones leave the rest of their share to the others. */
function fairLimit(lengths: readonly number[], most: number): number {
	let left = most;
	const ascending = lengths.toSorted((a, b) => a - b);
	for (const [at, length] of ascending.entries()) {
		const share = Math.floor(left / (ascending.length - at));
		if (length > share) return share;
		left -= length;
	}
	return Infinity;
}

function cutMiddle(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const kept = Math.max(0, limit - MARK.length);
	const head = Math.ceil(kept / 2);
	const tail = kept - head;
	const end = tail === 0 ? "" : text.slice(-tail);
	return `${text.slice(0, head)}${MARK.slice(0, limit)}${end}`.toWellFormed();
}
