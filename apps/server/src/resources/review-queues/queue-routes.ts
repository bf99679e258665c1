import { randomInt } from "node:crypto";
import type { Transaction } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { isPerson, type Principal, userOf } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import { deleteItemsOfQueue } from "./delete-items.ts";
import { noteAdded } from "./mails/note-added.ts";
import { readQuestions } from "./questions.ts";
import {
	assertEnoughReviewers,
	assertMayChange,
	assertMayHide,
	countItems,
	getQueue,
	insertQueue,
	listQueues,
	type QueueRow,
	readUsers,
	reviewersOf,
	updateQueue,
} from "./queues.ts";
import {
	CreateReviewQueueBody,
	DeleteReviewQueueQuery,
	noParams,
	OneReviewQueue,
	PatchReviewQueueBody,
	queueParams,
	ReviewQueueListQuery,
	ReviewQueuePage,
} from "./schemas.ts";
import { findPeople, toQueue } from "./to-queue.ts";
import { releaseTurnsOfOthers } from "./turns.ts";

const MOST_SEED = 2 ** 31;
const tags = ["review"];

/** The queues themselves. */
export function reviewQueueOnlyRoutes(app: App, { auth, db, now }: Context): void {
	app.get(
		"/v1/review_queues",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listReviewQueues",
				tags,
				summary: "Page through review queues, newest first",
				querystring: ReviewQueueListQuery,
				response: { 200: ReviewQueuePage },
			},
		},
		async ({ actor, query }) => {
			const fromId = decodeIdCursor("ReviewQueue", query.cursor);
			const rows = await listQueues(db.read, { isArchived: query.archived, fromId, limit: query.limit + 1 });
			const { items, next_cursor } = pageById("ReviewQueue", rows, query.limit);
			const ids = items.map(({ id }) => id);
			const counts = await countItems(db.read, actor.rights, ids, now());
			const people = await findPeople(db.read, items);
			return { data: items.map((row) => toQueue(row, counts(row.id), people)), next_cursor };
		},
	);

	app.post(
		"/v1/review_queues",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "createReviewQueue",
				tags,
				summary: "Make a review queue",
				querystring: noParams,
				body: CreateReviewQueueBody,
				response: { 201: OneReviewQueue },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const row = await actor.change(async (transaction, principal) => {
				const questions = await readQuestions(transaction, body.questions);
				const reviewers = body.reviewers && (await readUsers(transaction, "reviewers", body.reviewers));
				const adjudicators = await readUsers(transaction, "adjudicators", body.adjudicators);
				assertEnoughReviewers({ reviewsRequired: body.reviews_required, reviewers }, principal);
				const blind = (body.blind ?? body.reviews_required > 1) ? 1 : 0;
				assertMayHide({ blind }, body.hide_model_annotations);
				const made = await insertQueue(
					transaction,
					{
						...{ name: body.name, description: body.description, guidance: body.guidance, target: body.target },
						...{ questions: JSON.stringify(questions), reviews_required: body.reviews_required },
						reviewers: reviewers && JSON.stringify(reviewers),
						adjudicators: JSON.stringify(adjudicators),
						...{ blind, hide_model_annotations: body.hide_model_annotations ? 1 : 0 },
						...{ item_order: body.order, seed: body.seed ?? randomInt(MOST_SEED) },
						...{ lease_minutes: body.lease_minutes, due_at: body.due_at ?? null, archived_at: null },
						created_by: isPerson(principal) ? (userOf(principal)?.id ?? null) : null,
					},
					now(),
				);
				await noteForMails(transaction, undefined, made, principal);
				await record(transaction, "review_queue.create", { request, principal, queue: made });
				return made;
			});
			setEtag(reply, row);
			return reply.code(201).send(await show(actor, row));
		},
	);

	app.get(
		"/v1/review_queues/:queue_id",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewQueue",
				tags,
				summary: "Fetch a review queue",
				params: queueParams,
				querystring: noParams,
				response: { 200: OneReviewQueue },
			},
		},
		async ({ actor, params }, reply) => {
			const row = await getQueue(db.read, params.queue_id);
			setEtag(reply, row);
			return await show(actor, row);
		},
	);

	app.patch(
		"/v1/review_queues/:queue_id",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "patchReviewQueue",
				tags,
				summary: "Change a review queue: one's own, or any by admins",
				description:
					"`questions` replaces the list; answers that were given stay. `reviews_required` can be changed until somebody has reviewed or skipped an item.",
				params: queueParams,
				querystring: noParams,
				body: PatchReviewQueueBody,
				response: { 200: OneReviewQueue },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			const row = await actor.change(async (transaction, principal) => {
				const before = await getQueue(transaction, params.queue_id);
				assertMayChange(before, principal);
				assertIfMatch(request, before);
				const values = await readChange(transaction, before, body, principal);
				const after = await updateQueue(transaction, before, values, now());
				const reviewers = reviewersOf(after);
				if (values.reviewers !== undefined && reviewers !== null)
					await releaseTurnsOfOthers(transaction, after.id, reviewers);
				await noteForMails(transaction, before, after, principal);
				await record(transaction, "review_queue.update", { request, principal, queue: after });
				return after;
			});
			setEtag(reply, row);
			return await show(actor, row);
		},
	);

	app.delete(
		"/v1/review_queues/:queue_id",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "deleteReviewQueue",
				tags,
				summary: "Delete a review queue with its items: one's own, or any by admins",
				description: "The annotations that came of it stay, unless `delete_annotations` is given.",
				params: queueParams,
				querystring: DeleteReviewQueueQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const queue = await actor.change(async (transaction, principal) => {
				const before = await getQueue(transaction, params.queue_id);
				assertMayChange(before, principal);
				assertIfMatch(request, before);
				await record(transaction, "review_queue.delete", { request, principal, queue: before });
				// Nobody takes turns while its items go.
				return await updateQueue(transaction, before, { archived_at: before.archived_at ?? now() }, now());
			});
			await deleteItemsOfQueue(actor, queue, query.delete_annotations);
			await actor.change(async (transaction) => {
				await transaction.deleteFrom("review_queues").where("id", "=", queue.id).execute();
			});
			return reply.code(204).send(null);
		},
	);

	async function noteForMails(
		transaction: Transaction<Tables>,
		before: QueueRow | undefined,
		after: QueueRow,
		principal: Principal,
	): Promise<void> {
		if (!auth.userMails.canSendLinks) return;
		await noteAdded(transaction, { before, after, by: userOf(principal)?.id, now: now() });
	}

	type Recorded = Parameters<typeof auth.audit.recordIn>[1];

	async function record(
		transaction: Transaction<Tables>,
		action: Recorded["action"],
		by: { readonly request: NonNullable<Recorded["request"]>; readonly principal: Principal; readonly queue: QueueRow },
	): Promise<void> {
		const { request, principal, queue } = by;
		const target = { type: "review_queue", id: queue.id, name: queue.name } as const;
		await auth.audit.recordIn(transaction, { action, outcome: "success", principal, target, request });
	}

	async function show(actor: { readonly rights: Parameters<typeof countItems>[1] }, row: QueueRow) {
		const counts = await countItems(db.read, actor.rights, [row.id], now());
		return { data: toQueue(row, counts(row.id), await findPeople(db.read, [row])) };
	}

	async function readChange(
		transaction: Transaction<Tables>,
		before: QueueRow,
		body: z.output<typeof PatchReviewQueueBody>,
		principal: Principal,
	): Promise<Parameters<typeof updateQueue>[2]> {
		const reviewers = body.reviewers && JSON.stringify(await readUsers(transaction, "reviewers", body.reviewers));
		const adjudicators = body.adjudicators && (await readUsers(transaction, "adjudicators", body.adjudicators));
		const questions = body.questions && (await readQuestions(transaction, body.questions));
		assertMayHide(before, body.hide_model_annotations);
		const required = body.reviews_required ?? before.reviews_required;
		const after = { reviewers: reviewers === undefined ? before.reviewers : reviewers };
		if (body.reviews_required !== undefined || body.reviewers !== undefined)
			assertEnoughReviewers({ reviewsRequired: required, reviewers: reviewersOf(after) }, principal);
		if (required !== before.reviews_required) await assertNotBegun(transaction, before.id);
		return {
			...present("name", body.name),
			...present("description", body.description),
			...present("guidance", body.guidance),
			...present("questions", questions && JSON.stringify(questions)),
			...present("reviews_required", body.reviews_required),
			...present("reviewers", reviewers),
			...present("adjudicators", adjudicators && JSON.stringify(adjudicators)),
			...present("hide_model_annotations", flagOf(body.hide_model_annotations)),
			...present("item_order", body.order),
			...present("lease_minutes", body.lease_minutes),
			...present("due_at", body.due_at),
			...present(
				"archived_at",
				body.archived === undefined ? undefined : body.archived ? (before.archived_at ?? now()) : null,
			),
		};
	}
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
	return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}

function flagOf(value: boolean | undefined): 0 | 1 | undefined {
	return value === undefined ? undefined : value ? 1 : 0;
}

/** @throws UserError 409 when somebody has reviewed or skipped an item */
async function assertNotBegun(transaction: Transaction<Tables>, queueId: number): Promise<void> {
	const begun = await transaction
		.selectFrom("review_turns")
		.select("id")
		.where("queue_id", "=", queueId)
		.where("status", "<>", "reserved")
		.limit(1)
		.executeTakeFirst();
	if (begun !== undefined)
		throw new UserError(409, "reviews_begun", "Items of this queue were reviewed or skipped already.");
}
