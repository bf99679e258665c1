import type { Analytics } from "@spanward/client";
import type { LinkProps } from "@tanstack/react-router";
import { withCondition } from "../filtering/conditions.ts";
import { rowsLink } from "./cell-links.ts";
import type { AnalyticsRows } from "./chart.ts";

/** How a number is spread, of all and in each bucket. */
export type Distribution = NonNullable<Analytics["distribution"]>;

/** The rows of a bin, of the whole range or of one bucket; undefined where no list can show them. */
export function binLink(
	answer: Analytics,
	project: string | undefined,
	bin: number,
	bucket?: number,
): LinkProps | undefined {
	const { distribution } = answer;
	const { drill_down: drillDown } = answer.all;
	const bounds = distribution?.bins[bin];
	const span = bucket === undefined ? answer : answer.buckets[bucket];
	// What scores are about has other lists, whose filters say scores otherwise.
	if (!distribution || !bounds || !span || drillDown === null || drillDown.of !== answer.of) return undefined;
	const isLast = bin === distribution.bins.length - 1;
	const field = filterField(answer.of, distribution.of);
	const condition = `${field} >= ${bounds.start} and ${field} ${isLast ? "<=" : "<"} ${bounds.end}`;
	const filter = withCondition(drillDown.filter || undefined, condition);
	const times = { from: span.start_time, to: span.end_time };
	return rowsLink({ ...drillDown, filter }, { project, measure: "count", ...times });
}

/** What filters of these rows call a number. */
function filterField(of: AnalyticsRows, number: string): string {
	if (of === "spans" && number === "token_count_total") return "llm_token_count_total";
	return of === "sessions" && number === "latency_ms" ? "duration_ms" : number;
}
