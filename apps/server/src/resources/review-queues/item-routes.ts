import { z } from "zod";
import { chunksOf } from "#base/chunks.ts";
import { notFound, ValidationError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { toHome } from "#http/seen-homes.ts";
import type { ReviewTarget } from "#storage/schema.ts";
import { resolveTargets } from "../annotations/find-targets.ts";
import { OneBulkRun } from "../bulk-runs/schemas.ts";
import { toBulkRun } from "../bulk-runs/to-bulk-run.ts";
import { getExperiment } from "../experiments/queries.ts";
import { listRunIds } from "../experiments/runs.ts";
import { getProject } from "../projects/queries.ts";
import { startFilling } from "./fill.ts";
import { findShownItem, getItem, idsByProject, insertItems, isBegun, listItems } from "./items.ts";
import { assertMayChange, getOpenQueue, getQueue, numberOf } from "./queues.ts";
import {
	AddedItems,
	AddItemsBody,
	ItemListQuery,
	itemParams,
	noParams,
	OneReviewItem,
	queueParams,
	ReviewItemPage,
} from "./schemas.ts";
import { findTargets, resolveRuns, type Target } from "./targets.ts";
import { showItems } from "./to-item.ts";

/** Items per transaction. */
const CHUNK = 500;
/** The most ids that an error message names. */
const MOST_NAMED = 100;
const tags = ["review"];
/** Whoever may annotate in the project of an item may ask for annotations of it. */
const writing = { access: "write", home: "catalogue", role: "annotator" } as const;

/** What is in queues. */
export function reviewItemRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;
	app.get(
		"/v1/review_queues/:queue_id/items",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listReviewItems",
				tags,
				summary: "Page through the items of a review queue in the order in which they were added",
				description:
					"Of a blind queue everybody is shown their own review; those of others once the item is done. Adjudicators are shown them without names as soon as they have to decide.",
				params: queueParams,
				querystring: ItemListQuery,
				response: { 200: ReviewItemPage },
			},
		},
		async ({ actor, params, query }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const rows = await listItems(
				db.read,
				actor.rights,
				{
					...{ queueId: queue.id, state: query.state, limit: query.limit + 1 },
					reviewer: query.reviewer === undefined ? undefined : numberOf(actor.principal),
					fromId: decodeIdCursor("ReviewItem", query.cursor),
				},
				now(),
			);
			const { items, next_cursor } = pageById("ReviewItem", rows, query.limit);
			return { data: await showItems(db.read, actor, queue, items, { withNames: true }), next_cursor };
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/items/:item_id",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewItem",
				tags,
				summary: "Fetch an item of a review queue",
				params: itemParams,
				querystring: noParams,
				response: { 200: OneReviewItem },
			},
		},
		async ({ actor, params }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const { id } = await getItem(db.read, actor, queue.id, params.item_id);
			const row = await findShownItem(db.read, id, now());
			const [data] = row === undefined ? [] : await showItems(db.read, actor, queue, [row], { withNames: true });
			if (data === undefined) throw notFound("review_item_not_found", "There is no such item in this review queue");
			return { data };
		},
	);

	app.post(
		"/v1/review_queues/:queue_id/items",
		{
			config: { ...writing, body: "large" },
			schema: {
				operationId: "addReviewItems",
				tags,
				summary: "Add items to a review queue; what is in it already stays as it is",
				description:
					"With `filter` the answer is 202 with a run in the background, whose progress is at `GET /v1/bulk_runs/{run_id}`; `DELETE` there cancels it, and what was added stays. Count before by `GET /v1/projects/{project_identifier}/selection`.",
				params: queueParams,
				querystring: noParams,
				body: AddItemsBody,
				response: { 200: AddedItems, 202: OneBulkRun },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			const { filter, project, targets = [] } = body;
			if (filter !== undefined && project !== undefined) {
				const run = await startFilling(context, request, { ...body, queueId: params.queue_id, filter, project });
				return reply.code(202).send({ data: toBulkRun(run, actor.rights) });
			}
			const { target } = await getOpenQueue(db.read, params.queue_id);
			const { experiment_id: experiment } = body;
			let [added, named] = [0, 0];
			const chunks =
				experiment === undefined
					? chunksOf(await findRowIds(actor, target, targets), CHUNK)
					: readRunIds(await getReviewed(actor, target, experiment));
			for await (const rowIds of chunks) {
				added += await actor.change(async (transaction) => {
					const queue = await getOpenQueue(transaction, params.queue_id);
					// They may have been moved or deleted since the first look.
					const current = await findTargets(transaction, actor, target, rowIds);
					for (const { projectId } of current) actor.enter(toHome(projectId));
					return await insertItems(transaction, queue, current, { priority: body.priority, now: now() });
				});
				named += rowIds.length;
			}
			await actor.change(async (transaction, principal) => {
				const queue = await getQueue(transaction, params.queue_id);
				await auth.audit.recordIn(transaction, {
					...{ action: "review_queue.fill", outcome: "success", principal, request },
					target: { type: "review_queue", id: queue.id, name: queue.name },
					details: { added },
				});
			});
			return reply
				.code(200)
				.send({ data: { added, present: (experiment === undefined ? targets.length : named) - added } });
		},
	);

	app.delete(
		"/v1/review_queues/:queue_id/items/:item_id",
		{
			config: writing,
			schema: {
				operationId: "deleteReviewItem",
				tags,
				summary: "Take an item out of a review queue",
				description:
					"Its annotations stay. An item that was reviewed or skipped is taken out only by who made the queue, or an admin.",
				params: itemParams,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await actor.change(async (transaction, principal) => {
				const queue = await getQueue(transaction, params.queue_id);
				const item = await getItem(transaction, actor, queue.id, params.item_id);
				if (await isBegun(transaction, item.id)) assertMayChange(queue, principal);
				await transaction.deleteFrom("review_items").where("id", "=", item.id).execute();
				await auth.audit.recordIn(transaction, {
					...{ action: "review_queue.remove_items", outcome: "success", principal, request },
					target: { type: "review_queue", id: queue.id, name: queue.name },
					details: { target: item.target_id },
				});
			});
			return reply.code(204).send(null);
		},
	);

	/**
	 * Row numbers of targets.
	 * @throws UserError 404 naming those that do not exist, 409 for ambiguous ids, 403 `project_role_needed`
	 */
	async function findRowIds(
		actor: Actor,
		kind: ReviewTarget,
		targets: NonNullable<z.output<typeof AddItemsBody>["targets"]>,
	): Promise<readonly number[]> {
		const found = new Map<number, Target>();
		const missing = new Set<string>();
		for (const [project, ids] of idsByProject(kind, targets)) {
			const resolved = await resolve(actor, kind, ids, project);
			for (const id of ids) {
				const entity = resolved.get(id);
				if (entity === undefined) missing.add(id);
				else found.set(entity.rowId, entity);
			}
		}
		if (missing.size > 0) {
			const named = [...missing].slice(0, MOST_NAMED).map((id) => id.slice(0, 300));
			const [code, what] =
				kind === "experiment_run" ? (["run", "runs of experiments"] as const) : ([kind, `${kind}s`] as const);
			throw notFound(`${code}_not_found`, `There are no ${what} with the IDs ${named.join(", ")}.`);
		}
		for (const home of new Set([...found.values()].map(({ projectId }) => projectId))) actor.enter(toHome(home));
		return [...found.keys()];
	}

	async function resolve(
		actor: Actor,
		kind: ReviewTarget,
		ids: readonly string[],
		project: string | undefined,
	): Promise<ReadonlyMap<string, Target>> {
		if (kind === "experiment_run") return await resolveRuns(db.read, actor, ids);
		const projectId = project === undefined ? undefined : (await getProject(db.read, actor, project)).id;
		return await resolveTargets(actor.traces, kind, ids, projectId);
	}

	/** @throws UserError 404, 403 `project_role_needed`; ValidationError for a queue that is not about runs */
	async function getReviewed(actor: Actor, kind: ReviewTarget, experiment: string): Promise<number> {
		if (kind === "experiment_run") return (await getExperiment(db.read, actor, experiment)).id;
		const msg = "The queue is not about runs of experiments";
		throw new ValidationError([{ type: "wrong_target", loc: ["body", "experiment_id"], msg }]);
	}

	async function* readRunIds(experimentId: number): AsyncGenerator<readonly number[]> {
		let after = 0;
		do {
			const ids = await listRunIds(db.read, { experimentId, after, limit: CHUNK });
			if (ids.length > 0) yield ids;
			after = ids.length < CHUNK ? Infinity : (ids.at(-1) ?? Infinity);
		} while (after !== Infinity);
	}
}
