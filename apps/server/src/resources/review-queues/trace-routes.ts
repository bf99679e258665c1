import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { getProject } from "../projects/queries.ts";
import { getTrace } from "../traces/queries.ts";
import { noParams, ReviewItemsOfTrace } from "./schemas.ts";
import { stateOf } from "./states.ts";

/** So many items of a trace are told of. */
const MOST_ITEMS = 100;

/** In which queues a trace is. */
export function reviewItemsOfTraceRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/review_items",
		{
			config: { access: "read", home: "project", limitedKeys: "refused" },
			schema: {
				operationId: "listReviewItemsOfTrace",
				tags: ["review"],
				summary: "The review queues in which a trace or spans of it are, and how far they are there",
				description: `Of queues that are not archived, the newest first; at most ${MOST_ITEMS}.`,
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: noParams,
				response: { 200: ReviewItemsOfTrace },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const trace = await getTrace(actor.traces, params.trace_id, project.id);
			const rows = await db.read
				.selectFrom("review_items")
				.innerJoin("review_queues", "review_queues.id", "review_items.queue_id")
				.select(["review_items.id", "review_items.target_id", "review_items.queue_id"])
				.select(["review_queues.name", "review_queues.target", stateOf(now()).as("shown_state")])
				.where("review_items.trace_row_id", "=", trace.id)
				.where("review_queues.archived_at", "is", null)
				.orderBy("review_queues.id", "desc")
				.orderBy("review_items.id")
				.limit(MOST_ITEMS)
				.execute();
			return {
				data: rows.map((row) => ({
					...{ queue_id: encodeGlobalId("ReviewQueue", row.queue_id), queue_name: row.name },
					item_id: encodeGlobalId("ReviewItem", row.id),
					target: { kind: row.target, id: row.target_id },
					state: row.shown_state,
				})),
			};
		},
	);
}
