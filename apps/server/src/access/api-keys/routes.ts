import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeKeyset, encodeKeyset, pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { isPerson, type Principal, userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import type { ApiKeyKind } from "../auth/principals/api-key.ts";
import { changeKey, keyNotFound, rotateKey } from "./change-key.ts";
import { createKey } from "./create-key.ts";
import { deleteKey, findListedKey, listAllUserKeys, listSystemKeys, listUserKeys } from "./queries.ts";
import {
	CreateApiKeyBody,
	CreatedSystemApiKey,
	CreatedUserApiKey,
	KeySortQuery,
	OwnedApiKey,
	RotateApiKeyBody,
	SystemApiKey,
	UpdateApiKeyBody,
	UserApiKey,
} from "./schemas.ts";
import { ID_TYPE, keyTarget, toApiKey, toOwnedKey, toSystemKey } from "./to-api-key.ts";

const params = z.object({ api_key_id: z.string() });
const tags = ["API keys"];
const whenAuthIsOff = "refused";
const CHANGES =
	"Absent members stay. Permissions, projects and expiry can only become fewer or earlier, which counts at once; for more, create another key.";
const ROTATES =
	"The replaced key works on for `overlap_seconds`, so that what uses it can be changed meanwhile; it may be deleted before. The new key names it in `replaces`.";

/** A row number that a path names. @throws UserError 422 */
function parseKeyId(text: string, kind: ApiKeyKind): number {
	const id = decodeGlobalId(text, ID_TYPE[kind]);
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_api_key_id", `Invalid ${ID_TYPE[kind]} id: ${text.slice(0, 100)}`);
}

/** Keys of users, and of the system as a whole. */
export function apiKeyRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;

	app.get(
		"/v1/user/api_keys",
		{
			config: { access: "read", home: "none", whenAuthIsOff, limitedKeys: "refused" },
			schema: {
				operationId: "listOwnApiKeys",
				tags,
				summary: "One's own API keys, newest first unless sorted otherwise; the system has none",
				querystring: z.object(KeySortQuery),
				response: { 200: pageSchema(UserApiKey).meta({ id: "UserApiKeyPage" }) },
			},
		},
		async ({ actor, principal, query }) => {
			const user = isPerson(principal) ? userOf(principal) : undefined;
			const rows = user === undefined ? [] : await listUserKeys(db.read, user.id, { ...query, now: now() });
			return { data: rows.map((row) => toApiKey(row, actor.rights)), next_cursor: null };
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
			return reply.code(201).send({ data: { ...toApiKey(row, request.actor.rights), key } });
		},
	);

	app.get(
		"/v1/user/api_keys/:api_key_id",
		{
			config: { access: "keys", home: "none", whenAuthIsOff },
			schema: {
				operationId: "getUserApiKey",
				tags,
				summary: "Fetch one's own API key, or, as an admin, any user's",
				params,
				querystring: z.strictObject({}),
				response: { 200: z.object({ data: UserApiKey }) },
			},
		},
		async ({ actor, params: { api_key_id }, principal }) => {
			const id = parseKeyId(api_key_id, "user");
			const row = await findListedKey(db.read, { kind: "user", id, ownerId: ownerFor(principal) }, now());
			if (row === undefined) throw keyNotFound();
			return { data: toApiKey(row, actor.rights) };
		},
	);

	app.patch(
		"/v1/user/api_keys/:api_key_id",
		{
			config: { access: "session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "updateOwnApiKey",
				tags,
				summary: "Change one's own API key",
				description: CHANGES,
				params,
				querystring: z.strictObject({}),
				body: UpdateApiKeyBody,
				response: { 200: z.object({ data: UserApiKey }) },
			},
		},
		async (request) => {
			const id = parseKeyId(request.params.api_key_id, "user");
			const ownerId = userOf(request.principal)?.id;
			return { data: toApiKey(await changeKey(context, request, { kind: "user", id, ownerId }), request.actor.rights) };
		},
	);

	app.post(
		"/v1/user/api_keys/:api_key_id/rotate",
		{
			config: { access: "session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "rotateOwnApiKey",
				tags,
				summary: "Replace one's own API key by a new one that is the same in everything",
				description: ROTATES,
				params,
				querystring: z.strictObject({}),
				body: RotateApiKeyBody.nullish(),
				response: { 201: z.object({ data: CreatedUserApiKey }) },
			},
		},
		async (request, reply) => {
			const id = parseKeyId(request.params.api_key_id, "user");
			const ownerId = userOf(request.principal)?.id;
			const { row, key } = await rotateKey(context, request, { kind: "user", id, ownerId });
			return reply.code(201).send({ data: { ...toApiKey(row, request.actor.rights), key } });
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
				summary: "Page through the API keys of all users, newest first unless sorted otherwise",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100), ...KeySortQuery }),
				response: { 200: pageSchema(OwnedApiKey).meta({ id: "OwnedApiKeyPage" }) },
			},
		},
		async ({ query }) => {
			const { cursor, limit, ...sorting } = query;
			const listing = { ...sorting, now: now() };
			if (sorting.sort === "created_at" && sorting.order === "desc") {
				return await pageOf(
					"UserApiKey",
					query,
					(part) => listAllUserKeys(db.read, { ...listing, ...part }),
					toOwnedKey,
				);
			}
			const form = { kind: "FLOAT", sort: `${sorting.sort} ${sorting.order}` } as const;
			const after = decodeKeyset(form, cursor);
			const rows = await listAllUserKeys(db.read, { ...listing, after, limit: limit + 1 });
			const last = rows.length > limit ? rows[limit - 1] : undefined;
			return {
				data: rows.slice(0, limit).map(toOwnedKey),
				next_cursor: last === undefined ? null : encodeKeyset(form, { id: last.id, value: Number(last.position) }),
			};
		},
	);

	app.get(
		"/v1/system/api_keys",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listSystemApiKeys",
				tags,
				summary: "API keys of the system, newest first unless sorted otherwise",
				querystring: z.object(KeySortQuery),
				response: { 200: pageSchema(SystemApiKey).meta({ id: "SystemApiKeyPage" }) },
			},
		},
		async ({ query }) => {
			const rows = await listSystemKeys(db.read, { ...query, now: now() });
			return { data: rows.map(toSystemKey), next_cursor: null };
		},
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
			const { row, key } = await createKey(context, request, "system");
			return reply.code(201).send({ data: { ...toSystemKey(row), key } });
		},
	);

	app.get(
		"/v1/system/api_keys/:api_key_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "getSystemApiKey",
				tags,
				summary: "Fetch an API key of the system",
				params,
				querystring: z.strictObject({}),
				response: { 200: z.object({ data: SystemApiKey }) },
			},
		},
		async (request) => {
			const id = parseKeyId(request.params.api_key_id, "system");
			const row = await findListedKey(db.read, { kind: "system", id }, now());
			if (row === undefined) throw keyNotFound();
			return { data: toSystemKey(row) };
		},
	);

	app.patch(
		"/v1/system/api_keys/:api_key_id",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "updateSystemApiKey",
				tags,
				summary: "Change an API key of the system",
				description: CHANGES,
				params,
				querystring: z.strictObject({}),
				body: UpdateApiKeyBody,
				response: { 200: z.object({ data: SystemApiKey }) },
			},
		},
		async (request) => {
			const id = parseKeyId(request.params.api_key_id, "system");
			return { data: toSystemKey(await changeKey(context, request, { kind: "system", id })) };
		},
	);

	app.post(
		"/v1/system/api_keys/:api_key_id/rotate",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "rotateSystemApiKey",
				tags,
				summary: "Replace an API key of the system by a new one that is the same in everything",
				description: ROTATES,
				params,
				querystring: z.strictObject({}),
				body: RotateApiKeyBody.nullish(),
				response: { 201: z.object({ data: CreatedSystemApiKey }) },
			},
		},
		async (request, reply) => {
			const id = parseKeyId(request.params.api_key_id, "system");
			const { row, key } = await rotateKey(context, request, { kind: "system", id });
			return reply.code(201).send({ data: { ...toSystemKey(row), key } });
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

	async function removeKey(
		request: Pick<FastifyRequest, "actor" | "principal" | "ip" | "id" | "headers">,
		id: number,
		kind: ApiKeyKind,
	): Promise<void> {
		const { principal } = request;
		await request.actor.change(async (transaction, current) => {
			const deleted = await deleteKey(transaction, { kind, id, ownerId: ownerFor(current) }, now());
			if (deleted === undefined) throw keyNotFound();
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
		auth.keyUses.invalidate();
	}
}

/** Whose keys somebody sees and deletes; undefined for everybody's. */
function ownerFor(principal: Principal): number | undefined {
	const user = userOf(principal);
	return principal.kind === "admin_secret" || user?.role === "ADMIN" ? undefined : user?.id;
}
