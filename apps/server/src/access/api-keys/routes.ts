import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { isPerson, userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import type { ApiKeyKind } from "../auth/principals/api-key.ts";
import { createKey } from "./create-key.ts";
import { deleteKey, listAllUserKeys, listSystemKeys, listUserKeys } from "./queries.ts";
import {
	CreateApiKeyBody,
	CreatedSystemApiKey,
	CreatedUserApiKey,
	OwnedApiKey,
	SystemApiKey,
	UserApiKey,
} from "./schemas.ts";
import { ID_TYPE, keyTarget, toApiKey, toOwnedKey, toSystemKey } from "./to-api-key.ts";

const params = z.object({ api_key_id: z.string() });
const tags = ["API keys"];
const whenAuthIsOff = "refused";

/** A row number that a path names. @throws UserError 422 */
function parseKeyId(text: string, kind: ApiKeyKind): number {
	const id = decodeGlobalId(text, ID_TYPE[kind]);
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_api_key_id", `Invalid ${ID_TYPE[kind]} id: ${text.slice(0, 100)}`);
}

/** Keys of users, and of the system as a whole. */
export function apiKeyRoutes(app: App, context: Context): void {
	const { auth, db } = context;

	app.get(
		"/v1/user/api_keys",
		{
			config: { access: "read", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listOwnApiKeys",
				tags,
				summary: "One's own API keys, newest first; the system has none",
				response: { 200: pageSchema(UserApiKey).meta({ id: "UserApiKeyPage" }) },
			},
		},
		async ({ principal }) => {
			const user = isPerson(principal) ? userOf(principal) : undefined;
			const rows = user === undefined ? [] : await listUserKeys(db.read, user.id);
			return { data: rows.map(toApiKey), next_cursor: null };
		},
	);

	app.post(
		"/v1/user/api_keys",
		{
			config: { access: "session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "createOwnApiKey",
				tags,
				summary: "Create an API key for one's own account; it always has the account's current role",
				body: CreateApiKeyBody,
				response: { 201: z.object({ data: CreatedUserApiKey }) },
			},
		},
		async (request, reply) => {
			const { row, key } = await createKey(context, request, "user");
			return reply.code(201).send({ data: { ...toApiKey(row), key } });
		},
	);

	app.delete(
		"/v1/user/api_keys/:api_key_id",
		{
			config: { access: "keys", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteUserApiKey",
				tags,
				summary: "Delete one's own API key, or, as an admin, any user's",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await removeKey(request, parseKeyId(request.params.api_key_id, "user"), "user");
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/users/api_keys",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listUserApiKeys",
				tags,
				summary: "Page through the API keys of all users, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(OwnedApiKey).meta({ id: "OwnedApiKeyPage" }) },
			},
		},
		async ({ query }) => {
			return await pageOf("UserApiKey", query, (part) => listAllUserKeys(db.read, part), toOwnedKey);
		},
	);

	app.get(
		"/v1/system/api_keys",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listSystemApiKeys",
				tags,
				summary: "API keys of the system, newest first",
				response: { 200: pageSchema(SystemApiKey).meta({ id: "SystemApiKeyPage" }) },
			},
		},
		async () => ({ data: (await listSystemKeys(db.read)).map(toSystemKey), next_cursor: null }),
	);

	app.post(
		"/v1/system/api_keys",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "createSystemApiKey",
				tags,
				summary: "Create a system API key, which has a member's rights and outlives its creator",
				body: CreateApiKeyBody,
				response: { 201: z.object({ data: CreatedSystemApiKey }) },
			},
		},
		async (request, reply) => {
			const { row, key, createdBy } = await createKey(context, request, "system");
			return reply.code(201).send({ data: { ...toSystemKey({ ...row, creator: createdBy.username }), key } });
		},
	);

	app.delete(
		"/v1/system/api_keys/:api_key_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteSystemApiKey",
				tags,
				summary: "Delete an API key of the system",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await removeKey(request, parseKeyId(request.params.api_key_id, "system"), "system");
			return reply.code(204).send(null);
		},
	);

	/** Somebody else's key is answered like one that does not exist. */
	async function removeKey(
		request: Pick<FastifyRequest, "actor" | "principal" | "ip" | "id" | "headers">,
		id: number,
		kind: ApiKeyKind,
	): Promise<void> {
		const { principal } = request;
		await request.actor.change(async (transaction, current) => {
			const user = userOf(current);
			const ofAnybody = current.kind === "admin_secret" || user?.role === "ADMIN";
			const deleted = await deleteKey(transaction, {
				kind,
				id,
				...(ofAnybody || user === undefined ? {} : { ownerId: user.id }),
			});
			if (deleted === undefined) throw notFound("api_key_not_found", "There is no such API key");
			await auth.audit.recordIn(transaction, {
				action: "api_key.delete",
				outcome: "success",
				principal,
				request,
				target: keyTarget(deleted),
				details: { owner: encodeGlobalId("User", deleted.user_id) },
			});
		});
		auth.principals.invalidate();
	}
}
