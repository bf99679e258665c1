import { choiceParam, present, textParam } from "../../../lib/search-params.ts";
import { parseTimeRange, type TimeRangeSearch } from "../../../lib/time-range.ts";

export const OUTCOMES = ["success", "failure", "denied"] as const;

/** The filters of the audit log and the open entry, in the address. */
export interface AuditSearch extends TimeRangeSearch {
	action?: string;
	outcome?: (typeof OUTCOMES)[number];
	/** A username or id. */
	actor?: string;
	/** Id of the entry whose details are shown. */
	entry?: string;
}

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
	return {
		...parseTimeRange(search),
		...present({
			action: textParam(search["action"]),
			outcome: choiceParam(search["outcome"], OUTCOMES),
			actor: textParam(search["actor"]),
			entry: textParam(search["entry"]),
		}),
	};
}
