import { type CursorForm, decodeKeyset, decodeTextKeyset, encodeKeyset, encodeTextKeyset } from "./cursors.ts";

export interface SortedPage<Item> {
	readonly items: readonly Item[];
	readonly next_cursor: string | null;
}

interface SortedQuery {
	readonly cursor?: string | undefined;
	readonly limit: number;
	readonly sort: string;
	readonly order: "asc" | "desc";
}

interface Position<Value> {
	readonly value: Value;
	readonly id: number;
}

type Compare<Value> = (a: Position<Value>, b: Position<Value>) => number;

/** The limit for reading a list as a whole. */
export const ALL_ROWS = 2 ** 31 - 1;

/** Beyond every value, of what comes last in either order. */
const LAST = Number.MAX_SAFE_INTEGER;
/** So much of a text is compared: a cursor has it, and cursors go in addresses. */
const COMPARED_LENGTH = 100;
/** Made with the first list: it loads 3 MB of data about languages. */
let collator: Intl.Collator | undefined;

/** By the alphabet in any case, and numbers within texts by their value. */
function compareTexts(a: string, b: string): number {
	collator ??= new Intl.Collator("en", { sensitivity: "base", numeric: true });
	return collator.compare(a, b);
}

/**
 * A page of a short list that was read as a whole, sorted by `sortValue` and then by row number in the same direction;
 * what has no value comes last.
 * @throws UserError 422 when the cursor is forged or from a list with another sort
 */
export function sortedPage<Item extends { readonly id: number }>(
	items: readonly Item[],
	sortValue: (item: Item) => number | null,
	{ cursor, limit, order, sort }: SortedQuery,
): SortedPage<Item> {
	const form: CursorForm = { kind: "FLOAT", sort: `${sort} ${order}` };
	const direction = order === "asc" ? 1 : -1;
	const positions = items.map((item) => {
		const value = sortValue(item);
		return { item, id: item.id, value: value === null ? LAST : direction * value };
	});
	const compare: Compare<number> = (a, b) => a.value - b.value || direction * (a.id - b.id);
	return cut(positions, compare, decodeKeyset(form, cursor), limit, (last) => encodeKeyset(form, last));
}

/** As {@link sortedPage} by a text that each item has. */
export function pageByText<Item extends { readonly id: number }>(
	items: readonly Item[],
	textOf: (item: Item) => string,
	{ cursor, limit, order, sort }: SortedQuery,
): SortedPage<Item> {
	const form = `${sort} ${order}`;
	const direction = order === "asc" ? 1 : -1;
	const positions = items.map((item) => {
		return { item, id: item.id, value: textOf(item).slice(0, COMPARED_LENGTH).toWellFormed() };
	});
	const compare: Compare<string> = (a, b) => direction * (compareTexts(a.value, b.value) || a.id - b.id);
	return cut(positions, compare, decodeTextKeyset(form, cursor), limit, (last) => encodeTextKeyset(form, last));
}

function cut<Item, Value>(
	positions: readonly (Position<Value> & { readonly item: Item })[],
	compare: Compare<Value>,
	after: Position<Value> | undefined,
	limit: number,
	encode: (last: Position<Value>) => string,
): SortedPage<Item> {
	const sorted = positions.toSorted(compare);
	const rest = after === undefined ? sorted : sorted.filter((each) => compare(each, after) > 0);
	const page = rest.slice(0, limit);
	const last = page.at(-1);
	return {
		items: page.map(({ item }) => item),
		next_cursor: last !== undefined && rest.length > limit ? encode(last) : null,
	};
}
