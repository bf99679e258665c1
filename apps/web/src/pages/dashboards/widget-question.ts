import type { Dashboard } from "@spanward/client";
import type { AnalyticsQuery, Chart, ChartDisplay, ChartKind } from "../../analytics/chart.ts";
import { toRange } from "../../analytics/search.ts";
import { present } from "../../lib/search-params.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { type IsWords, narrowed } from "./narrowing.ts";
import type { DashboardSearch } from "./search.ts";

export type Widget = Dashboard["widgets"][number];
type Content = Pick<Dashboard, "range" | "time_zone" | "filter" | "controls">;
/** A question as dashboards store it: projects by name. */
export type StoredQuery = Omit<AnalyticsQuery, "project" | "of"> & {
	readonly of?: AnalyticsQuery["of"];
	readonly projects?: readonly string[];
};

/** The saved question of a widget. The server has checked it. */
export function storedQueryOf({ query }: Pick<Widget, "query">): StoredQuery {
	return (query ?? {}) as StoredQuery;
}

/** The chart of a widget as it is edited: without what the dashboard adds. */
export function savedChartOf(widget: Widget): Chart {
	const { projects, ...query } = storedQueryOf(widget);
	return {
		kind: widget.kind as ChartKind,
		query: { of: "spans", ...query, ...(projects ? { project: projects } : {}) },
		display: widget.display as ChartDisplay,
	};
}

/** The same as it is stored. */
export function toStoredQuery({ project, ...query }: AnalyticsQuery): Record<string, unknown> {
	return { ...query, ...(project ? { projects: [...project] } : {}) };
}

/** What a widget asks on a page with this address. */
export function chartOf(
	widget: Widget,
	dashboard: Content,
	search: DashboardSearch & TimeRangeSearch,
	isWords: IsWords,
): Chart {
	const saved = savedChartOf(widget);
	const { range, start_time, end_time, time_zone, filter, q, ...query } = saved.query;
	const zone = search.zone ?? time_zone ?? (dashboard.time_zone === "browser" ? undefined : dashboard.time_zone);
	const hasTimes = range !== undefined || start_time !== undefined || end_time !== undefined;
	const times =
		search.from === undefined && search.to === undefined && hasTimes
			? present({ range, start_time, end_time })
			: toRange(search, dashboard.range);
	return {
		...saved,
		query: present({
			...query,
			...times,
			time_zone: zone ?? undefined,
			...narrowed(query.of, { filter, q }, dashboard, search, isWords),
		}) as AnalyticsQuery,
	};
}
