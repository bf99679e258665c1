import { byteLength, bytesOfTokens, counted } from "./budget.ts";
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
	/** Where the list goes on behind these items. */
	readonly nextCursor: string | null;
}

/** How many of the items have a place in so many tokens, as text. */
export function itemsThatFit({ heading, items }: Pick<TextList, "heading" | "items">, maxTokens: number): number {
	let left = bytesOfTokens(maxTokens) - byteLength(`${heading}\n${fence("", "")}`) - FOOTER_BYTES;
	const end = items.findIndex((item) => {
		left -= byteLength(item) + 1;
		return left < 0;
	});
	return end === -1 ? items.length : end;
}

/** A list as text: what it is, its items between fences, and how to go on. */
export function listText({ heading, items, noun, nextCursor }: TextList): string {
	if (items.length === 0) return `${heading}\nNo ${noun[1]}.`;
	const more =
		nextCursor === null
			? `That is all: ${counted(items.length, ...noun)}.`
			: `More after these ${counted(items.length, ...noun)}: cursor=${nextCursor}`;
	return `${heading}\n${fence(items.join("\n"), "")}\n${more}`;
}
