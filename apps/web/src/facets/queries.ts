import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { rangeQuery, type TimeRangeSearch } from "../lib/time-range.ts";
import type { CountedRows } from "./facet-fields.ts";

/** The server counts the last day where no time is named; a list without a range shows all. */
const ALL_TIME = "1970-01-01T00:00:00.000Z";

export interface FacetsAsked {
	readonly project: string;
	readonly of: CountedRows;
	readonly fields: readonly string[];
	/** An expression or words. */
	readonly filter: string | undefined;
	readonly range: TimeRangeSearch;
	readonly limit: number;
	readonly contains?: string;
}

/** The most frequent values of fields. */
export function facetsQuery({ project, of, fields, filter, range, limit, contains }: FacetsAsked) {
	const time = { start_time: ALL_TIME, ...rangeQuery(range) };
	return queryOptions({
		queryKey: ["facets", project, of, fields, filter, range, limit, contains],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/facets", {
					path: { project_identifier: project },
					query: {
						...{ of, field: [...fields], limit, ...time },
						...(filter === undefined ? {} : { filter }),
						...(contains ? { value_contains: contains } : {}),
					},
					signal,
				})
			).data,
		staleTime: 15_000,
		refetchInterval: 60_000,
		placeholderData: keepPreviousData,
	});
}
