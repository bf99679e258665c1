import { type ScoreKey, scoreParam } from "../../annotating/score-key.ts";
import { parseRowFilters, type RowFilters } from "../../filtering/row-filters.ts";
import { choiceParam, present, textParam } from "../../lib/search-params.ts";

const BOTH = ["latency_ms", "total_cost", "token_count_total"] as const;
const SPAN_SORTS = [...BOTH, "status_code"] as const;
const TRACE_SORTS = [...BOTH, "error_count", "span_count"] as const;

/** The state of the list of traces in the address. */
export interface TracesSearch extends RowFilters {
	/** Id of the open saved view. */
	saved?: string;
	/** Absent: by time. */
	sort?: (typeof SPAN_SORTS | typeof TRACE_SORTS)[number] | ScoreKey;
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
		...parseRowFilters(search),
		saved: textParam(search["saved"]),
		sort:
			scoreParam(search["sort"]) ??
			choiceParam(search["sort"], textParam(search["view"]) === "spans" ? SPAN_SORTS : TRACE_SORTS),
		order: choiceParam(search["order"], ["asc"]),
		cols: textParam(search["cols"]),
		live: choiceParam(search["live"], ["1"]),
		trace: textParam(search["trace"]),
		span: textParam(search["span"]),
		tab: textParam(search["tab"]),
	});
}
