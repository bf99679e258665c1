import { choiceParam, present, textParam } from "../../../lib/search-params.ts";

/** The state of a comparison in the address, besides the project and trace of its left side. */
export interface CompareTracesSearch {
	/** Trace id of the right side; absent until it is chosen. */
	with?: string;
	/** Project of the right side; absent: the one of the left. */
	in?: string;
	/** Id of the selected span on the left. */
	span?: string;
	/** Id of the selected span on the right, where it is only there. */
	right?: string;
	only?: "differences";
}

export function parseCompareTracesSearch(search: Record<string, unknown>): CompareTracesSearch {
	return present({
		with: textParam(search["with"])?.slice(0, 200),
		in: textParam(search["in"])?.slice(0, 200),
		span: textParam(search["span"]),
		right: textParam(search["right"]),
		only: choiceParam(search["only"], ["differences"]),
	});
}
