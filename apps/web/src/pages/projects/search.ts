import { choiceParam, present, textParam } from "../../lib/search-params.ts";

const SORTS = ["span_count", "error_rate", "token_count_total", "total_cost", "newest_trace_start_time"] as const;

/** What the list of projects is sorted by, besides their creation. */
export type ProjectSort = (typeof SORTS)[number];

/** The state of the list of projects in the address. */
export interface ProjectsSearch {
	/** Part of the name. */
	q?: string;
	/** Absent: by creation. */
	sort?: ProjectSort;
	order?: "asc";
}

export function parseProjectsSearch(search: Record<string, unknown>): ProjectsSearch {
	return present({
		q: textParam(search["q"]),
		sort: choiceParam(search["sort"], SORTS),
		order: choiceParam(search["order"], ["asc"]),
	});
}

/** The address after a click on a column's title: descending, ascending, then by creation again. */
export function withSort({ q, sort: before, order }: ProjectsSearch, sort: ProjectSort): ProjectsSearch {
	const next = before !== sort ? { sort } : order === undefined ? { sort, order: "asc" as const } : {};
	return { ...(q ? { q } : {}), ...next };
}
