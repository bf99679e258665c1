import { type ScoreKey, scoreParam } from "../../annotating/score-key.ts";
import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";

const SORTS = ["end_time", "trace_count", "error_count", "token_count_total", "total_cost"] as const;

/** The state of the list of sessions in the address. */
export interface SessionsSearch {
	/** Id of the open saved view. */
	saved?: string;
	q?: string;
	/** An expression of the filter language. */
	filter?: string;
	user?: string[];
	error?: "1" | "0";
	/** Absent: by start. */
	sort?: (typeof SORTS)[number] | ScoreKey;
	order?: "asc";
	/** The layout of the columns; absent: the one of this browser, else the standard one. */
	cols?: string;
}

export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
	return present({
		saved: textParam(search["saved"]),
		q: textParam(search["q"])?.slice(0, 500),
		filter: textParam(search["filter"])?.slice(0, 10_000),
		user: listParam(search["user"]),
		error: choiceParam(search["error"], ["1", "0"]),
		sort: scoreParam(search["sort"]) ?? choiceParam(search["sort"], SORTS),
		order: choiceParam(search["order"], ["asc"]),
		cols: textParam(search["cols"]),
	});
}
