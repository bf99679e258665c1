import { byteLength, grouped, headAndTail } from "./budget.ts";
import { visibleLine, visibleText } from "./untrusted.ts";

/** A piece of what a span holds: a message, an input, an attribute. */
export interface Content {
	/** What it is, in one line: `user`, `output`, `attribute llm.tools`. */
	readonly title: string;
	readonly text: string;
}

export interface Contents<Item extends Content> {
	readonly contents: readonly Item[];
	readonly leftOut: number;
}

/** Texts are cut to this before any is left out. */
const LEAST_BYTES = 160;
const TITLE_CHARACTERS = 120;
/** Of the JSON around an item, besides what is in it. */
const ITEM_BYTES = 8;

/**
 * As much as has a place in so many bytes of JSON: long texts are cut, the longest most; where even that is too much, what
 * is in the middle is left out, as a conversation is known by how it began and how it ended.
 */
export function fitContents<Item extends Content>(items: readonly Item[], maxBytes: number): Contents<Item> {
	const visible = items.map((item) => ({
		...item,
		title: visibleLine(item.title, TITLE_CHARACTERS),
		text: visibleText(item.text.length > maxBytes * 2 ? headAndTail(item.text, maxBytes) : item.text),
	}));
	const sizeAt = (most: number, list = visible) => list.reduce((sum, item) => sum + jsonBytes(cutTo(item, most)), 0);
	let most = maxBytes;
	while (most > LEAST_BYTES && sizeAt(most) > maxBytes) most = Math.max(LEAST_BYTES, Math.floor(most * 0.8));
	const cut = visible.map((item) => cutTo(item, most));
	let total = sizeAt(most);
	const [head, tail] = [[] as Item[], [] as Item[]];
	if (total <= maxBytes) return { contents: cut, leftOut: 0 };
	total = 0;
	for (let taken = 0; taken < cut.length; taken += 1) {
		// One of the beginning for two of the end.
		const isHead = taken % 3 === 0;
		const item = isHead ? cut[head.length] : cut[cut.length - 1 - tail.length];
		if (item === undefined) break;
		total += jsonBytes(item);
		if (total > maxBytes) break;
		if (isHead) head.push(item);
		else tail.unshift(item);
	}
	return { contents: [...head, ...tail], leftOut: cut.length - head.length - tail.length };
}

function cutTo<Item extends Content>(item: Item, maxBytes: number): Item {
	return { ...item, text: headAndTail(item.text, maxBytes) };
}

function jsonBytes(item: object): number {
	return byteLength(JSON.stringify(item)) + ITEM_BYTES;
}

/** Contents as lines of text, each below its title. */
export function contentLines({ contents, leftOut }: Contents<Content>): string[] {
	const lines = contents.map(({ title, text }) => `## ${title}\n${text}`);
	if (leftOut > 0) lines.push(`… ${grouped(leftOut)} more pieces were left out of the middle`);
	return lines;
}
