import { type RawBuilder, sql } from "kysely";
import type { ItemRow } from "./items.ts";
import type { QueueRow } from "./queues.ts";

/**
 * Whose turns on an item somebody is shown: while a blind item is not done, their own, and those of all without names once
 * an adjudicator has to decide. What was shown stays so when the target is deleted.
 */
export function seenTurns(
	{ blind }: Pick<QueueRow, "blind">,
	{ state, decision, is_published }: Pick<ItemRow, "state" | "decision" | "is_published">,
	isDecider: boolean,
): "all" | "nameless" | "own" {
	if (blind === 0 || decision !== null || state === "done") return "all";
	if (state === "removed" && is_published === 1) return "all";
	return isDecider && state !== "open" ? "nameless" : "own";
}

/** The items of `review_items` of which {@link seenTurns} is not `own`. */
export function showsAllTurns({ blind }: Pick<QueueRow, "blind">, isDecider: boolean): RawBuilder<boolean> {
	if (blind === 0) return sql<boolean>`true`;
	if (isDecider) return sql<boolean>`(review_items.state <> 'open' or review_items.decision is not null)`;
	return sql<boolean>`(review_items.state = 'done' or review_items.decision is not null
		or (review_items.state = 'removed' and review_items.is_published = 1))`;
}
