import { textParam } from "../../lib/search-params.ts";

/** Where the playground begins; at most one of the sources is there. */
export interface PlaygroundSearch {
	/** `<trace hex>:<span hex>`, or the global id of a span. */
	readonly span?: string;
	/** Id or name of the span's project. */
	readonly project?: string;
	readonly prompt_version?: string;
	readonly experiment?: string;
	/** Global id of a dataset to run over. */
	readonly dataset?: string;
	/** The variant that is shown on a narrow screen, from 1. */
	readonly variant?: string;
}

const NAMES = ["span", "project", "prompt_version", "experiment", "dataset", "variant"] as const;

export function parsePlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
	return Object.fromEntries(
		NAMES.flatMap((name) => {
			const value = textParam(search[name]);
			return value === undefined ? [] : [[name, value]];
		}),
	);
}
