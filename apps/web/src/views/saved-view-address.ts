import { textParam } from "../lib/search-params.ts";
import type { ListAddress } from "./list-address.ts";

/** Ids of saved views: `View:` and a number in base64. */
const SAVED_VIEW = /^Vmlldzo[\w+/]+={0,2}$/;

/**
 * Lets a list read which saved view its address names. There `view` is `spans`, or the id of the view, beside which `rows`
 * says `spans`; in the search of the list the id is `saved`, and `view` is always about the rows.
 */
export function withSavedView<Search extends object>(parse: (search: Record<string, unknown>) => Search) {
	return (address: Record<string, unknown>): Search => {
		// What a parser leaves out stays in the search as the address has it, so that these two are named.
		const unread = { view: undefined, rows: undefined };
		return { ...unread, ...parse(fromAddress(address)) };
	};
}

function fromAddress({ view, rows, saved, ...search }: Record<string, unknown>): Record<string, unknown> {
	const id = textParam(view);
	if (id !== undefined && SAVED_VIEW.test(id)) return { ...search, saved: id, view: rows };
	// The router has also searches read that were read before.
	const read = textParam(saved);
	return { ...search, view, ...(read !== undefined && SAVED_VIEW.test(read) ? { saved: read } : {}) };
}

/** The search of a list as its address says it. */
export function toAddress({ saved, view, rows: _rows, ...search }: ListAddress): ListAddress {
	return saved === undefined ? { view, ...search } : { view: saved, rows: view, ...search };
}

/** Writes the search of a list into its address. */
export function writeSavedView<Search extends object>({
	search,
	next,
}: {
	search: Search;
	next: (search: Search) => Search;
}): Search {
	return toAddress(next(search) as ListAddress) as Search;
}
