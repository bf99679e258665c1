import { choiceParam, listParam, numberParam, present, textParam } from "../lib/search-params.ts";

/** Filters of traces or spans in the address. */
export interface RowFilters {
	/** All spans instead of one row per trace. */
	view?: "spans";
	q?: string;
	/** 1: only with an error, 0: only without. */
	error?: "1" | "0";
	/** Latency bounds in milliseconds. */
	min?: number;
	max?: number;
	name?: string[];
	user?: string[];
	session?: string[];
	model?: string[];
	kind?: string[];
	/** An expression of the filter language. */
	filter?: string;
}

export function parseRowFilters(search: Record<string, unknown>): RowFilters {
	const view = choiceParam(search["view"], ["spans"]);
	return present({
		view,
		q: textParam(search["q"])?.slice(0, 500),
		error: choiceParam(search["error"], ["1", "0"]),
		min: numberParam(search["min"]),
		max: numberParam(search["max"]),
		name: listParam(search["name"]),
		user: listParam(search["user"]),
		session: listParam(search["session"]),
		model: listParam(search["model"]),
		// Only spans are found by kind.
		kind: view === "spans" ? listParam(search["kind"]) : undefined,
		filter: textParam(search["filter"])?.slice(0, 10_000),
	});
}

/** The filters as parameters of a request for rows, without the time range and the kinds of spans. */
export function filterQuery(filter: RowFilters) {
	return {
		...(filter.q ? { q: filter.q } : {}),
		...(filter.error ? { error: filter.error === "1" } : {}),
		...(filter.min === undefined ? {} : { min_latency_ms: filter.min }),
		...(filter.max === undefined ? {} : { max_latency_ms: filter.max }),
		...(filter.name ? { name: filter.name } : {}),
		...(filter.user ? { user_id: filter.user } : {}),
		...(filter.session ? { session_id: filter.session } : {}),
		...(filter.model ? { model: filter.model } : {}),
		...(filter.filter ? { filter: filter.filter } : {}),
	};
}
