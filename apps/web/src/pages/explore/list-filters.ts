import type { RowFilters } from "../../filtering/row-filters.ts";

const LIST_FILTERS = ["error", "min", "max", "name", "user", "session", "model", "kind"] as const;
/** Filters of lists beside `filter` and `q`: Explore has them in its filter. */
export type ListFilters = Pick<RowFilters, (typeof LIST_FILTERS)[number]>;

/** Whether the address has filters as lists have them. */
export function hasListFilters(search: ListFilters): boolean {
	return LIST_FILTERS.some((field) => search[field] !== undefined);
}

export function withoutListFilters<Search extends ListFilters>(search: Search): Search {
	const left = Object.entries(search).filter(([field]) => !(LIST_FILTERS as readonly string[]).includes(field));
	return Object.fromEntries(left) as Search;
}
