import { present, textParam } from "../lib/search-params.ts";
import { parseTimeRange } from "../lib/time-range.ts";

/** The search of a list, as in the address. */
export interface ListSearch {
	/** Words. */
	readonly q?: string;
	/** An expression of the filter language. */
	readonly filter?: string;
}

/** The search after a change in the field, which shows the expression if there is one. */
export function nextListSearch(before: ListSearch, typed: ListSearch): ListSearch {
	const beside = before.filter !== undefined && before.q !== undefined && typed.q === undefined;
	return beside ? { ...typed, q: before.q } : typed;
}

/** The parameters that lists of a project share: the time range and the search. */
export function parseListSearch(search: Record<string, unknown>) {
	const { q, filter } = search;
	return { ...parseTimeRange(search), ...present({ q: textParam(q), filter: textParam(filter) }) };
}
