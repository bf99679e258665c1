import type { Paged } from "@spanward/client";
import type { Invocation } from "./invocation.ts";
import { type Column, formatTable } from "./table.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_PAGE = 1_000;

/** How many items to ask for at once, for `--limit`. */
export function pageSize(invocation: Invocation): number {
	return Math.min(LARGEST_PAGE, (invocation.limit(DEFAULT_LIMIT) ?? LARGEST_PAGE) + 1);
}

/**
 * Prints a list up to `--limit`: a table, or for programs each item as a line, as it comes.
 * @param nothing what to say when there is none
 */
export async function printList<Item>(
	invocation: Invocation,
	list: Paged<Item>,
	columns: readonly Column<Item>[],
	nothing: string,
): Promise<undefined> {
	const { terminal } = invocation;
	const limit = invocation.limit(DEFAULT_LIMIT) ?? Number.POSITIVE_INFINITY;
	const rows: Item[] = [];
	let count = 0;
	let hasMore = false;
	for await (const item of list) {
		if (count === limit) {
			hasMore = true;
			break;
		}
		count += 1;
		if (terminal.isJson) await terminal.printJson(item);
		else rows.push(item);
	}
	if (!terminal.isJson && rows.length > 0) {
		for (const line of formatTable(terminal, columns, rows)) await terminal.print(line);
	}
	if (count === 0) terminal.note(nothing);
	if (hasMore) terminal.note(`There are more than these ${limit}: --limit ${limit * 10}, or --limit all.`);
	return undefined;
}
