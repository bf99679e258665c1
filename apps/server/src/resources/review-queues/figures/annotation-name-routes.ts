import { type Kysely, sql } from "kysely";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { flag } from "#storage/sql-pieces.ts";
import { getQueue, type QueueRow } from "../queues.ts";
import { noParams, queueParams } from "../schemas.ts";
import { hasGold, isOfOthers, judgements } from "./calibration.ts";
import { CalibratedNames } from "./schemas.ts";

const MOST_NAMES = 1_000;

/** What can be compared with the gold answers of a queue. */
export function reviewAnnotationNameRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/review_queues/:queue_id/annotation_names",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listReviewAnnotationNames",
				tags: ["review"],
				summary: "List the names of annotations that can be compared with the gold answers of a review queue",
				description: `At most ${MOST_NAMES}: those with a label or a number, of targets whose items are done or decided, without what came of the queue itself.`,
				params: queueParams,
				querystring: noParams,
				response: { 200: CalibratedNames },
			},
		},
		async ({ actor, params }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const names = await listNames(db.read, queue, actor.rights);
			return {
				data: names.map(({ name, items, has_labels, has_scores }) => ({
					...{ name, items: Number(items), has_labels: has_labels === 1, has_scores: has_scores === 1 },
				})),
			};
		},
	);
}

async function listNames(db: Kysely<Tables>, queue: QueueRow, rights: Rights) {
	const targets = db
		.selectFrom("review_items")
		.select("target_row_id")
		.where("queue_id", "=", queue.id)
		.where(hasGold({ onlyDecisions: false }))
		.where(isSeenHome("review_items.project_id", rights));
	return await db
		.selectFrom(judgements(queue.target, targets.$asScalar()))
		.select("name")
		.select(sql<number>`count(distinct target_row_id)`.as("items"))
		.select(sql<0 | 1>`max(${flag(sql`label is not null`)})`.as("has_labels"))
		.select(sql<0 | 1>`max(${flag(sql`score is not null`)})`.as("has_scores"))
		.where(({ eb, or }) => or([eb("label", "is not", null), eb("score", "is not", null)]))
		.where(isOfOthers(queue))
		.groupBy("name")
		.orderBy("name")
		.limit(MOST_NAMES)
		.execute();
}
