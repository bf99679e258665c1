import type { SpanFacts } from "@spanward/semconv";

/** US dollars that one span may cost: what says more, or less than minus that, is no price of a call, and no cost. */
export const MAX_SPAN_COST = 1e9;

export function isPlausibleCost(dollars: number): boolean {
	return Math.abs(dollars) <= MAX_SPAN_COST;
}

/** A cost was sent that does not count. */
export function hasImplausibleCost({ cost_sent: sent }: SpanFacts): boolean {
	return (
		sent !== undefined && !Object.values(sent).every((dollars) => dollars === undefined || isPlausibleCost(dollars))
	);
}
