import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { PageLinks } from "#http/page-links.ts";
import { byteLength, bytesOfTokens } from "#resources/text-forms/budget.ts";
import { itemsThatFit, listText } from "#resources/text-forms/list-text.ts";
import { cursor, limit, maxTokens, nextCursor } from "../arguments.ts";
import { type Call, defineTool, NOTE_BYTES, type Tool } from "../tool.ts";

/** What a route that pages answers. */
export interface RestPage<Item> {
	readonly data: readonly Item[];
	readonly next_cursor: string | null;
}

/** Arguments of tools that list. */
export const PAGING = { limit, cursor, max_tokens: maxTokens };
type Paging = z.output<z.ZodObject<typeof PAGING>>;
/** The page that is asked for. */
interface Asked {
	readonly limit: number;
	readonly cursor: string | undefined;
}

interface Listing<Item, Row> {
	/** In words of ours. */
	readonly heading: string;
	readonly noun: readonly [string, string];
	readonly read: (page: Asked) => Promise<RestPage<Item>>;
	readonly toRow: (item: Item) => Row;
	readonly toText: (row: Row) => string;
	/** Of the answer, besides the list. */
	readonly otherBytes?: number;
}

/** Bytes of JSON around the items of a list. */
const FRAME_BYTES = 400;

/**
 * Items of a list, as many as fit, and the cursor behind them: where not all that were asked for fit, fewer are asked for,
 * so that the cursor leaves none out. A search that ends its page early, as it has to read much, is gone on with while
 * there is time.
 * @throws UserError 422 where not even one fits
 */
export async function listed<Item, Row>(call: Call, paging: Paging, listing: Listing<Item, Row>) {
	const { heading, noun, toRow, toText, otherBytes = 0 } = listing;
	const size = bytesOfTokens(paging.max_tokens) - otherBytes - NOTE_BYTES;
	let page: Read<Item> = await readPage(call, paging, listing.read);
	let rows = page.data.map(toRow);
	const fits = Math.min(itemsThatFit({ heading, items: rows.map(toText) }, size), rowsThatFit(rows, size));
	if (fits < rows.length) {
		if (fits === 0)
			throw new UserError(
				422,
				"too_few_tokens",
				`One ${noun[0]} alone takes more than max_tokens=${paging.max_tokens}; ask with more.`,
			);
		const shorter = await call.part("next_cursor", () => readPage(call, { ...paging, limit: fits }, listing.read));
		page = shorter ?? { data: page.data.slice(0, fits), next_cursor: undefined };
		rows = page.data.map(toRow);
	}
	const text = listText({ heading, items: rows.map(toText), noun, nextCursor: page.next_cursor });
	return { rows, nextCursor: page.next_cursor ?? null, text };
}

/** Undefined where it is not known how the list goes on. */
type Read<Item> = Omit<RestPage<Item>, "next_cursor"> & { readonly next_cursor: string | null | undefined };

async function readPage<Item>(
	call: Call,
	{ limit: most, cursor: first }: Paging,
	read: Listing<Item, never>["read"],
): Promise<RestPage<Item>> {
	let page = await read({ limit: most, cursor: first });
	const items = [...page.data];
	while (page.next_cursor !== null && items.length < most) {
		call.progress(`searching on, with ${items.length} found`);
		const following: Asked = { limit: most - items.length, cursor: page.next_cursor };
		const more = await call.part("the rest of the page", () => read(following));
		if (more === undefined) break;
		items.push(...more.data);
		page = more;
	}
	return { data: items, next_cursor: page.next_cursor };
}

function rowsThatFit(rows: readonly unknown[], bytes: number): number {
	let left = bytes - FRAME_BYTES;
	const end = rows.findIndex((row) => {
		left -= byteLength(JSON.stringify(row)) + 1;
		return left < 0;
	});
	return end === -1 ? rows.length : end;
}

interface ListTool<Input extends z.ZodObject, Row extends z.ZodObject, Item>
	extends Pick<Tool, "name" | "title" | "description"> {
	/** Without those of the page. */
	readonly input: Input;
	/** The member of the answer that has the items. */
	readonly member: string;
	readonly row: Row;
	readonly heading: (args: z.output<Input>) => string;
	readonly noun: readonly [string, string];
	readonly read: (args: z.output<Input>, page: Asked, call: Call) => Promise<RestPage<Item>>;
	readonly toRow: (item: Item, links: PageLinks) => z.output<Row>;
	readonly toText: (row: z.output<Row>) => string;
}

/** A tool that answers a list, a page at a time. */
export function defineListTool<Input extends z.ZodObject, Row extends z.ZodObject, Item>(
	tool: ListTool<Input, Row, Item>,
): Tool {
	const { name, title, description, input, member, row, heading, noun, read, toRow, toText } = tool;
	return defineTool({
		...{ name, title, description, access: "read", input: input.extend(PAGING) },
		output: z.object({ [member]: z.array(row), next_cursor: nextCursor }),
		async run(given, call) {
			// The schema is the list's own and that of pages.
			const args = given as z.output<Input> & Paging;
			const answer = await listed<Item, z.output<Row>>(call, args, {
				...{ heading: heading(args), noun, toText },
				read: (page) => read(args, page, call),
				toRow: (item) => toRow(item, call.links),
			});
			return { data: { [member]: answer.rows, next_cursor: answer.nextCursor }, text: answer.text };
		},
	});
}
