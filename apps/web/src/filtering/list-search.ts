import { present, textParam } from "../lib/search-params.ts";
import { parseTimeRange } from "../lib/time-range.ts";

/** What a list is searched for, as it stands in the address. */
export interface ListSearch {
	/** Words. */
	readonly q?: string;
	/** An expression of the filter language. */
	readonly filter?: string;
}

/** What is asked for after a change in the field, which shows the expression where there is one. */
export function nextListSearch(before: ListSearch, typed: ListSearch): ListSearch {
	const beside = before.filter !== undefined && before.q !== undefined && typed.q === undefined;
	return beside ? { ...typed, q: before.q } : typed;
}

/** What goes along from one list of a project to another: the time range and what is searched for. */
export function parseListSearch(search: Record<string, unknown>) {
	const { q, filter } = search;
	return { ...parseTimeRange(search), ...present({ q: textParam(q), filter: textParam(filter) }) };
}
