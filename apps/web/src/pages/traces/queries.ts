import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { filterQuery } from "../../filtering/row-filters.ts";
import { api } from "../../lib/api.ts";
import { rangeQuery, type TimeRangeSearch } from "../../lib/time-range.ts";
import { chosenColumns, showsContent } from "./chosen-columns.ts";
import type { RowPage } from "./merge-rows.ts";
import { fromSpan, fromTrace } from "./rows.ts";
import type { TracesSearch } from "./search.ts";

/** More than fit a screen, and no more: they are a tenth of what the first page loads. */
const PAGE_SIZE = 40;

/** The part of the address that determines the rows. */
export type RowFilter = Omit<TracesSearch, "saved" | "cols" | "live" | "trace" | "span" | "tab"> & TimeRangeSearch;

export function rowFilter(search: TracesSearch & TimeRangeSearch): RowFilter {
	const { saved: _saved, cols: _cols, live: _live, trace: _trace, span: _span, tab: _tab, ...filter } = search;
	return filter;
}

/** The filter of the list, as the API takes it. */
export function listFilter(filter: RowFilter) {
	return {
		...rangeQuery(filter),
		...filterQuery(filter),
		...(filter.view === "spans" && filter.kind ? { span_kind: filter.kind } : {}),
	};
}

function shared(filter: RowFilter) {
	return { ...listFilter(filter), order: filter.order ?? ("desc" as const) };
}

/** Only traces are sorted by their numbers of spans and errors, only spans by their status. */
function spanSort(sort: RowFilter["sort"]) {
	return sort === undefined || sort === "error_count" || sort === "span_count" ? "start_time" : sort;
}

function traceSort(sort: RowFilter["sort"]) {
	return sort === undefined || sort === "status_code" ? "start_time" : sort;
}

/** One page of rows. */
export async function fetchRows(
	project: string,
	filter: RowFilter,
	withContent: boolean,
	cursor: string | undefined,
	{ signal, limit = PAGE_SIZE }: { readonly signal?: AbortSignal; readonly limit?: number } = {},
): Promise<RowPage> {
	const path = { project_identifier: project };
	const more = { ...(cursor ? { cursor } : {}) };
	const extra = signal ? { signal } : {};
	if (filter.view === "spans") {
		const page = await api.get("/v1/projects/{project_identifier}/spans", {
			path,
			query: {
				...shared(filter),
				...more,
				sort: spanSort(filter.sort),
				view: "summary",
				limit,
				include: withContent ? ["semantic", "annotations"] : ["annotations"],
			},
			...extra,
		});
		return { rows: page.data.map(fromSpan), next: page.next_cursor, warnings: page.warnings ?? [] };
	}
	const page = await api.get("/v1/projects/{project_identifier}/traces", {
		path,
		query: {
			...shared(filter),
			...more,
			sort: traceSort(filter.sort),
			limit,
			include: ["annotations"],
		},
		...extra,
	});
	return { rows: page.data.map(fromTrace), next: page.next_cursor, warnings: page.warnings ?? [] };
}

/** The current row of a trace, or of one of its spans. */
export async function fetchRow(project: string, traceId: string, spanId: string | undefined): Promise<RowPage> {
	const trace = `trace_id == ${JSON.stringify(traceId)}`;
	if (spanId === undefined) return await fetchRows(project, { filter: trace }, false, undefined);
	return await fetchRows(
		project,
		{ view: "spans", filter: `${trace} and span_id == ${JSON.stringify(spanId)}` },
		true,
		undefined,
	);
}

export function rowPages(project: string, filter: RowFilter, withContent: boolean) {
	return infiniteQueryOptions({
		queryKey: ["rows", project, filter, filter.view === "spans" && withContent] as const,
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) => fetchRows(project, filter, withContent, pageParam, { signal }),
		getNextPageParam: (page) => page.next ?? undefined,
		// The stream announces new rows; refetching every page would make the list jump.
		staleTime: Number.POSITIVE_INFINITY,
		refetchOnWindowFocus: false,
	});
}

/** The rows that the list shows at an address in this browser. */
export function listedRows(project: string, search: TracesSearch & TimeRangeSearch) {
	const layout = search.cols ?? chosenColumns[search.view ?? "traces"].get();
	return rowPages(project, rowFilter(search), showsContent(layout));
}

/** Whether the project has any trace at all, whatever the filters. */
export function hasTracesQuery(project: string) {
	return queryOptions({
		queryKey: ["has-traces", project],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: { limit: 1 },
				signal,
			});
			return page.data.length > 0;
		},
		staleTime: 5_000,
	});
}
