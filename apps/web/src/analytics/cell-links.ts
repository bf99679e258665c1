import type { Analytics, AnalyticsDrillDown } from "@spanward/client";
import { type LinkProps, linkOptions } from "@tanstack/react-router";
import { withCondition } from "../filtering/conditions.ts";
import { present } from "../lib/search-params.ts";
import { isBadNews } from "./measures.ts";

/** One number of an answer. */
export interface Cell {
	/** Index of the group; the other groups together; everything. */
	readonly series: number | "others" | "all";
	readonly measure: string;
	/** Index of the bucket; absent: the whole range. */
	readonly bucket?: number;
}

/** Leads from a number to the rows behind it; undefined where no list can show them. */
export type CellLinks = (cell: Cell) => LinkProps | undefined;

/**
 * @param project its name in addresses; undefined where the answer is about several
 * @param others where the groups behind the others are shown
 */
export function cellLinks(answer: Analytics, project: string | undefined, others?: LinkProps): CellLinks {
	return ({ series, measure, bucket }) => {
		if (series === "others") return others;
		const { drill_down: drillDown } = series === "all" ? answer.all : (answer.series[series] ?? { drill_down: null });
		const span = bucket === undefined ? answer : answer.buckets[bucket];
		if (drillDown === null || span === undefined) return undefined;
		return rowsLink(drillDown, { project, measure, from: span.start_time, to: span.end_time });
	};
}

interface Rows {
	readonly project: string | undefined;
	readonly measure: string;
	readonly from: string;
	readonly to: string;
}

export function rowsLink(drillDown: AnalyticsDrillDown, { project, measure, from, to }: Rows): LinkProps | undefined {
	const search = present({
		q: drillDown.q,
		filter: filterOf(drillDown, measure) || undefined,
		from: new Date(from).toISOString(),
		to: new Date(to).toISOString(),
	});
	const params = { project: project ?? drillDown.project };
	switch (drillDown.of) {
		case "spans":
			return linkOptions({ to: "/p/$project/traces", params, search: { ...search, view: "spans" } }) as LinkProps;
		case "traces":
			return linkOptions({ to: "/p/$project/traces", params, search }) as LinkProps;
		case "sessions":
			return linkOptions({ to: "/p/$project/sessions", params, search }) as LinkProps;
		default:
			return undefined;
	}
}

/** Numbers of errors lead to the rows that have one. */
function filterOf({ filter, error_filter }: AnalyticsDrillDown, measure: string): string {
	if (measure.startsWith("failed_") || measure.startsWith("failure_"))
		return withCondition(filter || undefined, "root_status_code == 'ERROR'");
	return isBadNews(measure) ? error_filter : filter;
}
