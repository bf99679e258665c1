import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";

/** A list of experiments, as it stands in the address. */
export interface ExperimentsSearch {
	/** Part of the name. */
	q?: string;
}

export function parseExperimentsSearch(search: Record<string, unknown>): ExperimentsSearch {
	return present({ q: textParam(search["q"])?.slice(0, 500) });
}

/** How many can be compared, with the base. */
export const MOST_COMPARED = 5;

/** A comparison, as it stands in the address. */
export interface CompareSearch {
	/** Ids of the experiments; the first is the base. */
	experiment?: string[];
	sort?: "example";
	/** The metric that the order goes by. */
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
