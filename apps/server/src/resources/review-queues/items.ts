import { createHash } from "node:crypto";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound, UserError, ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome, toHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { ReviewTarget, Tables } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";
import type { QueueRow } from "./queues.ts";
import { MOST_ITEMS } from "./schemas.ts";
import { type ShownState, stateOf } from "./states.ts";
import { findTargets, type Target } from "./targets.ts";

export type ItemRow = Selectable<Tables["review_items"]>;
export type ShownItemRow = ItemRow & { readonly shown_state: ShownState };

/** What differs between items that are added together. */
const ADDED = {
	project_id: "bigint",
	target_row_id: "bigint",
	trace_row_id: "bigint",
	target_id: "text",
	random_rank: "bigint",
} as const;
/** Bytes of a hash, which make a number that JavaScript has exactly. */
const RANK_BYTES = 6;

/** What says that a queue is full. */
export const FULL = `A review queue has at most ${MOST_ITEMS.toLocaleString("en")} items.`;

interface ItemPage {
	readonly queueId: number;
	readonly state: ShownState | undefined;
	/** Only those that this reviewer reviewed or skipped. */
	readonly reviewer: number | undefined;
	readonly fromId: number | undefined;
	readonly limit: number;
}

/** In the order of adding, of projects that are seen. @param now microseconds since 1970 */
export async function listItems(
	db: Kysely<Tables>,
	rights: Rights,
	{ queueId, state, reviewer, fromId, limit }: ItemPage,
	now: number,
): Promise<readonly ShownItemRow[]> {
	let query = shownItems(db, now)
		.where("review_items.queue_id", "=", queueId)
		.where(isSeenHome("review_items.project_id", rights))
		.orderBy("review_items.id")
		.limit(limit);
	if (fromId !== undefined) query = query.where("review_items.id", ">=", fromId);
	if (state !== undefined) query = query.where(stateOf(now), "=", state);
	if (reviewer !== undefined)
		query = query.where("review_items.id", "in", (turns) =>
			turns
				.selectFrom("review_turns")
				.select("item_id")
				.where("queue_id", "=", queueId)
				.where("reviewer", "=", reviewer)
				.where("status", "<>", "reserved"),
		);
	return await query.execute();
}

function shownItems(db: Kysely<Tables>, now: number) {
	return db.selectFrom("review_items").selectAll("review_items").select(stateOf(now).as("shown_state"));
}

export async function findShownItem(db: Kysely<Tables>, id: number, now: number): Promise<ShownItemRow | undefined> {
	return await shownItems(db, now).where("review_items.id", "=", id).executeTakeFirst();
}

