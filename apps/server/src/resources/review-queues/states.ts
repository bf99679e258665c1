import { type RawBuilder, sql } from "kysely";

export type ShownState = "pending" | "in_review" | "disagreement" | "done" | "removed";

/**
 * Whether a turn of `review_turns` counts: it is done, or under way by somebody who still may annotate. Those who lost that
 * right, or their account, lose their turns with it.
 * @param now microseconds since 1970
 */
export function isTaken(now: number): RawBuilder<boolean> {
	return sql<boolean>`(review_turns.status = 'done' or (review_turns.status = 'reserved'
		and review_turns.reserved_until > ${now}
		and (review_turns.reviewer = 0
			or (select role from users where users.id = review_turns.reviewer) in ('ADMIN', 'MEMBER'))))`;
}

/** The state of an item of `review_items` as it is shown. */
export function stateOf(now: number): RawBuilder<ShownState> {
	return sql<ShownState>`case when review_items.state <> 'open' then review_items.state
		when exists (select 1 from review_turns where review_turns.item_id = review_items.id and ${isTaken(now)})
		then 'in_review' else 'pending' end`;
}
