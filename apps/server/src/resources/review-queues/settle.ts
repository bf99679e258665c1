import type { Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";
import type { ItemRow } from "./items.ts";
import { type Published, publish } from "./publish.ts";
import { answersOf, differ, type GivenAnswer, questionsOf } from "./questions.ts";
import { type QueueRow, reviewersOf } from "./queues.ts";
import type { Target } from "./targets.ts";
import { type Draft, listOwnReviews, listTurns, type NamedTurn, releaseTurnsOn, type TurnRow } from "./turns.ts";

export interface Worked {
	readonly queue: QueueRow;
	readonly item: ItemRow;
	readonly entity: Target;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** With all turns on the item. */
export interface WorkedInTurns extends Worked {
	readonly turns: readonly NamedTurn[];
}

/** An item, and the turns on it, as they were written. */
type Settled = Pick<WorkedInTurns, "item" | "turns">;

export interface Given {
	readonly answers: readonly GivenAnswer[];
	readonly source: "API" | "APP";
	/** How long it took. */
	readonly seconds?: number | undefined;
}

/**
 * Ends a turn with answers, or replaces those that it ended with.
 * @throws UserError 409 for a review that is too old to be changed
 */
export async function answer(
	transaction: Transaction<Tables>,
	worked: WorkedInTurns,
	turn: TurnRow,
	{ answers, source, seconds }: Given,
): Promise<Settled> {
	const json = JSON.stringify(answers);
	// The same review was sent again.
	if (turn.answers === json) return worked;
	if (turn.answers !== null) {
		const changeable = await listOwnReviews(transaction, worked.queue.id, turn.reviewer);
		if (!changeable.includes(turn.item_id))
			throw new UserError(409, "review_too_old", "Only the last 50 reviews of one's own can be changed.");
		await transaction
			.insertInto("review_revisions")
			.values({ turn_id: turn.id, answers: turn.answers, finished_at: turn.finished_at ?? worked.now })
			.execute();
	}
	return await endTurn(transaction, worked, turn, {
		...{ status: "done", answers: json, source, draft: null, finished_at: worked.now },
		seconds: turn.seconds ?? seconds ?? secondsOf(turn.draft) ?? null,
	});
}

function secondsOf(draft: string | null): number | undefined {
	return draft === null ? undefined : (JSON.parse(draft) as Draft).seconds;
}

/** Ends a turn without answers, for good. */
export async function skip(
	transaction: Transaction<Tables>,
	worked: WorkedInTurns,
	turn: TurnRow,
	reason: string,
): Promise<void> {
	await endTurn(transaction, worked, turn, { status: "skipped", reason, draft: null, finished_at: worked.now });
}

async function endTurn(
	transaction: Transaction<Tables>,
	worked: WorkedInTurns,
	{ id, reviewer }: TurnRow,
	end: Partial<TurnRow>,
): Promise<Settled> {
	await transaction.updateTable("review_turns").set(end).where("id", "=", id).execute();
	const turns = worked.turns.map((turn) => (turn.id === id ? { ...turn, ...end } : turn));
	return { item: await settle(transaction, { ...worked, turns }, reviewer), turns };
}

/** Writes the state that an item has after a turn on it, and the annotations that may be seen. */
async function settle(transaction: Transaction<Tables>, worked: WorkedInTurns, reviewer: number): Promise<ItemRow> {
	const { queue, item, entity, now } = worked;
	const turns = finished(worked.turns);
	const state = stateAfter(queue, turns);
	const isVisible = queue.blind === 0 || state === "done" || item.is_published === 1;
	if (isVisible) {
		const wereHidden = queue.blind === 1 && item.is_published === 0;
		await publish(transaction, queue, entity, publishedOf(turns, wereHidden ? undefined : reviewer));
	}
	const change = { state, is_published: isVisible ? (1 as const) : (0 as const), updated_at: now };
	await transaction.updateTable("review_items").set(change).where("id", "=", item.id).execute();
	return { ...item, ...change };
}

function stateAfter(queue: QueueRow, turns: readonly TurnRow[]): "open" | "disagreement" | "done" {
	const required = queue.reviews_required;
	const done = turns.flatMap(({ status, answers }) =>
		status === "done" && answers !== null ? [answersOf(answers)] : [],
	);
	if (done.length >= required) return differ(questionsOf(queue), done) ? "disagreement" : "done";
	const had = new Set(turns.map(({ reviewer }) => reviewer));
	const left = reviewersOf(queue)?.filter((id) => !had.has(id)).length ?? required;
	const skips = turns.length - done.length;
	return skips >= required || done.length + left < required ? "disagreement" : "open";
}

function finished(turns: readonly NamedTurn[]): readonly NamedTurn[] {
	return turns.filter(({ status }) => status !== "reserved");
}

/** @param only of this reviewer; of all when undefined */
function publishedOf(turns: readonly NamedTurn[], only: number | undefined): readonly Published[] {
	return turns.flatMap(({ reviewer, username, answers, source, finished_at }) =>
		answers === null || finished_at === null || (only !== undefined && reviewer !== only)
			? []
			: {
					...{ reviewer, author: username === null ? null : reviewer, source: source ?? "API" },
					...{ answers: answersOf(answers), at: finished_at },
				},
	);
}

/**
 * Decides an item: these answers count from now on, and the reviews of it cannot be changed any more.
 * @param by number of who decides, who is there
 */
export async function adjudicate(
	transaction: Transaction<Tables>,
	{ queue, item, entity, now }: Worked,
	{ answers, source, by }: Given & { readonly by: number },
): Promise<void> {
	const turns = item.is_published === 1 ? [] : finished(await listTurns(transaction, item.id));
	await publish(transaction, queue, entity, [
		...publishedOf(turns, undefined),
		{ author: by === 0 ? null : by, source, answers, at: now },
	]);
	await transaction
		.updateTable("review_items")
		.set({
			...{ state: "done" as const, is_published: 1 as const, updated_at: now },
			...{ decision: JSON.stringify(answers), decided_by: by, decided_at: now },
		})
		.where("id", "=", item.id)
		.execute();
	await releaseTurnsOn(transaction, item.id);
}
