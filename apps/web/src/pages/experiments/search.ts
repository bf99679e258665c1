import { type ScoreKey, scoreParam } from "../../annotating/score-key.ts";
import { JOB_STATES } from "../../lib/experiment-jobs.ts";
import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";

const SORTS = ["average_latency_ms", "error_rate", "total_cost", "total_tokens"] as const;

export const LISTED_JOBS = ["all", ...JOB_STATES] as const;

/** The state of a list of experiments in the address. */
export interface ExperimentsSearch {
	/** Absent: by creation. */
	sort?: (typeof SORTS)[number] | ScoreKey;
	order?: "asc";
	/** Part of the name. */
	q?: string;
	/** The layout of the columns; absent: the one of this browser, else the standard one. */
	cols?: string;
	/** The jobs that are listed; absent: those that have not ended, or just have. */
	jobs?: (typeof LISTED_JOBS)[number];
}

export function parseExperimentsSearch(search: Record<string, unknown>): ExperimentsSearch {
	return present({
		q: textParam(search["q"])?.slice(0, 500),
		sort: scoreParam(search["sort"]) ?? choiceParam(search["sort"], SORTS),
		order: choiceParam(search["order"], ["asc"]),
		cols: textParam(search["cols"]),
		jobs: choiceParam(search["jobs"], LISTED_JOBS),
	});
}

/** The most experiments in a comparison, including the base. */
export const MOST_COMPARED = 5;

/** The state of a comparison in the address. */
export interface CompareSearch {
	/** Ids of the experiments; the first is the base. */
	experiment?: string[];
	sort?: "example";
	/** The metric that determines the order. */
	metric?: string;
	/** Only examples in which an experiment is worse than the base. */
	only?: "regressions";
	/** Id of the example that is shown in full. */
	example?: string;
}

export function parseCompareSearch(search: Record<string, unknown>): CompareSearch {
	// The released Phoenix clients print addresses with `experimentId`.
	const experiments = listParam(search["experiment"] ?? search["experimentId"]);
	return present({
		experiment: experiments?.slice(0, MOST_COMPARED),
		sort: choiceParam(search["sort"], ["example"]),
		metric: textParam(search["metric"]),
		only: choiceParam(search["only"], ["regressions"]),
		example: textParam(search["example"]),
	});
}
