import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";

/** The state of the list of sessions in the address. */
export interface SessionsSearch {
	q?: string;
	/** An expression of the filter language. */
	filter?: string;
	user?: string[];
	error?: "1" | "0";
	order?: "asc";
	/** The layout of the columns; absent: the one of this browser, else the standard one. */
	cols?: string;
}

export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
	return present({
		q: textParam(search["q"])?.slice(0, 500),
		filter: textParam(search["filter"])?.slice(0, 10_000),
		user: listParam(search["user"]),
		error: choiceParam(search["error"], ["1", "0"]),
		order: choiceParam(search["order"], ["asc"]),
		cols: textParam(search["cols"]),
	});
}
