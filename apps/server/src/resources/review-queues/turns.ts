import type { Kysely, Selectable, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { ItemRow } from "./items.ts";

export type TurnRow = Selectable<Tables["review_turns"]>;

/** So many of one's own reviews in a queue can be changed. */
export const MOST_CHANGEABLE = 50;

/** A turn with the name of who took it; null when that account is gone, or authentication was off. */
export type NamedTurn = TurnRow & { readonly username: string | null };

/** The turns on an item, those under way included, in the order in which they were begun. */
export async function listTurns(db: Kysely<Tables>, itemId: number): Promise<readonly NamedTurn[]> {
	return await db
		.selectFrom("review_turns")
		.leftJoin("users", "users.id", "review_turns.reviewer")
		.selectAll("review_turns")
		.select("users.username")
		.where("item_id", "=", itemId)
		.orderBy("review_turns.id")
		.execute();
}

/** The turn, if it is under way and its item still waits for it. */
export function heldOf(turn: TurnRow | undefined, item: ItemRow, now: number): TurnRow | undefined {
	return turn?.status === "reserved" && turn.reserved_until > now && item.state === "open" ? turn : undefined;
}

/** Ends a turn without an answer: somebody else may take the item. */
export async function releaseTurn(transaction: Transaction<Tables>, turnId: number): Promise<void> {
	await transaction.updateTable("review_turns").set({ reserved_until: 0 }).where("id", "=", turnId).execute();
}

/** Ends the turns under way on an item without answers; of all reviewers when none is named. */
export async function releaseTurnsOn(
	transaction: Transaction<Tables>,
	itemId: number,
	reviewer?: number,
): Promise<void> {
	let turns = transaction
		.updateTable("review_turns")
		.set({ reserved_until: 0 })
		.where("item_id", "=", itemId)
		.where("status", "=", "reserved");
	if (reviewer !== undefined) turns = turns.where("reviewer", "=", reviewer);
	await turns.execute();
}

/** Ends the turns under way of who does not review in a queue any more. */
export async function releaseTurnsOfOthers(
	transaction: Transaction<Tables>,
	queueId: number,
	reviewers: readonly number[],
): Promise<void> {
	await transaction
		.updateTable("review_turns")
		.set({ reserved_until: 0 })
		.where("queue_id", "=", queueId)
		.where("status", "=", "reserved")
		.where("reviewer", "not in", listed(reviewers))
		.execute();
}

/** What was filled in, and for how long. */
export interface Draft {
	readonly answers: readonly unknown[];
	readonly seconds?: number | undefined;
}

export async function keepDraft(
	transaction: Transaction<Tables>,
	turnId: number,
	{ answers, seconds }: Draft,
): Promise<void> {
	await transaction
		.updateTable("review_turns")
		.set({ draft: JSON.stringify({ answers, seconds }) })
		.where("id", "=", turnId)
		.execute();
}

/** Row numbers of the items that a reviewer answered last in a queue, the newest first. */
export async function listOwnReviews(
	db: Kysely<Tables>,
	queueId: number,
	reviewer: number,
): Promise<readonly number[]> {
	const rows = await db
		.selectFrom("review_turns")
		.select("item_id")
		.where("queue_id", "=", queueId)
		.where("reviewer", "=", reviewer)
		.where("status", "=", "done")
		.orderBy("finished_at", "desc")
		.orderBy("id", "desc")
		.limit(MOST_CHANGEABLE)
		.execute();
	return rows.map((row) => row.item_id);
}

export function leaseLost(): UserError {
	return new UserError(
		409,
		"lease_lost",
		"You do not hold this item any more. What you sent is kept as your draft if you ever held it: it comes back when you are given the item again.",
	);
}
