import { choiceParam, present, textParam } from "../../lib/search-params.ts";

const SORTS = ["last_seen", "first_seen", "traces", "sessions", "errors", "tokens_total", "latency_p95"] as const;

/** The state of the list of users in the address. */
export interface UsersSearch {
	/** Id of the open saved view. */
	saved?: string;
	/** Part of the id. */
	q?: string;
	/** Of their traces: an expression of the filter language, or words. */
	filter?: string;
	/** Absent: by cost. */
	sort?: (typeof SORTS)[number];
	order?: "asc";
}

export function parseUsersSearch(search: Record<string, unknown>): UsersSearch {
	return present({
		saved: textParam(search["saved"]),
		q: textParam(search["q"])?.slice(0, 500),
		filter: textParam(search["filter"])?.slice(0, 10_000),
		sort: choiceParam(search["sort"], SORTS),
		order: choiceParam(search["order"], ["asc"]),
	});
}
