import type { FastifyReply } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toJsonText } from "#http/json-values.ts";
import { userOf } from "#http/principal.ts";
import type { Rights } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import { assertRunnable } from "./assert-runnable.ts";
import {
	type EvaluatorRow,
	type EvaluatorUses,
	findUses,
	getEvaluator,
	insertEvaluator,
	listEvaluators,
	updateEvaluator,
} from "./queries.ts";
import {
	CreateEvaluatorBody,
	EvaluatorPage,
	EvaluatorUsage,
	ListEvaluatorsQuery,
	OneEvaluator,
	UpdateEvaluatorBody,
} from "./schemas.ts";
import { toEvaluator } from "./to-evaluator.ts";

const params = z.object({ evaluator_identifier: z.string() });
const tags = ["evaluators"];

export function manageRoutes(app: App, { auth, code, db, now }: Context): void {
	function one(reply: FastifyReply, row: EvaluatorRow) {
		setEtag(reply, row);
		return { data: toEvaluator(row) };
	}

	app.get(
		"/v1/evaluators",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "listEvaluators",
				tags,
				summary: "Page through evaluators, newest first",
				querystring: ListEvaluatorsQuery,
				response: { 200: EvaluatorPage },
			},
		},
		async ({ query }) => {
			const { name_contains: nameContains, kind } = query;
			const chosen = { nameContains, kind, isArchived: query.archived === "true" };
			return await pageOf(
				"Evaluator",
				query,
				(part) => listEvaluators(db.read, { ...part, ...chosen }),
				(row) => toEvaluator(row),
			);
		},
	);

	app.post(
		"/v1/evaluators",
		{
			config: { access: "write", home: "none", body: "large" },
			schema: {
				operationId: "createEvaluator",
				tags,
				summary: "Make an evaluator with its first version",
				body: CreateEvaluatorBody,
				response: { 201: OneEvaluator },
			},
		},
		async (request, reply) => {
			const { actor, body, principal } = request;
			await assertRunnable(code, body.version);
			const version = {
				kind: body.version.kind,
				definition: toJsonText(body.version),
				template: body.template ?? null,
				user_id: userOf(principal)?.id ?? null,
				created_at: now(),
			};
			const row = await actor.change(async (transaction) => {
				const made = await insertEvaluator(transaction, {
					name: body.name,
					description: body.description ?? null,
					version,
				});
				await auth.audit.recordIn(transaction, {
					...{ action: "evaluator.create", outcome: "success", principal, request },
					target: { type: "evaluator", id: made.id, name: made.name },
					details: { kind: made.kind },
				});
				return made;
			});
			reply.code(201);
			return one(reply, row);
		},
	);

	app.get(
		"/v1/evaluators/:evaluator_identifier",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "getEvaluator",
				tags,
				summary: "Fetch an evaluator by id or name",
				params,
				response: { 200: OneEvaluator },
			},
		},
		async ({ params }, reply) => one(reply, await getEvaluator(db.read, params.evaluator_identifier)),
	);

	app.patch(
		"/v1/evaluators/:evaluator_identifier",
		{
			config: { access: "write", home: "none" },
			schema: {
				operationId: "updateEvaluator",
				tags,
				summary: "Rename, describe, archive or restore an evaluator; its versions never change",
				params,
				body: UpdateEvaluatorBody,
				response: { 200: OneEvaluator },
			},
		},
		async (request, reply) => {
			const { actor, body, params, principal } = request;
			const row = await actor.change(async (transaction) => {
				const before = await getEvaluator(transaction, params.evaluator_identifier);
				assertIfMatch(request, before);
				if (body.is_archived === true && before.archived_at === null)
					assertUnused(await findUses(transaction, before.id), actor.rights);
				const after = await updateEvaluator(
					transaction,
					before,
					{
						...(body.name === undefined ? {} : { name: body.name }),
						...(body.description === undefined ? {} : { description: body.description }),
						...(body.is_archived === undefined ? {} : { archived_at: body.is_archived ? now() : null }),
					},
					now(),
				);
				await auth.audit.recordIn(transaction, {
					...{ action: "evaluator.update", outcome: "success", principal, request },
					target: { type: "evaluator", id: after.id, name: after.name },
					details: { fields: Object.keys(body).join(", ") },
				});
				return after;
			});
			return one(reply, row);
		},
	);

	app.delete(
		"/v1/evaluators/:evaluator_identifier",
		{
			config: { access: "write", home: "none" },
			schema: {
				operationId: "deleteEvaluator",
				tags,
				summary: "Archive an evaluator that nothing uses; results keep naming it",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params, principal } = request;
			await actor.change(async (transaction) => {
				const before = await getEvaluator(transaction, params.evaluator_identifier);
				assertIfMatch(request, before);
				if (before.archived_at !== null) return;
				assertUnused(await findUses(transaction, before.id), actor.rights);
				await updateEvaluator(transaction, before, { archived_at: now() }, now());
				await auth.audit.recordIn(transaction, {
					...{ action: "evaluator.delete", outcome: "success", principal, request },
					target: { type: "evaluator", id: before.id, name: before.name },
				});
			});
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/evaluators/:evaluator_identifier/usage",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "getEvaluatorUsage",
				tags,
				summary: "The datasets and unfinished jobs that use an evaluator",
				params,
				response: { 200: z.object({ data: EvaluatorUsage }) },
			},
		},
		async ({ actor, params }) => {
			const { id } = await getEvaluator(db.read, params.evaluator_identifier);
			return { data: toUsage(await findUses(db.read, id), actor.rights) };
		},
	);
}

/** @throws UserError 409 `evaluator_in_use` */
function assertUnused(uses: EvaluatorUses, rights: Rights): void {
	const { datasets, hidden, jobs } = toUsage(uses, rights);
	const by = [
		...datasets.map(({ name }) => `the dataset ${name}`),
		...(hidden === 0 ? [] : ["datasets that you do not see"]),
		...jobs.map(({ name }) => `the job ${name}`),
	];
	if (by.length === 0) return;
	const named = by.length > 5 ? [...by.slice(0, 5), `${by.length - 5} more`] : by;
	throw new UserError(409, "evaluator_in_use", `It is used by ${named.join(", ")}: take it out there before.`);
}

function toUsage({ datasets, jobs }: EvaluatorUses, rights: Rights): z.output<typeof EvaluatorUsage> {
	const seen = datasets.filter(({ home }) => rights.roleAt(toHome(home)) !== undefined);
	return {
		datasets: seen.map(({ id, name }) => ({ id: encodeGlobalId("Dataset", id), name })),
		jobs: jobs.map(({ id, name }) => ({ id: encodeGlobalId("ExperimentJob", id), name })),
		hidden: datasets.length - seen.length,
	};
}
