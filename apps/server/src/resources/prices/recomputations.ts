import type { Kysely, Selectable, Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import type { Tables } from "#storage/schema.ts";

export type RecomputationRow = Selectable<Tables["cost_recomputations"]>;

/** Recomputations per project that have not ended. */
const MAX_WAITING = 10;
/** Recomputations per project that are kept in the list. */
const KEPT = 100;

/** Recomputations of a project with the newest first, from `fromId` downwards. */
export async function listRecomputations(
	db: Kysely<Tables>,
	projectId: number,
	{ limit, fromId }: { limit: number; fromId?: number | undefined },
): Promise<RecomputationRow[]> {
	let query = db
		.selectFrom("cost_recomputations")
		.selectAll()
		.where("project_id", "=", projectId)
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

/** One of a project that the actor sees, who enters it. @throws UserError 404 */
export async function getRecomputation(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	id: number,
): Promise<RecomputationRow> {
	const row = await db.selectFrom("cost_recomputations").selectAll().where("id", "=", id).executeTakeFirst();
	if (row !== undefined && enterSeen(actor, row.project_id)) return row;
	throw notFound("cost_recomputation_not_found", "There is no such recomputation");
}

/** The oldest recomputation that has not ended. */
export async function findUnfinished(db: Kysely<Tables>): Promise<RecomputationRow | undefined> {
	return await db
		.selectFrom("cost_recomputations")
		.selectAll()
		.where("state", "in", ["waiting", "running"])
		.orderBy("id")
		.executeTakeFirst();
}

interface NewRecomputation {
	readonly project_id: number;
	readonly start_micros: number | null;
	readonly end_micros: number | null;
	readonly last_span: number;
	readonly total_spans: number;
	readonly user_id: number | null;
	readonly now: number;
}

/** @throws UserError 404 when the project is gone, 409 when too many of the project wait */
export async function insertRecomputation(
	transaction: Transaction<Tables>,
	{ now, ...values }: NewRecomputation,
): Promise<RecomputationRow> {
	const project = await transaction
		.selectFrom("projects")
		.select("id")
		.where("id", "=", values.project_id)
		.executeTakeFirst();
	if (project === undefined) throw notFound("project_not_found", "The project was deleted");
	const ofProject = await listRecomputations(transaction, values.project_id, { limit: KEPT });
	const waiting = ofProject.filter(({ state }) => state === "waiting" || state === "running").length;
	if (waiting >= MAX_WAITING) {
		throw new UserError(
			409,
			"too_many_cost_recomputations",
			`${waiting} recomputations of this project are unfinished; wait for them, or cancel some.`,
		);
	}
	const oldest = ofProject[KEPT - 1];
	if (oldest !== undefined) {
		await transaction
			.deleteFrom("cost_recomputations")
			.where("project_id", "=", values.project_id)
			.where("id", "<=", oldest.id)
			.where("state", "not in", ["waiting", "running"])
			.execute();
	}
	return await transaction
		.insertInto("cost_recomputations")
		.values({
			...values,
			state: "waiting",
			after_span: 0,
			seen_spans: 0,
			changed_spans: 0,
			error: null,
			created_at: now,
			updated_at: now,
		})
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** Cancels a recomputation; one that has ended stays as it is. */
export async function cancelRecomputation(transaction: Transaction<Tables>, id: number, now: number): Promise<void> {
	await transaction
		.updateTable("cost_recomputations")
		.set({ state: "cancelled", updated_at: now })
		.where("id", "=", id)
		.where("state", "in", ["waiting", "running"])
		.execute();
}

interface Advance {
	readonly afterSpan: number;
	readonly seen: number;
	readonly isDone: boolean;
	readonly now: number;
}

/**
 * Records the progress of a step that started at the state of `row`. Does nothing if the recomputation was cancelled
 * meanwhile, or if another process has advanced it, as this one lost its lease. The number of changed spans was
 * recorded with the costs.
 */
export async function advanceRecomputation(
	transaction: Transaction<Tables>,
	row: RecomputationRow,
	{ afterSpan, seen, isDone, now }: Advance,
): Promise<void> {
	await transaction
		.updateTable("cost_recomputations")
		.set({
			state: isDone ? "done" : "running",
			after_span: afterSpan,
			seen_spans: row.seen_spans + seen,
			updated_at: now,
		})
		.where("id", "=", row.id)
		.where("after_span", "=", row.after_span)
		.where("state", "in", ["waiting", "running"])
		.execute();
}

/** Ends a recomputation, unless another process has advanced it beyond the state of `row`. */
export async function endRecomputation(
	transaction: Transaction<Tables>,
	row: RecomputationRow,
	error: string,
	now: number,
): Promise<void> {
	await transaction
		.updateTable("cost_recomputations")
		.set({ state: "failed", error, updated_at: now })
		.where("id", "=", row.id)
		.where("after_span", "=", row.after_span)
		.where("state", "in", ["waiting", "running"])
		.execute();
}
