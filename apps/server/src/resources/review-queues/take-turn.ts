import type { Kysely, Transaction } from "kysely";
import type { z } from "zod";
import { includesRole } from "#access/rights/roles.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { Principal } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import { formatTime } from "#http/wire-times.ts";
import { prepared } from "#storage/prepared.ts";
import type { Tables } from "#storage/schema.ts";
import { listShown } from "../annotations/shown-annotations.ts";
import { findShownItem, locate, markRemoved, moveItem } from "./items.ts";
import type { LeftItems } from "./left-items.ts";
import { assertReviewer, getOpenQueue, type QueueRow } from "./queues.ts";
import { type Asking, type Left, type Reserved, reserve } from "./reserve.ts";
import { listJudgements } from "./run-items.ts";
import type { Turn } from "./schemas.ts";
import type { Target } from "./targets.ts";
import { showKnown } from "./to-item.ts";
import { listTurns, releaseTurnsOn } from "./turns.ts";

/** So many items are looked for at a time when all have to be looked at. */
const MOST_LEFT = 100;

interface Taken {
	readonly queue: QueueRow;
	readonly reserved: Reserved;
	readonly entity: Target;
}

/** What cannot be reviewed, as was found out. */
interface PassedOver {
	/** Row numbers of projects; 0 for the library. */
	readonly readOnly: Set<number>;
	readonly hidden: Set<number>;
}

/**
 * Reserves the next item of a queue for the one who asks.
 * @returns undefined when nothing is left for them
 * @throws UserError 404, 403, 409 for an archived queue
 */
export async function takeTurn(
	{ db, now }: Pick<Context, "db" | "now">,
	leftItems: LeftItems,
	actor: Actor,
	queueId: string,
): Promise<z.output<typeof Turn> | undefined> {
	const passedOver: PassedOver = { readOnly: new Set(), hidden: new Set() };
	let looked: Left | undefined;
	for (;;) {
		const taken = await actor.change(async (changing, principal) => {
			const transaction = prepared(changing);
			const { queue, asking } = await open(transaction, principal);
			const left = looked ?? leftItems.of(queue, asking);
			const reserved = await reserve(transaction, queue, asking, left);
			if (reserved === "nothing") return reserved;
			if (reserved === "unknown") return { queue, asking };
			const entity = await enterTarget(transaction, actor, { queue, reserved, passedOver, asking });
			return entity === undefined ? "again" : { queue, reserved, entity };
		});
		if (taken === "nothing") return undefined;
		if (taken === "again") continue;
		if ("asking" in taken) {
			looked = await leftItems.look(prepared(db.read), taken.queue, taken.asking, MOST_LEFT);
			continue;
		}
		const data = await showTurn(taken);
		if (data !== undefined) return data;
	}

	async function open(transaction: Transaction<Tables>, principal: Principal) {
		const queue = await getOpenQueue(transaction, queueId);
		const reviewer = assertReviewer(queue, principal);
		const asking: Asking = { reviewer, rights: actor.rights, ...passedOver, now: now() };
		return { queue, asking };
	}

	/** @returns undefined when it was deleted right after it was taken */
	async function showTurn({ queue, reserved, entity }: Taken): Promise<z.output<typeof Turn> | undefined> {
		const read = prepared(db.read);
		const [row, turns, annotations] = await Promise.all([
			findShownItem(read, reserved.item_id, now()),
			listTurns(read, reserved.item_id),
			listAnnotations(read, queue, reserved.target_row_id),
		]);
		if (row === undefined) return undefined;
		const draft: unknown = reserved.draft === null ? null : JSON.parse(reserved.draft);
		return {
			item: showKnown(actor, queue, { row, entity, turns }),
			annotations,
			reserved_until: formatTime(reserved.reserved_until),
			draft: draft as z.output<typeof Turn>["draft"],
		};
	}

	async function listAnnotations(read: Kysely<Tables>, queue: QueueRow, rowId: number) {
		const options = { onlyByPeople: queue.blind === 1 && queue.hide_model_annotations === 1 };
		if (queue.target === "experiment_run") return await listJudgements(read, rowId, options);
		if (queue.target !== "trace") return await listShown(read, { kind: queue.target, rowId }, options);
		const trace = await actor.traces.findTrace(rowId);
		return trace === undefined ? [] : await listShown(read, { kind: "trace", trace }, options);
	}
}

/** @returns undefined when what came next cannot be reviewed, which was noted */
async function enterTarget(
	transaction: Transaction<Tables>,
	actor: Actor,
	{
		queue,
		reserved: { item_id: id, target_row_id, project_id },
		passedOver,
		asking: { reviewer },
	}: {
		readonly queue: QueueRow;
		readonly reserved: Reserved;
		readonly passedOver: PassedOver;
		readonly asking: Asking;
	},
): Promise<Target | undefined> {
	const entity = await locate(actor, transaction, queue.target, { target_row_id });
	if (entity === undefined) {
		await markRemoved(transaction, id);
		return undefined;
	}
	if (entity !== "hidden" && entity.projectId !== project_id) await moveItem(transaction, id, entity.projectId);
	if (entity !== "hidden" && includesRole(actor.rights.roleAt(toHome(entity.projectId)), "annotator")) {
		actor.enter(toHome(entity.projectId));
		return entity;
	}
	if (entity === "hidden") passedOver.hidden.add(id);
	else passedOver.readOnly.add(entity.projectId ?? 0);
	await releaseTurnsOn(transaction, id, reviewer);
	return undefined;
}
