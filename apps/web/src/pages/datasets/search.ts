import { listParam, present, textParam } from "../../lib/search-params.ts";

/** The state of the list of datasets in the address. */
export interface DatasetsSearch {
	/** Part of the name. */
	q?: string;
	/** Names of labels; datasets with any of them are listed. */
	label?: string[];
}

export function parseDatasetsSearch(search: Record<string, unknown>): DatasetsSearch {
	return present({ q: textParam(search["q"])?.slice(0, 500), label: listParam(search["label"]) });
}

/** The state of a dataset's list of examples in the address. */
export interface ExamplesSearch {
	/** Id of an older version. */
	version?: string;
	/** Name of a split. */
	split?: string;
	q?: string;
	/** The layout of the columns; absent: the one of this browser, else the standard one. */
	cols?: string;
	/** Id of the example that is open. */
	example?: string;
}

export function parseExamplesSearch(search: Record<string, unknown>): ExamplesSearch {
	return present({
		version: textParam(search["version"]),
		split: textParam(search["split"]),
		q: textParam(search["q"])?.slice(0, 500),
		cols: textParam(search["cols"]),
		example: textParam(search["example"]),
	});
}
