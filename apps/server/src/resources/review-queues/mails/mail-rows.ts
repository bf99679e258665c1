import { type Selectable, sql, type Transaction } from "kysely";
import type { DeliveryFailure } from "#access/mail/delivery-errors.ts";
import type { Tables } from "#storage/schema.ts";
import { dayOf } from "../rules.ts";
import type { Addressed } from "./to-be-mailed.ts";

export type MailRow = Selectable<Tables["review_mails"]>;

const MINUTE = 60_000_000;
/** Pauses before the second, third… try of a mail, in microseconds; it is given up after the last one. */
const PAUSES = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 360 * MINUTE] as const;
/** Who has nothing to do is looked at again after so long: counting what waits may take a while. */
const LOOK_AGAIN = 60 * MINUTE;
/** A permanent reply of a mail server, RFC 5321 4.2.1. */
const PERMANENT = /^5/;

/**
 * Takes the mail of today for one person and queue.
 * @param before the row as it was read
 * @returns undefined when it was taken, or the row changed, meanwhile
 */
export async function claimMail(
	transaction: Transaction<Tables>,
	{ queueId, userId }: Addressed,
	before: MailRow | undefined,
	now: number,
): Promise<MailRow | undefined> {
	const today = dayOf(now);
	if (before === undefined)
		return await transaction
			.insertInto("review_mails")
			.values({
				...{ queue_id: queueId, user_id: userId, added_as: null, due_for: null },
				...{ mailed_on: today, tries: 0, next_try_at: now },
			})
			.onConflict((conflict) => conflict.doNothing())
			.returningAll()
			.executeTakeFirst();
	return await unchanged(transaction, before)
		.set({ mailed_on: today })
		.where(sql<boolean>`coalesce(mailed_on, 0) < ${today}`)
		.returningAll()
		.executeTakeFirst();
}

/** Notes that a mail has gone. What the person was added as meanwhile is still to be said. */
export async function noteTold(
	transaction: Transaction<Tables>,
	claimed: MailRow,
	dueFor: number | null,
): Promise<void> {
	await settle(transaction, claimed).set({ due_for: dueFor, tries: 0 }).execute();
}

interface Unsent {
	readonly failure: DeliveryFailure;
	/** As it was before the mail was claimed. */
	readonly mailedOn: number | null;
	/** The due date that is not told any more if this was the last try. */
	readonly dueFor: number | null;
	readonly now: number;
}

/** Notes that a mail did not go. @returns whether it will be tried again */
export async function noteUnsent(
	transaction: Transaction<Tables>,
	claimed: MailRow,
	{ failure, mailedOn, dueFor, now }: Unsent,
): Promise<{ readonly again: boolean }> {
	const pause = PERMANENT.test(failure.answer ?? "") ? undefined : PAUSES[claimed.tries];
	if (pause === undefined) {
		await settle(transaction, claimed).set({ due_for: dueFor, tries: 0 }).execute();
		return { again: false };
	}
	await transaction
		.updateTable("review_mails")
		.set({ mailed_on: mailedOn, tries: claimed.tries + 1, next_try_at: now + pause })
		.where("queue_id", "=", claimed.queue_id)
		.where("user_id", "=", claimed.user_id)
		.execute();
	return { again: true };
}

/** Notes that there was nothing to say to somebody, unless that has changed since the row was read. */
export async function noteNothing(
	transaction: Transaction<Tables>,
	{ queueId, userId }: Addressed,
	before: MailRow | undefined,
	now: number,
): Promise<void> {
	const change = { added_as: null, tries: 0, next_try_at: now + LOOK_AGAIN };
	if (before !== undefined) {
		await unchanged(transaction, before).set(change).execute();
		return;
	}
	await transaction
		.insertInto("review_mails")
		.columns(["queue_id", "user_id", "added_as", "due_for", "mailed_on", "tries", "next_try_at"])
		// Neither may be gone meanwhile.
		.expression((from) =>
			from
				.selectFrom(["review_queues", "users"])
				.select([
					"review_queues.id",
					"users.id as user_id",
					sql<null>`null`.as("added_as"),
					sql<null>`null`.as("due_for"),
					sql<null>`null`.as("mailed_on"),
					sql<number>`0`.as("tries"),
					sql<number>`${now + LOOK_AGAIN}`.as("next_try_at"),
				])
				.where("review_queues.id", "=", queueId)
				.where("users.id", "=", userId),
		)
		.onConflict((conflict) => conflict.doNothing())
		.execute();
}

function unchanged(transaction: Transaction<Tables>, { queue_id, user_id, added_as, next_try_at }: MailRow) {
	return transaction
		.updateTable("review_mails")
		.where("queue_id", "=", queue_id)
		.where("user_id", "=", user_id)
		.where(sql<boolean>`added_as is not distinct from ${added_as}`)
		.where("next_try_at", "=", next_try_at);
}

/** Forgets what was to be said, unless it has changed since it was claimed. */
function settle(transaction: Transaction<Tables>, { queue_id, user_id, added_as, next_try_at }: MailRow) {
	return transaction
		.updateTable("review_mails")
		.set({
			added_as: sql<MailRow["added_as"]>`case when next_try_at = ${next_try_at}
				and added_as is not distinct from ${added_as} then null else added_as end`,
		})
		.where("queue_id", "=", queue_id)
		.where("user_id", "=", user_id);
}
