import { listParam, present, textParam } from "../../lib/search-params.ts";

/** The list of datasets, as it stands in the address. */
export interface DatasetsSearch {
	/** Part of the name. */
	q?: string;
	/** Names of labels; a dataset has one of them. */
	label?: string[];
}

export function parseDatasetsSearch(search: Record<string, unknown>): DatasetsSearch {
	return present({ q: textParam(search["q"])?.slice(0, 500), label: listParam(search["label"]) });
}

/** The examples of a dataset, as they stand in the address. */
export interface ExamplesSearch {
	/** Id of an older version. */
	version?: string;
	/** Name of a split. */
	split?: string;
	q?: string;
	/** Id of the example that is open. */
	example?: string;
}

export function parseExamplesSearch(search: Record<string, unknown>): ExamplesSearch {
	return present({
		version: textParam(search["version"]),
		split: textParam(search["split"]),
		q: textParam(search["q"])?.slice(0, 500),
		example: textParam(search["example"]),
	});
}