/** Those of these, in their order. */
export async function findShownItems(
	db: Kysely<Tables>,
	rights: Rights,
	ids: readonly number[],
	now: number,
): Promise<readonly ShownItemRow[]> {
	if (ids.length === 0) return [];
	const rows = await shownItems(db, now)
		.where("review_items.id", "in", ids)
		.where(isSeenHome("review_items.project_id", rights))
		.execute();
	const byId = new Map(rows.map((row) => [row.id, row]));
	return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The item with this global id, whose project the actor enters. @throws UserError 404, or 403 `project_role_needed` */
export async function getItem(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	queueId: number,
	identifier: string,
): Promise<ItemRow> {
	const id = decodeGlobalId(identifier, "ReviewItem");
	const row =
		id === undefined
			? undefined
			: await db
					.selectFrom("review_items")
					.selectAll()
					.where("id", "=", id)
					.where("queue_id", "=", queueId)
					.executeTakeFirst();
	if (row === undefined || !enterSeen(actor, row.project_id))
		throw notFound("review_item_not_found", "There is no such item in this review queue");
	return row;
}

/** Where an item goes in the order `random`: the same for the same seed and target. */
function rankOf(seed: number, targetRowId: number): number {
	const hash = createHash("sha256").update(`${seed}:${targetRowId}`).digest();
	return hash.readUIntBE(0, RANK_BYTES);
}

interface Adding {
	readonly priority: number;
	/** Microseconds since 1970. */
	readonly now: number;
}

/**
 * Adds those of these targets that are not in the queue.
 * @returns how many
 * @throws UserError 409 when the queue would have too many items
 */
export async function insertItems(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	entities: readonly Target[],
	adding: Adding,
): Promise<number> {
	const { added, left } = await insertFitting(transaction, queue, entities, adding);
	if (left.length > 0) throw new UserError(409, "too_many_review_items", FULL);
	return added;
}

/**
 * As {@link insertItems}, of the first of these targets, as many as the queue has room for.
 * @returns how many were added, and those that the queue had no room for
 */
export async function insertFitting(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	entities: readonly Target[],
	adding: Adding,
): Promise<{ readonly added: number; readonly left: readonly Target[] }> {
	if (entities.length === 0) return { added: 0, left: [] };
	const { count } = await transaction
		.selectFrom("review_items")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("queue_id", "=", queue.id)
		.executeTakeFirstOrThrow();
	const room = Math.max(MOST_ITEMS - Number(count), 0);
	if (entities.length <= room) return { added: await insertAll(transaction, queue, entities, adding), left: [] };
	const present = await transaction
		.selectFrom("review_items")
		.select("target_row_id")
		.where("queue_id", "=", queue.id)
		.where("target_row_id", "in", listed(entities.map(({ rowId }) => rowId)))
		.execute();
	const known = new Set(present.map(({ target_row_id }) => target_row_id));
	const others = entities.filter(({ rowId }) => !known.has(rowId));
	const added = await insertAll(transaction, queue, others.slice(0, room), adding);
	return { added, left: others.slice(room) };
}

async function insertAll(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	entities: readonly Target[],
	{ priority, now }: Adding,
): Promise<number> {
	if (entities.length === 0) return 0;
	const rows = entities.map(({ projectId, rowId, traceRowId, id }) => [
		...[projectId, rowId, traceRowId, id, rankOf(queue.seed, rowId)],
	]);
	// A list of values would be compiled anew each time, which takes longer than storing them.
	const added = await sql`
		insert into review_items (
			queue_id, project_id, target_row_id, trace_row_id, target_id, random_rank, priority, created_at, updated_at
		)
		select ${queue.id}, project_id, target_row_id, trace_row_id, target_id, random_rank, ${priority}, ${now}, ${now}
		from ${table("added", ADDED, rows)} where true
		order by added.position
		on conflict (queue_id, target_row_id) do nothing
		returning id`.execute(transaction);
	return added.rows.length;
}

/**
 * The target of an item as it is now: undefined when it is gone, `hidden` when it is in a project that the actor does not
 * see.
 */
export async function locate(
	actor: Pick<Actor, "traces" | "rights" | "hidden" | "noteHidden">,
	transaction: Transaction<Tables>,
	kind: ReviewTarget,
	item: Pick<ItemRow, "target_row_id">,
): Promise<Target | "hidden" | undefined> {
	const [entity] = await findTargets(transaction, actor, kind, [item.target_row_id]);
	return entity ?? (actor.hidden.size > 0 ? "hidden" : undefined);
}

/**
 * As {@link locate}, for an item that is worked on; the actor enters the project.
 * @returns undefined when it is gone, which is noted
 * @throws UserError 404 when it is in a project that the actor does not see, or 403 `project_role_needed`
 */
export async function holdTarget(
	actor: Pick<Actor, "traces" | "rights" | "hidden" | "noteHidden" | "enter">,
	transaction: Transaction<Tables>,
	kind: ReviewTarget,
	item: ItemRow,
): Promise<Target | undefined> {
	const entity = await locate(actor, transaction, kind, item);
	if (entity === "hidden") throw notFound("review_item_not_found", "There is no such item in this review queue");
	if (entity === undefined) {
		await markRemoved(transaction, item.id);
		return undefined;
	}
	if (entity.projectId !== item.project_id) {
		actor.enter(toHome(entity.projectId));
		await moveItem(transaction, item.id, entity.projectId);
	}
	if (kind === "span") await actor.traces.holdSpans(transaction, [entity.rowId]);
	return entity;
}

export async function markRemoved(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.updateTable("review_items").set({ state: "removed" }).where("id", "=", id).execute();
}

/** Notes the project in which the target of an item is now. */
export async function moveItem(transaction: Transaction<Tables>, id: number, projectId: number | null): Promise<void> {
	await transaction.updateTable("review_items").set({ project_id: projectId }).where("id", "=", id).execute();
}

interface SentTarget {
	readonly span_id?: string | undefined;
	readonly trace_id?: string | undefined;
	readonly session_id?: string | undefined;
	readonly experiment_run_id?: string | undefined;
	readonly project?: string | undefined;
}

/**
 * The ids of targets, which have to be of the kind of the queue, by the project that is named with them.
 * @throws ValidationError
 */
export function idsByProject(kind: ReviewTarget, targets: readonly SentTarget[]): Map<string | undefined, string[]> {
	const named = targets.map(({ project, ...ids }, index) => {
		const [[member, id] = [], ...more] = Object.entries(ids).filter(([, value]) => value !== undefined);
		if (id === undefined || member !== `${kind}_id` || more.length > 0) {
			const msg = `Input should have the \`${kind}_id\` of what the queue is about, and no other`;
			throw new ValidationError([{ type: "wrong_target", loc: ["body", "targets", index], msg }]);
		}
		if (kind === "experiment_run" && project !== undefined) {
			const msg = "An id of a run is in one project only";
			throw new ValidationError([{ type: "extra_forbidden", loc: ["body", "targets", index, "project"], msg }]);
		}
		return { project, id };
	});
	const groups = Map.groupBy(named, ({ project }) => project);
	return new Map([...groups].map(([project, group]) => [project, group.map(({ id }) => id)]));
}

/** Whether somebody has reviewed or skipped an item. */
export async function isBegun(transaction: Transaction<Tables>, itemId: number): Promise<boolean> {
	const begun = sql<number>`select 1 as one from review_turns where item_id = ${itemId} and status <> 'reserved' limit 1`;
	return (await begun.execute(transaction)).rows.length > 0;
}
