import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { AuditAction } from "#access/auth/audit.ts";
import { mayCall } from "#access/auth/may-call.ts";
import { listSecrets } from "#access/secrets/queries.ts";
import { UserError } from "#base/errors.ts";
import { CreateModelConnectionBody, UpdateModelConnectionBody } from "#base/model-connections/connection-schemas.ts";
import { type ConnectionDefinition, toDefinition } from "#base/model-connections/definition.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { type Principal, userOf } from "#http/principal.ts";
import { booleanParam, cursorParam, limitParam } from "#http/query-params.ts";
import { changeCredentials, listHeld } from "#models/connections/credentials.ts";
import { connectionKeys } from "#models/connections/open-connection.ts";
import { deleteConnection, insertConnection, listConnections, updateConnection } from "#models/connections/queries.ts";
import { monthOf, readSpending } from "#models/connections/spending.ts";
import { type ConnectionRow, definitionOf } from "#models/connections/stored-definition.ts";
import { addressOf, hostOf } from "#models/connections/target.ts";
import { databaseMicros } from "#models/ledger/database-clock.ts";
import { CONNECTION_PRESETS } from "#models/presets.ts";
import type { Tables } from "#storage/schema.ts";
import { checkDefinition, credentialChanges, planChange } from "./change-connection.ts";
import { getConnection } from "./get-connection.ts";
import { ModelConnectionPage, ModelConnectionPresets, OneModelConnection } from "./schemas.ts";
import { toModelConnection } from "./to-model-connection.ts";
import { listUses } from "./uses.ts";

const params = z.object({ connection_id: z.string().max(300) });
const tags = ["model connections"];

