import type { SpanFacts } from "@spanward/semconv";

/**
 * The most US dollars that one span may cost: an amount beyond it, positive or negative, is implausible and does not
 * count.
 */
export const MAX_SPAN_COST = 1e9;

export function isPlausibleCost(dollars: number): boolean {
	return Math.abs(dollars) <= MAX_SPAN_COST;
}

/** Whether the cost that was sent is implausible, and so does not count. */
export function hasImplausibleCost({ cost_sent: sent }: SpanFacts): boolean {
	return (
		sent !== undefined && !Object.values(sent).every((dollars) => dollars === undefined || isPlausibleCost(dollars))
	);
}
