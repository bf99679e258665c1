import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { adjudicatorsOf, type QueueRow, reviewersOf } from "../queues.ts";
import { dayOf } from "../rules.ts";

/** So long before its due date a queue is called due, in microseconds. */
const DUE_SOON = 86_400_000_000;
/** Queues that are due, and people who were added, that one round looks at. */
const MOST_QUEUES = 1_000;
const MOST_ADDED = 1_000;

/** Somebody about whom a round of mails asks whether there is something to say, by row numbers. */
export interface Addressed {
	readonly queueId: number;
	readonly userId: number;
}

/** Whether a queue is due within a day, or was due earlier today, in UTC. */
export function isDue({ due_at }: Pick<QueueRow, "due_at">, now: number): boolean {
	return due_at !== null && due_at <= now + DUE_SOON && dayOf(due_at) >= dayOf(now);
}

/**
 * Who may have to be mailed now: those who were added to a queue, and the people of queues that are due. Nobody who had a mail
 * about the queue today, in UTC.
 * @param now microseconds since 1970
 */
export async function listToBeMailed(db: Kysely<Tables>, now: number): Promise<readonly Addressed[]> {
	const added = await db
		.selectFrom("review_mails")
		.select(["queue_id", "user_id"])
		.where("added_as", "is not", null)
		.where("next_try_at", "<=", now)
		.where(({ eb, or }) => or([eb("mailed_on", "is", null), eb("mailed_on", "<", dayOf(now))]))
		.orderBy("next_try_at")
		.orderBy("queue_id")
		.orderBy("user_id")
		.limit(MOST_ADDED)
		.execute();
	const all = added.map(({ queue_id, user_id }) => ({ queueId: queue_id, userId: user_id }));
	const isListed = new Set(added.map(({ queue_id, user_id }) => `${queue_id} ${user_id}`));
	for (const queue of await listDue(db, now))
		for (const userId of await listPeople(db, queue, now))
			if (!isListed.has(`${queue.id} ${userId}`)) all.push({ queueId: queue.id, userId });
	return all;
}

async function listDue(db: Kysely<Tables>, now: number): Promise<readonly QueueRow[]> {
	const rows = await db
		.selectFrom("review_queues")
		.selectAll()
		.where("archived_at", "is", null)
		.where("due_at", ">", now - DUE_SOON)
		.where("due_at", "<=", now + DUE_SOON)
		.orderBy("due_at")
		.limit(MOST_QUEUES)
		.execute();
	return rows.filter((queue) => isDue(queue, now));
}

/** Those whom a queue names and, where everybody may review, who has begun to; without those who know, or wait for a try. */
async function listPeople(db: Kysely<Tables>, queue: QueueRow, now: number): Promise<readonly number[]> {
	const reviewers = reviewersOf(queue) ?? (await listBegun(db, queue.id));
	const mails = await db.selectFrom("review_mails").selectAll().where("queue_id", "=", queue.id).execute();
	const settled = new Set(
		mails
			.filter((mail) => mail.due_for === queue.due_at || mail.next_try_at > now || mail.mailed_on === dayOf(now))
			.map(({ user_id }) => user_id),
	);
	return [...new Set([...reviewers, ...adjudicatorsOf(queue)])].filter((id) => !settled.has(id));
}

async function listBegun(db: Kysely<Tables>, queueId: number): Promise<readonly number[]> {
	const rows = await turnsIn(db, queueId).select("reviewer").distinct().where("reviewer", "<>", 0).execute();
	return rows.map(({ reviewer }) => reviewer);
}

/** Whether a queue names somebody as a reviewer or, where everybody may review, they have begun to. */
export async function isReviewing(db: Kysely<Tables>, queue: QueueRow, userId: number): Promise<boolean> {
	const named = reviewersOf(queue)?.includes(userId);
	if (named !== undefined) return named;
	const turn = await turnsIn(db, queue.id).select("id").where("reviewer", "=", userId).limit(1).executeTakeFirst();
	return turn !== undefined;
}

function turnsIn(db: Kysely<Tables>, queueId: number) {
	return db.selectFrom("review_turns").where("queue_id", "=", queueId);
}
