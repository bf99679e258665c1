import { choiceParam, present, textParam } from "../../lib/search-params.ts";

const SORTS = [
	"name",
	"span_count",
	"error_rate",
	"latency_p95",
	"token_count_total",
	"total_cost",
	"newest_trace_start_time",
] as const;

/** What the list of projects is sorted by, besides their creation. */
export type ProjectSort = (typeof SORTS)[number];

export type ProjectOrder = "asc" | "desc";

/** The state of the list of projects in the address. */
export interface ProjectsSearch {
	/** Part of the name. */
	q?: string;
	/** Absent: by creation. */
	sort?: ProjectSort;
	/** Absent: as the sort begins, names from A on and numbers from the largest. */
	order?: ProjectOrder;
}

export function parseProjectsSearch(search: Record<string, unknown>): ProjectsSearch {
	return present({
		q: textParam(search["q"]),
		sort: choiceParam(search["sort"], SORTS),
		order: choiceParam(search["order"], ["asc", "desc"]),
	});
}

/** The order of the list of `search`; undefined by creation. */
export function orderOf({ sort, order }: Pick<ProjectsSearch, "sort" | "order">): ProjectOrder | undefined {
	return sort && (order ?? firstOrder(sort));
}

/** The address after a click on a column's title: names from A on and numbers from the largest, the other way, by creation. */
export function withSort(search: ProjectsSearch, sort: ProjectSort): ProjectsSearch {
	const { q, sort: before } = search;
	const first = firstOrder(sort);
	const isReversed = orderOf(search) !== first;
	const next =
		before !== sort ? { sort } : isReversed ? {} : ({ sort, order: first === "asc" ? "desc" : "asc" } as const);
	return { ...(q ? { q } : {}), ...next };
}

function firstOrder(sort: ProjectSort): ProjectOrder {
	return sort === "name" ? "asc" : "desc";
}
