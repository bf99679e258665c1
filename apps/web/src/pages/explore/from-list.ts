import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { conditionOf } from "../../filtering/list-condition.ts";
import { present } from "../../lib/search-params.ts";
import { withoutListFilters } from "./list-filters.ts";
import type { ExploreSearch } from "./search.ts";

/** The address with all filters of a list as one expression, and its words. */
export function joinListFilters<Search extends ExploreSearch>(search: Search): Search {
	const target: FilterTarget = search.of === "traces" ? "trace" : search.of === "sessions" ? "session" : "span";
	const { condition, words } = conditionOf(target, { ...search, ...(target === "span" ? { view: "spans" } : {}) });
	const { filter: _filter, q: _q, ...rest } = withoutListFilters(search);
	// Words of a filter may be in quotes, which words beside an expression have not.
	const q = words === undefined ? undefined : (parseFilter(target, words).text ?? words);
	return { ...rest, ...present({ filter: condition, q }) } as Search;
}
