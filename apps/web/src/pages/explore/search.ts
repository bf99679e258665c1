import { type ChartSearch, parseChartSearch } from "../../analytics/search.ts";
import { parseRowFilters } from "../../filtering/row-filters.ts";
import { choiceParam, present } from "../../lib/search-params.ts";
import { parseTimeRange, type TimeRangeSearch } from "../../lib/time-range.ts";
import type { ListFilters } from "./list-filters.ts";

/** The state of Explore in the address. */
export interface ExploreSearch extends ChartSearch, ListFilters {
	/** Absent: the groups. */
	tab?: "rows";
}

export function parseExploreSearch(search: Record<string, unknown>): ExploreSearch {
	// Kinds are filters of spans, whatever the view.
	const { view: _view, q: _q, filter: _filter, ...ofList } = parseRowFilters({ ...search, view: "spans" });
	return { ...ofList, ...parseChartSearch(search), ...present({ tab: choiceParam(search["tab"], ["rows"]) }) };
}

/** Across projects no page around it has the time range. */
export function parseAcrossSearch(search: Record<string, unknown>): ExploreSearch & TimeRangeSearch {
	return { ...parseExploreSearch(search), ...parseTimeRange(search) };
}
