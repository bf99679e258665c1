import { byteLength, counted } from "./budget.ts";
import { fence } from "./untrusted.ts";

/** At most, of the sentences after the items. */
const FOOTER_BYTES = 220;

interface TextList {
	/** In words of ours, in one line. */
	readonly heading: string;
	/** What was recorded of each item; of one or more lines. */
	readonly items: readonly string[];
	/** Singular and plural. */
	readonly noun: readonly [string, string];
	/** Where the list goes on behind these items; null at its end, undefined if that was not read. */
	readonly nextCursor: string | null | undefined;
}

/** How many of the items have a place in so many bytes, as text. */
export function itemsThatFit({ heading, items }: Pick<TextList, "heading" | "items">, maxBytes: number): number {
	let left = maxBytes - byteLength(`${heading}\n${fence("", "")}`) - FOOTER_BYTES;
	const end = items.findIndex((item) => {
		left -= byteLength(item) + 1;
		return left < 0;
	});
	return end === -1 ? items.length : end;
}

/** A list as text: what it is, its items between fences, and how to go on. */
export function listText({ heading, items, noun, nextCursor }: TextList): string {
	const end = endText(items.length, noun, nextCursor);
	return items.length === 0 ? `${heading}\n${end}` : `${heading}\n${fence(items.join("\n"), "")}\n${end}`;
}

function endText(count: number, noun: TextList["noun"], nextCursor: TextList["nextCursor"]): string {
	const shown = counted(count, ...noun);
	if (nextCursor === undefined) return `There are more after these ${shown}: ask with limit=${count} for the cursor.`;
	if (nextCursor !== null)
		return count === 0
			? `No ${noun[1]} in the part that could be searched in time. Search on with cursor=${nextCursor}`
			: `More after these ${shown}: cursor=${nextCursor}`;
	return count === 0 ? `No ${noun[1]}.` : `That is all: ${shown}.`;
}
