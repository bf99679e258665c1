import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { fetchSeries } from "../lib/metrics.ts";
import type { TimeRangeSearch } from "../lib/time-range.ts";
import { filterQuery, type RowFilters } from "./row-filters.ts";

/** The series of the traces or spans that match the filters of a list. */
export function rowSeriesQuery(project: string, filters: RowFilters, range: TimeRangeSearch) {
	const { view, kind } = filters;
	const filter = filterQuery(filters);
	return queryOptions({
		queryKey: ["row-metrics", project, view, kind, filter, range],
		queryFn: ({ signal }) =>
			fetchSeries(range, (asked) => {
				const path = { project_identifier: project };
				const query = { ...filter, ...asked };
				if (view === undefined) {
					return api.get("/v1/projects/{project_identifier}/trace_metrics", { path, query, signal });
				}
				return api.get("/v1/projects/{project_identifier}/span_metrics", {
					path,
					query: { ...query, ...(kind ? { span_kind: kind } : {}) },
					signal,
				});
			}),
		staleTime: 15_000,
		refetchInterval: 60_000,
		placeholderData: (before) => before,
	});
}
