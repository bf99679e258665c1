import { z } from "zod";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { parseFilter } from "#http/filter-param.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { limitedSenderOf, userOf } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { Caller } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { listSince } from "./arrived.ts";
import { assertMayChange, getOpenQueue, getQueue, type QueueRow } from "./queues.ts";
import {
	OneReviewRule,
	PutRuleQuery,
	PutRuleResult,
	type ReviewRule,
	RuleBody,
	type RulePreview,
} from "./rule-schemas.ts";
import { dayOf, findRule, type RuleRow, ruleNotFound, storeRule } from "./rules.ts";
import { isSampled } from "./sampling.ts";
import { noParams, queueParams } from "./schemas.ts";
import { filteredKind } from "./targets.ts";

const tags = ["review"];
const PREVIEW_MICROS = 86_400_000_000;
/** A preview ends so long after it began, plus one page. */
const MOST_PREVIEW_MS = 8_000;

/** The standing rules that go on filling queues. */
export function reviewRuleRoutes(app: App, { auth, db, now }: Context): void {
	app.put(
		"/v1/review_queues/:queue_id/rule",
		{
			config: { access: "write", home: "catalogue", role: "annotator" },
			schema: {
				operationId: "putReviewRule",
				tags,
				summary: "Set the rule that goes on filling a review queue: of one's own, or of any by admins",
				description:
					"What arrives in the project from then on and matches is added about a minute later, with the rights that who set the rule has by then. With `preview` nothing is set: the answer says how many started in the last 24 hours.",
				params: queueParams,
				querystring: PutRuleQuery,
				body: RuleBody,
				response: { 200: PutRuleResult },
			},
		},
		async (request, reply) => {
			const { actor, body, params, query } = request;
			const queue = await getOpenQueue(db.read, params.queue_id);
			assertMayChange(queue, actor.principal);
			const project = await getProject(db.read, actor, body.project);
			const target = filteredKind(queue.target, ["body", "filter"]);
			parseFilter(target, body.filter);
			const { filter, sample } = body;
			if (query.preview)
				return reply.code(200).send({
					data: await preview(
						actor,
						queue.id,
						{ projectId: project.id, target, filter, sample },
						askerOf(request, reply),
					),
				});
			const arrived = (await actor.traces.readArrivals())[target];
			const row = await actor.change(async (transaction, principal) => {
				assertMayChange(await getOpenQueue(transaction, params.queue_id), principal);
				const before = await findRule(transaction, queue.id);
				if (before !== undefined) assertIfMatch(request, versionOf(before));
				const stored = await storeRule(transaction, {
					...{ queue_id: queue.id, project_id: project.id, filter, sample, daily_limit: body.daily_limit },
					...{ enabled: body.enabled ? 1 : 0, user_id: userOf(principal)?.id ?? null, arrived, now: now() },
					acts_as: JSON.stringify(limitedSenderOf(principal) ?? {}),
				});
				await record(transaction, { request, principal, queue, rule: body.enabled ? "set" : "switched off" });
				return stored;
			});
			setEtag(reply, versionOf(row));
			return reply.code(200).send({ data: toRule(row, now()) });
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/rule",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewRule",
				tags,
				summary: "Fetch the rule that goes on filling a review queue",
				params: queueParams,
				querystring: noParams,
				response: { 200: OneReviewRule },
			},
		},
		async ({ actor, params }, reply) => {
			const queue = await getQueue(db.read, params.queue_id);
			const row = await findRule(db.read, queue.id);
			if (row === undefined || !enterSeen(actor, row.project_id)) throw ruleNotFound();
			setEtag(reply, versionOf(row));
			return { data: toRule(row, now()) };
		},
	);

	app.delete(
		"/v1/review_queues/:queue_id/rule",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "deleteReviewRule",
				tags,
				summary: "Delete the rule of a review queue; what it has added stays",
				params: queueParams,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await actor.change(async (transaction, principal) => {
				const queue = await getQueue(transaction, params.queue_id);
				assertMayChange(queue, principal);
				const row = await findRule(transaction, queue.id);
				if (row === undefined) throw ruleNotFound();
				assertIfMatch(request, versionOf(row));
				await transaction.deleteFrom("review_rules").where("queue_id", "=", queue.id).execute();
				await record(transaction, { request, principal, queue, rule: "deleted" });
			});
			return reply.code(204).send(null);
		},
	);

	interface Recorded {
		readonly request: NonNullable<Parameters<typeof auth.audit.recordIn>[1]["request"]>;
		readonly principal: Actor["principal"];
		readonly queue: QueueRow;
		readonly rule: string;
	}

	async function record(
		transaction: Parameters<typeof auth.audit.recordIn>[0],
		{ queue, rule, ...by }: Recorded,
	): Promise<void> {
		await auth.audit.recordIn(transaction, {
			...{ ...by, action: "review_queue.update", outcome: "success", details: { rule } },
			target: { type: "review_queue", id: queue.id, name: queue.name },
		});
	}

	interface Previewed extends Pick<Tables["review_rules"], "filter" | "sample"> {
		readonly projectId: number;
		readonly target: EntityKind;
	}

	async function preview(
		actor: Actor,
		id: number,
		{ projectId, target, filter, sample }: Previewed,
		caller: Caller,
	): Promise<z.output<typeof RulePreview>> {
		const end = performance.now() + MOST_PREVIEW_MS;
		let [matching, sampled] = [0, 0];
		for await (const items of listSince(actor.traces, { projectId, target, filter, caller }, now() - PREVIEW_MICROS)) {
			matching += items.length;
			sampled += items.filter((item) => isSampled(id, item.id, sample)).length;
			if (performance.now() > end || caller.gone?.aborted === true) return { matching, sampled, is_complete: false };
		}
		return { matching, sampled, is_complete: true };
	}
}

function versionOf({ queue_id, updated_at }: RuleRow) {
	return { id: queue_id, updated_at };
}

function toRule(row: RuleRow, now: number): z.output<typeof ReviewRule> {
	return {
		...{ project_id: encodeGlobalId("Project", row.project_id), filter: row.filter, sample: row.sample },
		...{ daily_limit: row.daily_limit, enabled: row.enabled === 1, error: row.error },
		...{ added_today: row.day === dayOf(now) ? row.day_items : 0, added: row.total_items },
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		...{ created_at: formatTime(row.created_at), updated_at: formatTime(row.updated_at) },
	};
}
