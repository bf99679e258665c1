import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { present } from "../../../lib/search-params.ts";
import { rangeQuery } from "../../../lib/time-range.ts";
import type { AuditSearch } from "./audit-search.ts";
import { ACTIONS } from "./audit-words.ts";

const PAGE_SIZE = 100;

/** The filters as parameters of a request; an unknown action is ignored. */
function toQuery({ action, outcome, actor, ...range }: AuditSearch) {
	const known = ACTIONS.filter((each) => each === action);
	return { ...present({ outcome, actor }), ...(known.length > 0 ? { action: known } : {}), ...rangeQuery(range) };
}

/** The entries that match the filters, the newest first. */
export function auditPages({ entry: _entry, ...search }: AuditSearch) {
	return infiniteQueryOptions({
		queryKey: ["audit", search],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/audit_events", {
				query: { ...toQuery(search), limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		staleTime: 0,
	});
}

/** Address for downloading all matching entries, one JSON object per line. */
export function auditDownload(search: AuditSearch): string {
	return api.url("/v1/audit_events", { query: { ...toQuery(search), format: "ndjson" } });
}
