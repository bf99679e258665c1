import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { mayCall } from "#access/auth/may-call.ts";
import { type Issue, notFound, UserError, ValidationError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { isPerson, type Principal, userOf } from "#http/principal.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { stateOf } from "./states.ts";

export type QueueRow = Selectable<Tables["review_queues"]>;

const MOST_QUEUES = 1_000;

interface QueuePage {
	readonly isArchived: boolean;
	readonly fromId: number | undefined;
	readonly limit: number;
}

/** The newest first. */
export async function listQueues(
	db: Kysely<Tables>,
	{ isArchived, fromId, limit }: QueuePage,
): Promise<readonly QueueRow[]> {
	let query = db
		.selectFrom("review_queues")
		.selectAll()
		.where("archived_at", isArchived ? "is not" : "is", null)
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

/** @throws UserError 404 */
export async function getQueue(db: Kysely<Tables>, identifier: string): Promise<QueueRow> {
	const id = decodeGlobalId(identifier, "ReviewQueue");
	const row =
		id === undefined
			? undefined
			: await db.selectFrom("review_queues").selectAll().where("id", "=", id).executeTakeFirst();
	if (row === undefined) throw notFound("review_queue_not_found", "There is no such review queue");
	return row;
}

/** @throws UserError 404, 409 for an archived one */
export async function getOpenQueue(db: Kysely<Tables>, identifier: string): Promise<QueueRow> {
	const row = await getQueue(db, identifier);
	if (row.archived_at !== null) throw new UserError(409, "review_queue_archived", "The review queue is archived.");
	return row;
}

type NewQueue = Omit<Insertable<Tables["review_queues"]>, "id" | "created_at" | "updated_at">;

/** @throws UserError 409 when the name is taken, or there are too many */
export async function insertQueue(transaction: Transaction<Tables>, values: NewQueue, now: number): Promise<QueueRow> {
	const { count } = await transaction
		.selectFrom("review_queues")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (Number(count) >= MOST_QUEUES)
		throw new UserError(
			409,
			"too_many_review_queues",
			`There may be at most ${MOST_QUEUES} review queues; delete one.`,
		);
	const row = await transaction
		.insertInto("review_queues")
		.values({ ...values, created_at: now, updated_at: now })
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
	if (row === undefined) throw nameTaken();
	return row;
}

/** @throws UserError 409 when another queue has the name */
export async function updateQueue(
	transaction: Transaction<Tables>,
	before: QueueRow,
	values: Partial<NewQueue>,
	now: number,
): Promise<QueueRow> {
	if (values.name !== undefined && values.name !== before.name) {
		const taken = await transaction
			.selectFrom("review_queues")
			.select("id")
			.where("name", "=", values.name)
			.executeTakeFirst();
		if (taken !== undefined) throw nameTaken();
	}
	return await transaction
		.updateTable("review_queues")
		.set({ ...values, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

function nameTaken(): UserError {
	return new UserError(409, "review_queue_exists", "A review queue with this name exists already.");
}

export interface Counts {
	readonly pending: number;
	readonly in_review: number;
	readonly disagreement: number;
	readonly done: number;
	readonly removed: number;
}

/** How many items of queues are in each state, by row number of the queue; of projects that are seen. */
export async function countItems(
	db: Kysely<Tables>,
	rights: Rights,
	queueIds: readonly number[],
	now: number,
): Promise<(queueId: number) => Counts> {
	const rows = await db
		.selectFrom("review_items")
		.select(["queue_id", stateOf(now).as("shown_state"), ({ fn }) => fn.countAll<number>().as("count")])
		.where("queue_id", "in", listed(queueIds))
		.where(isSeenHome("review_items.project_id", rights))
		.groupBy(["queue_id", sql`shown_state`])
		.execute();
	const byQueue = Map.groupBy(rows, (row) => row.queue_id);
	return (queueId) => {
		const of = byQueue.get(queueId) ?? [];
		const count = (state: string) => Number(of.find((row) => row.shown_state === state)?.count ?? 0);
		return {
			...{ pending: count("pending"), in_review: count("in_review"), disagreement: count("disagreement") },
			...{ done: count("done"), removed: count("removed") },
		};
	};
}

/**
 * Row numbers of users.
 * @throws ValidationError for those that are not there, or may only read
 */
export async function readUsers(
	db: Kysely<Tables>,
	member: "reviewers" | "adjudicators",
	texts: readonly string[],
): Promise<readonly number[]> {
	const ids = texts.map((text) => decodeGlobalId(text, "User"));
	const known = await db
		.selectFrom("users")
		.select("id")
		.where("id", "in", listed(ids.filter((id) => id !== undefined)))
		.where("role", "in", ["ADMIN", "MEMBER"])
		.execute();
	const numbers = new Set(known.map(({ id }) => id));
	const issues: Issue[] = ids.flatMap((id, index) =>
		id !== undefined && numbers.has(id)
			? []
			: [
					{
						type: "unknown_subject",
						loc: ["body", member, index],
						msg: "Input should be the id of a user who may annotate",
					},
				],
	);
	if (issues.length > 0) throw new ValidationError(issues);
	return [...numbers];
}

/** @throws ValidationError */
export function assertEnoughReviewers(
	{ reviewsRequired, reviewers }: { readonly reviewsRequired: number; readonly reviewers: readonly number[] | null },
	principal: Principal,
): void {
	const [most, why] =
		principal.kind === "anonymous"
			? [1, "while authentication is off there is one reviewer"]
			: [reviewers?.length ?? reviewsRequired, "there are no more reviewers"];
	if (reviewsRequired <= most) return;
	const msg = `Input should be less than or equal to ${most}: ${why}`;
	throw new ValidationError([
		{ type: "less_than_equal", loc: ["body", "reviews_required"], msg, input: reviewsRequired },
	]);
}

/** @throws ValidationError when models' annotations would be hidden in a queue that hides nothing else */
export function assertMayHide({ blind }: Pick<QueueRow, "blind">, hidesModels: boolean | undefined): void {
	if (hidesModels !== true || blind === 1) return;
	const msg = "Only a blind queue hides annotations by models";
	throw new ValidationError([{ type: "not_blind", loc: ["body", "hide_model_annotations"], msg, input: true }]);
}

export function reviewersOf({ reviewers }: Pick<QueueRow, "reviewers">): readonly number[] | null {
	return reviewers === null ? null : (JSON.parse(reviewers) as readonly number[]);
}

export function adjudicatorsOf({ adjudicators }: Pick<QueueRow, "adjudicators">): readonly number[] {
	return JSON.parse(adjudicators) as readonly number[];
}

/** By what the turns of a principal are known: the row number of the user, 0 while there are none. */
export function numberOf(principal: Principal): number {
	return userOf(principal)?.id ?? 0;
}

/** Whether this is an account of a person, or the one user while authentication is off. */
function mayDecideAtAll(principal: Principal): boolean {
	return principal.kind === "anonymous" || isPerson(principal);
}

/** @returns the number of the reviewer @throws UserError 403 */
export function assertReviewer(queue: QueueRow, principal: Principal): number {
	const own = numberOf(principal);
	const isNamed = principal.kind === "anonymous" || (reviewersOf(queue)?.includes(own) ?? true);
	if (mayDecideAtAll(principal) && isNamed) return own;
	throw new UserError(403, "not_a_reviewer", "You are no reviewer of this queue.");
}

/** Named ones, and admins. */
export function isAdjudicator(queue: QueueRow, principal: Principal): boolean {
	if (!mayDecideAtAll(principal) || !mayCall(principal, "annotate")) return false;
	return mayCall(principal, "admin") || adjudicatorsOf(queue).includes(numberOf(principal));
}

/** @throws UserError 403 */
export function assertMayChange({ created_by }: QueueRow, principal: Principal): void {
	if (mayCall(principal, "admin")) return;
	if (created_by !== null && isPerson(principal) && created_by === numberOf(principal)) return;
	throw new UserError(403, "not_own_review_queue", "Only who made a review queue, or an admin, changes or deletes it.");
}
