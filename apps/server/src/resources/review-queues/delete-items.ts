import { sql, type Transaction } from "kysely";
import { includesRole } from "#access/rights/roles.ts";
import type { Actor } from "#http/actor.ts";
import { toHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { identifierOf } from "./publish.ts";
import type { QueueRow } from "./queues.ts";

/** Items deleted per transaction, so that other writers wait only briefly. */
const BATCH = 500;

/**
 * Deletes the items of a queue. Can be called again after a crash.
 * @param withAnnotations also those that came of its reviews, in projects where the actor may annotate
 */
export async function deleteItemsOfQueue(
	actor: Pick<Actor, "change" | "rights">,
	queue: QueueRow,
	withAnnotations: boolean,
): Promise<void> {
	for (let deleted = BATCH; deleted === BATCH; ) {
		deleted = await actor.change(async (transaction) => {
			const items = await transaction
				.selectFrom("review_items")
				.select(["id", "target_row_id", "project_id"])
				.where("queue_id", "=", queue.id)
				.limit(BATCH)
				.execute();
			if (withAnnotations) {
				const own = items.filter(({ project_id }) =>
					includesRole(actor.rights.roleAt(toHome(project_id)), "annotator"),
				);
				await deleteAnnotationsOf(transaction, queue, own);
			}
			const ids = items.map(({ id }) => id);
			await transaction.deleteFrom("review_items").where("id", "in", listed(ids)).execute();
			return items.length;
		});
	}
}

/** Deletes what was published of reviews of these items. */
async function deleteAnnotationsOf(
	transaction: Transaction<Tables>,
	{ id, target }: Pick<QueueRow, "id" | "target">,
	items: readonly { readonly target_row_id: number }[],
): Promise<void> {
	const rowIds = listed(items.map((item) => item.target_row_id));
	const isOfQueue = sql<boolean>`(identifier = ${identifierOf(id)} or identifier like ${`${identifierOf(id)}:%`})`;
	if (target === "experiment_run")
		await transaction.deleteFrom("experiment_run_reviews").where("run_id", "in", rowIds).where(isOfQueue).execute();
	else
		await transaction
			.deleteFrom("annotations")
			.where("target", "=", target)
			.where("target_row_id", "in", rowIds)
			.where(isOfQueue)
			.execute();
}
