import { type CursorForm, decodeKeyset, encodeKeyset } from "./cursors.ts";

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

/** The limit for reading a list as a whole. */
export const ALL_ROWS = 2 ** 31 - 1;

/** Beyond every value, of what comes last in either order. */
const LAST = Number.MAX_SAFE_INTEGER;

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
	const after = decodeKeyset(form, cursor);
	const keyOf = (item: Item) => {
		const value = sortValue(item);
		return value === null ? LAST : direction * value;
	};
	const sorted = items
		.map((item) => ({ item, id: item.id, key: keyOf(item) }))
		.toSorted((a, b) => a.key - b.key || direction * (a.id - b.id));
	const isAfter = ({ key, id }: { key: number; id: number }) =>
		after === undefined || key > after.value || (key === after.value && direction * id > direction * after.id);
	const rest = sorted.filter(isAfter);
	const page = rest.slice(0, limit);
	const last = page.at(-1);
	const next_cursor =
		last !== undefined && rest.length > limit ? encodeKeyset(form, { id: last.id, value: last.key }) : null;
	return { items: page.map(({ item }) => item), next_cursor };
}
