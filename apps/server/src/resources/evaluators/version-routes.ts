import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { jsonChanges } from "#http/json-changes.ts";
import { toJsonText } from "#http/json-values.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { assertRunnable } from "./assert-runnable.ts";
import { getEvaluator, getVersion, insertVersion, listVersions, updateEvaluator } from "./queries.ts";
import {
	CreateEvaluatorVersionBody,
	EvaluatorVersionDiff,
	EvaluatorVersionPage,
	OneEvaluatorVersion,
} from "./schemas.ts";
import { parseVersion, toVersion } from "./to-evaluator.ts";

const ofEvaluator = z.object({ evaluator_identifier: z.string() });
const params = z.object({ evaluator_version_id: z.string() });
const tags = ["evaluators"];

export function versionRoutes(app: App, { auth, code, db, now }: Context): void {
	app.get(
		"/v1/evaluators/:evaluator_identifier/versions",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "listEvaluatorVersions",
				tags,
				summary: "Page through versions of an evaluator, newest first",
				params: ofEvaluator,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: EvaluatorVersionPage },
			},
		},
		async ({ params, query }) => {
			const { id } = await getEvaluator(db.read, params.evaluator_identifier);
			return await pageOf(
				"EvaluatorVersion",
				query,
				(part) => listVersions(db.read, { ...part, evaluatorId: id }),
				(row) => toVersion(row),
			);
		},
	);

	app.post(
		"/v1/evaluators/:evaluator_identifier/versions",
		{
			config: { access: "write", home: "none", body: "large" },
			schema: {
				operationId: "createEvaluatorVersion",
				tags,
				summary: "Add a version, which is the newest from now on; results of former ones stay as they are",
				params: ofEvaluator,
				body: CreateEvaluatorVersionBody,
				response: { 201: OneEvaluatorVersion },
			},
		},
		async (request, reply) => {
			const { actor, body, params, principal } = request;
			await assertRunnable(code, body.version);
			const version = {
				kind: body.version.kind,
				definition: toJsonText(body.version),
				template: body.template ?? null,
				user_id: userOf(principal)?.id ?? null,
				created_at: now(),
			};
			const row = await actor.change(async (transaction) => {
				const evaluator = await getEvaluator(transaction, params.evaluator_identifier);
				const made = await insertVersion(transaction, evaluator.id, version);
				await updateEvaluator(transaction, evaluator, {}, version.created_at);
				await auth.audit.recordIn(transaction, {
					...{ action: "evaluator.update", outcome: "success", principal, request },
					target: { type: "evaluator", id: evaluator.id, name: evaluator.name },
					details: { version: made.number, kind: made.kind },
				});
				return made;
			});
			return reply.code(201).send({ data: toVersion(row) });
		},
	);

	app.get(
		"/v1/evaluator_versions/:evaluator_version_id",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "getEvaluatorVersion",
				tags,
				summary: "Fetch one version of an evaluator",
				params,
				response: { 200: OneEvaluatorVersion },
			},
		},
		async ({ params }) => ({ data: toVersion(await getVersion(db.read, params.evaluator_version_id)) }),
	);

	app.get(
		"/v1/evaluator_versions/:evaluator_version_id/diff",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "diffEvaluatorVersions",
				tags,
				summary: "What changed between two versions: prompt, labels, parameters, code",
				params,
				querystring: z.object({ against: z.string().max(1_024).describe("Id of the version before.") }),
				response: { 200: z.object({ data: EvaluatorVersionDiff }) },
			},
		},
		async ({ params, query }) => {
			const after = await getVersion(db.read, params.evaluator_version_id);
			const before = await getVersion(db.read, query.against);
			const changes = jsonChanges({ ...parseVersion(before.definition) }, { ...parseVersion(after.definition) });
			return {
				data: {
					id: encodeGlobalId("EvaluatorVersion", after.id),
					against: encodeGlobalId("EvaluatorVersion", before.id),
					is_equal: changes.length === 0,
					changes,
				},
			};
		},
	);
}
