import { sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { adjudicatorsOf, type QueueRow, reviewersOf } from "../queues.ts";

export type AddedAs = NonNullable<Tables["review_mails"]["added_as"]>;

interface Change {
	/** Undefined for a queue that was made just now. */
	readonly before: QueueRow | undefined;
	readonly after: QueueRow;
	/** Row number of who changed it, who is told nothing of it. */
	readonly by: number | undefined;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** Notes who is to be told by mail that a queue names them now. */
export async function noteAdded(transaction: Transaction<Tables>, { before, after, by, now }: Change): Promise<void> {
	const added = addedTo(before, after);
	if (by !== undefined) added.delete(by);
	if (added.size === 0) return;
	await transaction
		.insertInto("review_mails")
		.values(
			[...added].map(([user_id, added_as]) => ({
				...{ queue_id: after.id, user_id, added_as },
				...{ due_for: null, mailed_on: null, tries: 0, next_try_at: now },
			})),
		)
		.onConflict((conflict) =>
			conflict.columns(["queue_id", "user_id"]).doUpdateSet({
				added_as: sql<AddedAs>`case when coalesce(review_mails.added_as, excluded.added_as) = excluded.added_as
					then excluded.added_as else 'both' end`,
				tries: 0,
				next_try_at: now,
			}),
		)
		.execute();
}

function addedTo(before: QueueRow | undefined, after: QueueRow): Map<number, AddedAs> {
	const reviewers = missingIn(before && reviewersOf(before), reviewersOf(after));
	const adjudicators = missingIn(before && adjudicatorsOf(before), adjudicatorsOf(after));
	return new Map<number, AddedAs>([
		...[...reviewers].map((id) => [id, adjudicators.has(id) ? "both" : "reviewer"] as const),
		...[...adjudicators].filter((id) => !reviewers.has(id)).map((id) => [id, "adjudicator"] as const),
	]);
}

function missingIn(before: readonly number[] | null | undefined, after: readonly number[] | null): ReadonlySet<number> {
	return new Set(after?.filter((id) => before?.includes(id) !== true));
}
