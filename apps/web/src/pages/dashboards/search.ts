import type { ListSearch } from "../../filtering/list-search.ts";
import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";
import { parseTimeRange, type TimeRangeSearch } from "../../lib/time-range.ts";

export const REFRESHES = [30, 60, 300, 900] as const;
export type Refresh = (typeof REFRESHES)[number];

/** What the address of a dashboard says wins over what is saved with it. */
export interface DashboardSearch extends ListSearch {
	zone?: string;
	/** Seconds, or `off`. */
	refresh?: `${Refresh}` | "off";
	/** The field of a menu, `=`, and the filter that was chosen in it. */
	control?: string[];
	/** Key of the widget that the page begins with. */
	widget?: string;
}

export interface DashboardsSearch {
	q?: string;
}

export function parseDashboardSearch(search: Record<string, unknown>): DashboardSearch {
	return present({
		q: textParam(search["q"]),
		filter: textParam(search["filter"]),
		zone: textParam(search["zone"]),
		refresh: choiceParam(search["refresh"], [...REFRESHES.map((seconds) => `${seconds}` as const), "off" as const]),
		control: listParam(search["control"]),
		widget: textParam(search["widget"]),
	});
}

/** Across projects no page around it has the time range. */
export function parseAcrossDashboardSearch(search: Record<string, unknown>): DashboardSearch & TimeRangeSearch {
	return { ...parseDashboardSearch(search), ...parseTimeRange(search) };
}

export function parseDashboardsSearch(search: Record<string, unknown>): DashboardsSearch {
	return present({ q: textParam(search["q"]) });
}
