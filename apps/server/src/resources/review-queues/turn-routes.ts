import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import type { Principal } from "#http/principal.ts";
import { prepared } from "#storage/prepared.ts";
import { findShownItems, getItem, holdTarget } from "./items.ts";
import type { LeftItems } from "./left-items.ts";
import { checkAnswers, questionsOf } from "./questions.ts";
import { assertReviewer, getOpenQueue, getQueue, numberOf } from "./queues.ts";
import {
	DraftBody,
	itemParams,
	noParams,
	OneTurn,
	OwnReviews,
	queueParams,
	ReviewBody,
	SkipBody,
	SubmitQuery,
	SubmittedReview,
} from "./schemas.ts";
import { answer, skip, type WorkedInTurns } from "./settle.ts";
import { takeTurn } from "./take-turn.ts";
import { showItems, showKnown, targetGone } from "./to-item.ts";
import { heldOf, keepDraft, leaseLost, listOwnReviews, listTurns, releaseTurn, type TurnRow } from "./turns.ts";

const tags = ["review"];
const reviewing = { access: "write", home: "catalogue", role: "annotator" } as const;

/** The turns of reviewers. */
export function reviewTurnRoutes(app: App, context: Context, leftItems: LeftItems): void {
	const { db, now } = context;
	app.post(
		"/v1/review_queues/:queue_id/next",
		{
			config: reviewing,
			schema: {
				operationId: "takeNextReviewItem",
				tags,
				summary: "Take the next item: nobody else is given the same turn until the lease ends",
				description:
					"Who holds an item already is given it again, with a new lease. 204 when nothing is left for the caller.",
				params: queueParams,
				querystring: noParams,
				response: { 200: OneTurn, 204: z.null() },
			},
		},
		async ({ actor, params }, reply) => {
			const data = await takeTurn(context, leftItems, actor, params.queue_id);
			if (data === undefined) return reply.code(204).send(null);
			return reply.code(200).send({ data });
		},
	);

	app.put(
		"/v1/review_queues/:queue_id/items/:item_id/draft",
		{
			config: reviewing,
			schema: {
				operationId: "keepReviewDraft",
				tags,
				summary: "Keep a draft of one's review on the server",
				description: "It is also kept where the answer is 409 `lease_lost`, if the caller has ever held the item.",
				params: itemParams,
				querystring: noParams,
				body: DraftBody,
				response: { 204: z.null() },
			},
		},
		async ({ actor, body, params }, reply) => {
			const isOwn = await actor.change(async (transaction, principal) => {
				const { item, turn } = await ofReviewer(transaction, actor, principal, params);
				if (turn?.status === "reserved") await keepDraft(transaction, turn.id, body);
				return heldOf(turn, item, now()) !== undefined;
			});
			if (!isOwn) throw leaseLost();
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/review_queues/:queue_id/items/:item_id/review",
		{
			config: reviewing,
			schema: {
				operationId: "submitReview",
				tags,
				summary: "Answer the questions about an item that one holds, or change one's answers",
				description:
					"The last 50 reviews of one's own can be changed until an adjudicator has decided. Where the lease has ended the answer is 409 `lease_lost`, and what was sent is kept as a draft.",
				params: itemParams,
				querystring: SubmitQuery,
				body: ReviewBody,
				response: { 200: SubmittedReview },
			},
		},
		async ({ actor, body, params, query }) => {
			const outcome = await actor.change(async (changing, principal) => {
				const transaction = prepared(changing);
				const { turn, ...found } = await ofReviewer(transaction, actor, principal, params);
				const { queue, item } = found;
				if (item.decision !== null) throw decided();
				const answered = turn?.status === "done" ? turn : heldOf(turn, item, now());
				if (answered === undefined) {
					if (turn?.status === "reserved") await keepDraft(transaction, turn.id, body);
					return "lost";
				}
				const answers = checkAnswers(questionsOf(queue), body.answers);
				const entity = await holdTarget(actor, transaction, queue.target, item);
				if (entity === undefined) return "gone";
				const source = principal.kind === "session" ? "APP" : "API";
				const worked = { ...found, entity, now: now() };
				const given = { answers, source, seconds: body.seconds } as const;
				return { ...worked, ...(await answer(transaction, worked, answered, given)) };
			});
			if (outcome === "lost") throw leaseLost();
			if (outcome === "gone") throw targetGone();
			const { queue, item, entity, turns } = outcome;
			// The caller's own turn on it is done.
			const row = { ...item, shown_state: item.state === "open" ? ("in_review" as const) : item.state };
			const data = showKnown(actor, queue, { row, entity, turns });
			return query.next ? { data, ...(await takeAlong(actor, params.queue_id)) } : { data };
		},
	);

	app.post(
		"/v1/review_queues/:queue_id/items/:item_id/skip",
		{
			config: reviewing,
			schema: {
				operationId: "skipReviewItem",
				tags,
				summary: "Leave an item that one holds to somebody else, for good",
				description:
					"When as many have skipped it as are to answer, or nobody is left who could, an adjudicator decides.",
				params: itemParams,
				querystring: noParams,
				body: SkipBody,
				response: { 204: z.null() },
			},
		},
		async ({ actor, body, params }, reply) => {
			const outcome = await actor.change(async (transaction, principal) => {
				const { turn, ...found } = await ofReviewer(transaction, actor, principal, params);
				const { queue, item } = found;
				// The same was sent again.
				if (turn?.status === "skipped") return "skipped";
				const held = heldOf(turn, item, now());
				if (held === undefined) throw leaseLost();
				const entity = await holdTarget(actor, transaction, queue.target, item);
				if (entity === undefined) return "gone";
				await skip(transaction, { ...found, entity, now: now() }, held, body.reason);
				return "skipped";
			});
			if (outcome === "gone") throw targetGone();
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/review_queues/:queue_id/items/:item_id/release",
		{
			config: reviewing,
			schema: {
				operationId: "releaseReviewItem",
				tags,
				summary: "Give back an item that one holds; the draft is kept",
				params: itemParams,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async ({ actor, params }, reply) => {
			await actor.change(async (transaction, principal) => {
				const { turn } = await ofReviewer(transaction, actor, principal, params);
				if (turn?.status !== "reserved") throw leaseLost();
				await releaseTurn(transaction, turn.id);
			});
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/own_reviews",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listOwnReviews",
				tags,
				summary: "One's last 50 reviews in a queue, which can be changed",
				params: queueParams,
				querystring: noParams,
				response: { 200: OwnReviews },
			},
		},
		async ({ actor, params }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const ids = await listOwnReviews(db.read, queue.id, numberOf(actor.principal));
			const rows = await findShownItems(db.read, actor.rights, ids, now());
			return { data: await showItems(db.read, actor, queue, rows) };
		},
	);

	/** The next item behind a review that is saved: what refuses it must not look like a review that was not. */
	async function takeAlong(actor: Actor, queueId: string): Promise<Pick<z.output<typeof SubmittedReview>, "next">> {
		try {
			return { next: (await takeTurn(context, leftItems, actor, queueId)) ?? null };
		} catch (error) {
			if (error instanceof UserError) return {};
			throw error;
		}
	}

	/** @throws UserError 404, 403, 409 for an archived queue */
	async function ofReviewer(
		transaction: Parameters<Parameters<Actor["change"]>[0]>[0],
		actor: Actor,
		principal: Principal,
		params: z.output<typeof itemParams>,
	): Promise<Pick<WorkedInTurns, "queue" | "item" | "turns"> & { readonly turn: TurnRow | undefined }> {
		const queue = await getOpenQueue(transaction, params.queue_id);
		const reviewer = assertReviewer(queue, principal);
		const item = await getItem(transaction, actor, queue.id, params.item_id);
		const turns = await listTurns(transaction, item.id);
		return { queue, item, turns, turn: turns.find((turn) => turn.reviewer === reviewer) };
	}
}

function decided(): UserError {
	return new UserError(409, "review_decided", "An adjudicator has decided this item.");
}
