import { parseRowFilters, type RowFilters } from "../../filtering/row-filters.ts";
import { choiceParam, present } from "../../lib/search-params.ts";

/** With filters, the charts show the rows that match. */
export interface OverviewSearch extends RowFilters {
	by?: "model" | "kind" | "name";
}

export function parseOverviewSearch(search: Record<string, unknown>): OverviewSearch {
	return present({ ...parseRowFilters(search), by: choiceParam(search["by"], ["model", "kind", "name"]) });
}