/** How providers of models are reached: read by everybody as far as they use it, changed by admins. */
export function modelConnectionRoutes(app: App, { auth, config, db, now, outgoing }: Context): void {
	const { box, declared } = connectionKeys(config, auth);
	const findDeclared = (row: ConnectionRow) =>
		row.origin === "settings" ? declared.find(({ definition }) => definition.name === row.name) : undefined;

	/** As whoever asks may see them. */
	async function toWire(from: Kysely<Tables>, rows: readonly ConnectionRow[], principal: Principal) {
		const at = { isAuthOn: auth.enabled, now: await databaseMicros(from) };
		if (!mayCall(principal, "admin")) return rows.map((row) => toModelConnection(row, at, undefined));
		const ids = rows.map(({ id }) => id);
		const month = monthOf(at.now);
		const [held, spending] = [await listHeld(from, ids), await readSpending(from, ids, month)];
		return rows.map((row) =>
			toModelConnection(row, at, {
				held: held.filter(({ connection_id: id }) => id === row.id),
				declared: findDeclared(row),
				month,
				spending: spending.get(row.id),
			}),
		);
	}

	async function toOne(from: Kysely<Tables>, row: ConnectionRow, principal: Principal) {
		const [data] = await toWire(from, [row], principal);
		if (data === undefined) throw new Error("a row has no wire form");
		return { data };
	}

	/** @throws UserError 422 for an address that would never be called, as far as that is known without the network */
	function refuseAddress(definition: ConnectionDefinition): void {
		const address = addressOf(definition);
		const fault = address === undefined ? undefined : outgoing.refusal(address);
		if (fault === undefined) return;
		throw new UserError(422, "forbidden_address", fault.message, { details: { setting: fault.setting } });
	}

	/** Notes what an admin did, without any credential. */
	async function record(
		transaction: Kysely<Tables>,
		request: FastifyRequest,
		action: AuditAction & `model_connection.${string}`,
		row: ConnectionRow,
		details: Readonly<Record<string, string | number | boolean | null>> = {},
	): Promise<void> {
		const definition = definitionOf(row);
		await auth.audit.recordIn(transaction, {
			action,
			outcome: "success",
			principal: request.principal,
			request,
			target: { type: "model_connection", id: row.id, name: row.name },
			details: {
				kind: row.kind,
				host: hostOf(definition),
				monthly_budget_usd: definition.monthly_budget_usd,
				...details,
			},
		});
	}

	app.get(
		"/v1/model_connections",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "listModelConnections",
				tags,
				summary: "Page through the model connections, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: ModelConnectionPage },
			},
		},
		async ({ query, principal }) => {
			const fromId = decodeIdCursor("ModelConnection", query.cursor);
			const rows = await listConnections(db.read, { fromId, limit: query.limit + 1 });
			const { items, next_cursor } = pageById("ModelConnection", rows, query.limit);
			return { data: await toWire(db.read, items, principal), next_cursor };
		},
	);

	app.get(
		"/v1/model_connections/:connection_id",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getModelConnection",
				tags,
				summary: "Fetch one model connection",
				params,
				response: { 200: OneModelConnection },
			},
		},
		async ({ params, principal }, reply) => {
			const row = await getConnection(db.read, params.connection_id);
			setEtag(reply, row);
			return await toOne(db.read, row, principal);
		},
	);

	app.post(
		"/v1/model_connections",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "createModelConnection",
				tags,
				summary: "Add a model connection",
				description:
					"Credentials are encrypted with SERVICE_SECRET and never answered again. What is made while authentication is off has to be confirmed once it is on.",
				body: CreateModelConnectionBody,
				response: { 201: OneModelConnection },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const { credentials, headers, ...members } = body;
			const definition = toDefinition(members);
			const changes = credentialChanges({ credentials, headers });
			checkDefinition(definition, [], changes);
			refuseAddress(definition);
			const at = now();
			const { row, answer } = await actor.change(async (transaction, principal) => {
				const created = await insertConnection(transaction, definition, {
					origin: "api",
					isConfirmed: auth.enabled,
					userId: userOf(principal)?.id ?? null,
					now: at,
				});
				await changeCredentials(transaction, box, created.id, changes, at);
				await record(transaction, request, "model_connection.create", created);
				return { row: created, answer: await toOne(transaction, created, principal) };
			});
			setEtag(reply, row);
			return reply.code(201).send(answer);
		},
	);

	app.patch(
		"/v1/model_connections/:connection_id",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "updateModelConnection",
				tags,
				summary: "Change a model connection; absent members stay",
				description:
					"A change of kind, scheme, host, port or version of the API needs every credential and header again in the same request, or null to delete it.",
				params,
				body: UpdateModelConnectionBody,
				response: { 200: OneModelConnection },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const at = now();
			const { row, answer } = await actor.change(async (transaction, principal) => {
				const before = await getConnection(transaction, request.params.connection_id);
				assertIfMatch(request, before);
				refuseDeclared(before);
				const { definition, changes } = await planChange(transaction, before, body);
				if (addressOf(definition) !== addressOf(definitionOf(before))) refuseAddress(definition);
				const updated = await updateConnection(transaction, before, definition, {
					now: at,
					...(auth.enabled ? {} : { isConfirmed: false }),
				});
				await changeCredentials(transaction, box, updated.id, changes, at);
				const former = hostOf(definitionOf(before));
				await record(transaction, request, "model_connection.update", updated, {
					...(former === hostOf(definition) ? {} : { former_host: former }),
					...(changes.size === 0 ? {} : { credentials: [...changes.keys()].join(", ") }),
				});
				return { row: updated, answer: await toOne(transaction, updated, principal) };
			});
			setEtag(reply, row);
			return answer;
		},
	);

	app.delete(
		"/v1/model_connections/:connection_id",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "deleteModelConnection",
				tags,
				summary: "Delete a model connection, with its credentials and what was counted of it",
				params,
				querystring: z.object({
					force: booleanParam.optional().describe("Also while it is in use: what uses it does not work any more."),
				}),
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, query } = request;
			await actor.change(async (transaction) => {
				const row = await getConnection(transaction, request.params.connection_id);
				assertIfMatch(request, row);
				if (findDeclared(row) !== undefined) refuseDeclared(row);
				const uses = await listUses(transaction, row.id);
				if (query.force !== true && uses.length > 0) throw inUse(uses);
				await deleteConnection(transaction, row.id);
				await record(transaction, request, "model_connection.delete", row, { uses: uses.length });
			});
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/model_connections/:connection_id/confirm",
		{
			config: { access: "admin", home: "catalogue", whenAuthIsOff: "refused" },
			schema: {
				operationId: "confirmModelConnection",
				tags,
				summary: "Confirm a model connection that was made or changed while authentication was off",
				description:
					"Look at its address first, and send its ETag in If-Match, so that this very address is confirmed.",
				params,
				response: { 200: OneModelConnection },
			},
		},
		async (request, reply) => {
			const { row, answer } = await request.actor.change(async (transaction, principal) => {
				const before = await getConnection(transaction, request.params.connection_id);
				assertIfMatch(request, before);
				const confirmed =
					before.is_confirmed === 1
						? before
						: await updateConnection(transaction, before, definitionOf(before), { now: now(), isConfirmed: true });
				if (confirmed !== before) {
					await record(transaction, request, "model_connection.confirm", confirmed, {
						address: addressOf(definitionOf(before)) ?? null,
					});
				}
				return { row: confirmed, answer: await toOne(transaction, confirmed, principal) };
			});
			setEtag(reply, row);
			return answer;
		},
	);

	app.get(
		"/v1/model_connection_presets",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "listModelConnectionPresets",
				tags,
				summary: "Providers with a known address, and whether their key is a stored secret",
				response: { 200: ModelConnectionPresets },
			},
		},
		async () => {
			const stored = new Set((await listSecrets(db.read)).map(({ key }) => key));
			return {
				data: CONNECTION_PRESETS.map(({ id, name, kind, baseUrl, needsKey, secretName }) => ({
					...{ id, name, kind, base_url: baseUrl, needs_key: needsKey },
					secret: secretName === undefined ? null : { key: secretName, is_stored: stored.has(secretName) },
				})),
			};
		},
	);
}

function refuseDeclared({ origin, name }: ConnectionRow): void {
	if (origin === "api") return;
	throw new UserError(
		409,
		"model_connection_declared",
		`The model connection ${name} is declared by SERVICE_MODEL_CONNECTIONS: change it there, and restart.`,
	);
}

function inUse(uses: Awaited<ReturnType<typeof listUses>>): UserError {
	const WORDS = { evaluator: "the evaluator", experiment_job: "the job" } as const;
	const names = uses.map(({ type, name }) => `${WORDS[type]} ${name}`).join(", ");
	return new UserError(
		409,
		"model_connection_in_use",
		`The model connection is used by ${names}. Delete it with force=true if these shall stop working.`,
		{ details: { uses } },
	);
}
