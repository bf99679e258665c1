import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { getItem, holdTarget } from "./items.ts";
import { checkAnswers, questionsOf } from "./questions.ts";
import { getOpenQueue, isAdjudicator, numberOf } from "./queues.ts";
import { AdjudicationBody, itemParams, noParams, OneReviewItem } from "./schemas.ts";
import { adjudicate } from "./settle.ts";
import { showItem, targetGone } from "./to-item.ts";

/** What decides where reviewers differ. */
export function reviewAdjudicationRoutes(app: App, { auth, db, now }: Context): void {
	app.post(
		"/v1/review_queues/:queue_id/items/:item_id/adjudication",
		{
			config: { access: "write", home: "catalogue", role: "annotator" },
			schema: {
				operationId: "adjudicateReviewItem",
				tags: ["review"],
				summary: "Decide an item: these answers count, and reviews of it cannot be changed any more",
				description:
					"For adjudicators of the queue, and admins, whatever state the item is in. A decision can be replaced by another one.",
				params: itemParams,
				querystring: noParams,
				body: AdjudicationBody,
				response: { 200: OneReviewItem },
			},
		},
		async (request) => {
			const { actor, body, params } = request;
			const outcome = await actor.change(async (transaction, principal) => {
				const queue = await getOpenQueue(transaction, params.queue_id);
				if (!isAdjudicator(queue, principal))
					throw new UserError(403, "not_adjudicator", "You are no adjudicator of this queue.");
				const item = await getItem(transaction, actor, queue.id, params.item_id);
				const answers = checkAnswers(questionsOf(queue), body.answers);
				const entity = await holdTarget(actor, transaction, queue.target, item);
				if (entity === undefined) return undefined;
				const source = principal.kind === "session" ? "APP" : "API";
				await adjudicate(
					transaction,
					{ queue, item, entity, now: now() },
					{ answers, source, by: numberOf(principal) },
				);
				await auth.audit.recordIn(transaction, {
					...{ action: "review_queue.adjudicate", outcome: "success", principal, request },
					target: { type: "review_queue", id: queue.id, name: queue.name },
					details: { target: item.target_id },
				});
				return { queue, itemId: item.id };
			});
			if (outcome === undefined) throw targetGone();
			return { data: await showItem(db.read, actor, outcome.queue, { id: outcome.itemId, now: now() }) };
		},
	);
}
