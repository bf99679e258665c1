import { type ScoreKey, scoreParam } from "../../annotating/score-key.ts";
import { choiceParam, listParam, numberParam, present, textParam } from "../../lib/search-params.ts";

const SPAN_SORTS = ["latency_ms", "total_cost", "token_count_total"] as const;
const SORTS = [...SPAN_SORTS, "error_count", "span_count"] as const;

/** The state of the list of traces in the address. */
export interface TracesSearch {
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
	/** Absent: by time. */
	sort?: (typeof SORTS)[number] | ScoreKey;
	order?: "asc";
	/** The shown columns, in order, joined by commas; absent: those chosen in this browser, else the default. */
	cols?: string;
	live?: "1";
	/** The open trace, the selected span and the tab of its details. */
	trace?: string;
	span?: string;
	tab?: string;
}

export function parseTracesSearch(search: Record<string, unknown>): TracesSearch {
	return present({
		view: choiceParam(search["view"], ["spans"]),
		q: textParam(search["q"])?.slice(0, 500),
		error: choiceParam(search["error"], ["1", "0"]),
		min: numberParam(search["min"]),
		max: numberParam(search["max"]),
		name: listParam(search["name"]),
		user: listParam(search["user"]),
		session: listParam(search["session"]),
		model: listParam(search["model"]),
		// Only spans are found by kind.
		kind: textParam(search["view"]) === "spans" ? listParam(search["kind"]) : undefined,
		filter: textParam(search["filter"])?.slice(0, 10_000),
		sort:
			scoreParam(search["sort"]) ??
			choiceParam(search["sort"], textParam(search["view"]) === "spans" ? SPAN_SORTS : SORTS),
		order: choiceParam(search["order"], ["asc"]),
		cols: textParam(search["cols"]),
		live: choiceParam(search["live"], ["1"]),
		trace: textParam(search["trace"]),
		span: textParam(search["span"]),
		tab: textParam(search["tab"]),
	});
}
