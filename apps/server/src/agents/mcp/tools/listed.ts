import { byteLength, bytesOfTokens } from "#resources/text-forms/budget.ts";
import { itemsThatFit, listText } from "#resources/text-forms/list-text.ts";

/** What a route that pages answers. */
export interface RestPage<Item> {
	readonly data: readonly Item[];
	readonly next_cursor: string | null;
}

interface Listing<Item, Row> {
	readonly maxTokens: number;
	readonly limit: number;
	/** In words of ours. */
	readonly heading: string;
	readonly noun: readonly [string, string];
	/** Reads the first items of the page that is asked for. */
	readonly read: (limit: number) => Promise<RestPage<Item>>;
	readonly toRow: (item: Item) => Row;
	readonly toText: (row: Row) => string;
}

/** Bytes of JSON around the items of a list. */
const FRAME_BYTES = 1_500;

/**
 * Items of a list, as many as fit, and the cursor behind them: where not all that were asked for fit, fewer are asked for,
 * so that the cursor leaves none out.
 */
export async function listed<Item, Row>(listing: Listing<Item, Row>) {
	const { heading, noun, toRow, toText, maxTokens } = listing;
	let page = await listing.read(listing.limit);
	let rows = page.data.map(toRow);
	const fits = Math.min(itemsThatFit({ heading, items: rows.map(toText) }, maxTokens), rowsThatFit(rows, maxTokens));
	if (fits < rows.length) {
		page = await listing.read(Math.max(1, fits));
		rows = page.data.map(toRow).slice(0, fits);
	}
	const text = listText({ heading, items: rows.map(toText), noun, nextCursor: page.next_cursor });
	return { rows, nextCursor: page.next_cursor, text, page };
}

function rowsThatFit(rows: readonly unknown[], maxTokens: number): number {
	let left = bytesOfTokens(maxTokens) - FRAME_BYTES;
	const end = rows.findIndex((row) => {
		left -= byteLength(JSON.stringify(row)) + 1;
		return left < 0;
	});
	return end === -1 ? rows.length : end;
}
