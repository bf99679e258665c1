import { z } from "zod";
import { notFound } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { exampleOfSpan } from "#resources/datasets/span-examples.ts";
import { getItem } from "../items.ts";
import { getQueue, type QueueRow } from "../queues.ts";
import { itemParams, noParams, queueParams } from "../schemas.ts";
import { exampleKind } from "../targets.ts";
import { targetGone } from "../to-item.ts";
import { cancelGoldRun, type GoldRunRow, getGoldRun, listGoldRuns } from "./gold-runs.ts";
import { GoldRunListQuery, GoldRunPage, goldRunParams, ItemExample, OneGoldRun, StartGoldRunBody } from "./schemas.ts";
import { findSourceSpans } from "./source-spans.ts";
import { startGoldRun } from "./start-gold.ts";
import { toGoldRuns } from "./to-gold-run.ts";

const tags = ["review"];
const ITEM_NOT_FOUND = "There is no such item in this review queue";

/** Examples of datasets that come of reviews. */
export function reviewGoldRoutes(app: App, context: Context): void {
	const { db, events, now } = context;
	app.get(
		"/v1/review_queues/:queue_id/items/:item_id/example",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewItemExample",
				tags,
				summary: "The example that the span of an item would become",
				description:
					"Of a trace that of its root span, of a session that of the root span of its last trace. `POST /v1/datasets/{id}/examples/from_spans` takes it with another output, such as a corrected one.",
				params: itemParams,
				querystring: noParams,
				response: { 200: ItemExample },
			},
		},
		async ({ actor, params }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const kind = exampleKind(queue);
			const item = await getItem(db.read, actor, queue.id, params.item_id);
			const entities = await actor.traces.findEntities(kind, [item.target_row_id]);
			if (entities.length === 0 && actor.hidden.size > 0) throw notFound("review_item_not_found", ITEM_NOT_FOUND);
			const source = (await findSourceSpans(actor.traces, kind, entities)).get(item.target_row_id);
			const stored = source === undefined ? undefined : await actor.traces.findSpan(source);
			if (stored === undefined) throw targetGone();
			const { content, span } = exampleOfSpan(stored);
			return {
				data: {
					...{ trace_id: span.traceId, span_id: span.spanId },
					project_id: encodeGlobalId("Project", span.projectId),
					span_node_id: encodeGlobalId("Span", span.rowId),
					...{ input: objectFromJsonText(content.input), output: objectFromJsonText(content.output) },
					metadata: objectFromJsonText(content.metadata),
				},
			};
		},
	);

	app.post(
		"/v1/review_queues/:queue_id/gold_runs",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "startReviewGoldRun",
				tags,
				summary: "Make the gold answers of a review queue a version of a dataset",
				description:
					"Runs in the background, with the rights that who starts it has at each moment. Examples that the dataset has of the same spans get the new content. Nothing else changes the dataset meanwhile.",
				params: queueParams,
				querystring: noParams,
				body: StartGoldRunBody,
				response: { 202: OneGoldRun },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			const run = await startGoldRun(context, request, body, params.queue_id);
			return reply.code(202).send({ data: await show(actor, await getQueue(db.read, params.queue_id), run) });
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/gold_runs",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listReviewGoldRuns",
				tags,
				summary: "Page through the runs that made gold answers of a review queue examples, newest first",
				description: "One's own; all of them for admins.",
				params: queueParams,
				querystring: GoldRunListQuery,
				response: { 200: GoldRunPage },
			},
		},
		async ({ actor, params, query, principal }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const fromId = decodeIdCursor("ReviewGoldRun", query.cursor);
			const rows = await listGoldRuns(db.read, principal, { queueId: queue.id, fromId, limit: query.limit + 1 });
			const { items, next_cursor } = pageById("ReviewGoldRun", rows, query.limit);
			return { data: await toGoldRuns(db.read, actor.rights, queue, items), next_cursor };
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/gold_runs/:gold_run_id",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewGoldRun",
				tags,
				summary: "Progress of a run that makes gold answers examples",
				params: goldRunParams,
				querystring: noParams,
				response: { 200: OneGoldRun },
			},
		},
		async ({ actor, params, principal }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const run = await getGoldRun(db.read, principal, { queueId: queue.id, runId: params.gold_run_id });
			return { data: await show(actor, queue, run) };
		},
	);

	app.delete(
		"/v1/review_queues/:queue_id/gold_runs/:gold_run_id",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "cancelReviewGoldRun",
				tags,
				summary: "Cancel a run that makes gold answers examples: one's own, or any as an admin; nothing of it stays",
				params: goldRunParams,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async ({ actor, params }, reply) => {
			await actor.change(async (transaction, principal) => {
				const queue = await getQueue(transaction, params.queue_id);
				const run = await getGoldRun(transaction, principal, { queueId: queue.id, runId: params.gold_run_id });
				await cancelGoldRun(transaction, run.id, now());
			});
			events.emit("review_gold_asked");
			return reply.code(204).send(null);
		},
	);

	async function show({ rights }: Pick<Actor, "rights">, queue: QueueRow, run: GoldRunRow) {
		const [shown] = await toGoldRuns(db.read, rights, queue, [run]);
		return present(shown, "a run");
	}
}
