import type { Kysely } from "kysely";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { cleanName } from "./client-names.ts";
import { clientTarget, insertClient, parseUris } from "./clients.ts";
import { redirectKind } from "./redirect-uris.ts";
import { mintClientId } from "./tokens.ts";

const MAX_URIS = 20;

const name = z.string().transform((text, context) => {
	const clean = cleanName(text);
	if (clean !== undefined) return clean;
	context.addIssue({ code: "custom", message: "a name has 1 to 100 characters, and words of one script" });
	return z.NEVER;
});
const redirectUris = z
	.array(
		z.string().refine((uri) => redirectKind(uri) !== undefined, {
			error: "this is no http loopback address, https address or address with a scheme of a program",
		}),
	)
	.max(MAX_URIS)
	.transform((uris) => [...new Set(uris)]);

const CreateBody = z
	.strictObject({
		name,
		redirect_uris: redirectUris.describe("Compared character by character, but for the port of loopback addresses."),
		device_flow: z.boolean().optional().describe("Whether it may ask with a device code."),
	})
	.refine((body) => body.redirect_uris.length > 0 || body.device_flow === true, {
		error: "a program without redirect addresses needs device_flow",
		path: ["redirect_uris"],
	});
const UpdateBody = z.strictObject({
	name: name.optional(),
	redirect_uris: redirectUris.optional(),
	device_flow: z.boolean().optional(),
	disabled: z.boolean().optional().describe("It gets no codes and tokens then, and its tokens are refused."),
});

const OAuth2Client = z
	.object({
		id: z.string(),
		client_id: z.string(),
		name: z.string(),
		kind: z
			.enum(["seeded", "registered", "admin", "metadata"])
			.describe("Known to every installation, registered by itself, made by an admin, or described by a document."),
		redirect_uris: z.array(z.string()),
		device_flow: z.boolean(),
		disabled: z.boolean(),
		created_at: wireTime,
		last_used_at: wireTime.nullable().describe("When it last got tokens."),
		grant_count: z.int().describe("How many users let it in."),
		created_by: z.object({ id: z.string(), username: z.string() }).nullable(),
	})
	.meta({ id: "OAuth2Client" });
const OneClient = z.object({ data: OAuth2Client });

const params = z.object({ client_id: z.string() });
const tags = ["programs"];
const whenAuthIsOff = "refused";
const noQuery = z.strictObject({});

/** Programs that may ask users to let them in. */
export function clientRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;

	app.get(
		"/v1/oauth2_clients",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listOAuth2Clients",
				tags,
				summary: "Page through the programs that are registered, newest first",
				querystring: z.strictObject({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(OAuth2Client).meta({ id: "OAuth2ClientPage" }) },
			},
		},
		async ({ query }) =>
			await pageOf(
				"OAuth2Client",
				query,
				async ({ fromId, limit }) => {
					const rows = selectClients(db.read, now()).orderBy("client.id", "desc").limit(limit);
					return await (fromId === undefined ? rows : rows.where("client.id", "<=", fromId)).execute();
				},
				toWire,
			),
	);

	app.post(
		"/v1/oauth2_clients",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "createOAuth2Client",
				tags,
				summary: "Register a program",
				querystring: noQuery,
				body: CreateBody,
				response: { 201: OneClient },
			},
		},
		async (request, reply) => {
			const { name, redirect_uris, device_flow: deviceFlow = false } = request.body;
			const client = await request.actor.change(async (transaction, principal) => {
				const row = await insertClient(transaction, {
					...{ clientId: mintClientId("sw_client_"), kind: "admin", name, redirectUris: redirect_uris, deviceFlow },
					...{ createdBy: userOf(principal)?.id ?? null, now: now() },
				});
				await auth.audit.recordIn(transaction, {
					action: "oauth.client.create",
					outcome: "success",
					...{ principal, request },
					target: clientTarget(row),
					details: { kind: "admin" },
				});
				return present(await findListed(transaction, row.id), "a client that was just made");
			});
			return reply.code(201).send({ data: toWire(client) });
		},
	);

	app.patch(
		"/v1/oauth2_clients/:client_id",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "updateOAuth2Client",
				tags,
				summary: "Change a program, or disable it",
				description: "Of those that every installation knows, only `disabled`.",
				params,
				querystring: noQuery,
				body: UpdateBody,
				response: { 200: OneClient },
			},
		},
		async (request) => {
			const id = parseClientId(request.params.client_id);
			const { name, redirect_uris, device_flow, disabled } = request.body;
			const changesSelf = name !== undefined || redirect_uris !== undefined || device_flow !== undefined;
			const client = await request.actor.change(async (transaction, principal) => {
				const before = await findListed(transaction, id);
				if (before === undefined) throw clientNotFound();
				if (before.kind === "seeded" && changesSelf) throw seeded();
				const changes = {
					...(name === undefined ? {} : { name }),
					...(redirect_uris === undefined ? {} : { redirect_uris: JSON.stringify(redirect_uris) }),
					...(device_flow === undefined ? {} : ({ device_flow: device_flow ? 1 : 0 } as const)),
					...(disabled === undefined ? {} : ({ disabled: disabled ? 1 : 0 } as const)),
				};
				if (Object.keys(changes).length > 0) {
					await transaction.updateTable("oauth2_clients").set(changes).where("id", "=", id).execute();
					await auth.audit.recordIn(transaction, {
						action: "oauth.client.update",
						outcome: "success",
						...{ principal, request },
						target: clientTarget(before),
						details: {
							...(name === undefined ? {} : { name_after: name }),
							...(redirect_uris === undefined ? {} : { redirect_uris: redirect_uris.join(" ") }),
							...(device_flow === undefined ? {} : { device_flow }),
							...(disabled === undefined ? {} : { disabled }),
						},
					});
				}
				return present(await findListed(transaction, id), "a client that was just changed");
			});
			auth.principals.invalidate();
			return { data: toWire(client) };
		},
	);

	app.delete(
		"/v1/oauth2_clients/:client_id",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteOAuth2Client",
				tags,
				summary: "Delete a program; what users let it do ends at once",
				params,
				querystring: noQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const id = parseClientId(request.params.client_id);
			await request.actor.change(async (transaction, principal) => {
				const client = await findListed(transaction, id);
				if (client === undefined) throw clientNotFound();
				if (client.kind === "seeded") throw seeded();
				await transaction.deleteFrom("oauth2_clients").where("id", "=", id).execute();
				await auth.audit.recordIn(transaction, {
					action: "oauth.client.delete",
					outcome: "success",
					...{ principal, request },
					target: clientTarget(client),
					details: { authorizations: Number(client.grant_count) },
				});
			});
			auth.principals.invalidate();
			return reply.code(204).send(null);
		},
	);

	function findListed(reader: Kysely<Tables>, id: number) {
		return selectClients(reader, now()).where("client.id", "=", id).executeTakeFirst();
	}
}

function selectClients(db: Kysely<Tables>, now: number) {
	return db
		.selectFrom("oauth2_clients as client")
		.leftJoin("users", "users.id", "client.created_by")
		.selectAll("client")
		.select("users.username as creator")
		.select((select) =>
			select
				.selectFrom("oauth2_grants")
				.select((count) => count.fn.countAll<number>().as("count"))
				.whereRef("oauth2_grants.client_id", "=", "client.id")
				.where("oauth2_grants.expires_at", ">", now)
				.as("grant_count"),
		);
}

type ListedClient = Awaited<ReturnType<ReturnType<typeof selectClients>["executeTakeFirstOrThrow"]>>;

function toWire(row: ListedClient): z.output<typeof OAuth2Client> {
	const { created_by: creatorId, creator } = row;
	return {
		id: encodeGlobalId("OAuth2Client", row.id),
		client_id: row.public_id,
		name: row.name,
		kind: row.kind,
		redirect_uris: parseUris(row.redirect_uris),
		device_flow: row.device_flow === 1,
		disabled: row.disabled === 1,
		created_at: formatTime(row.created_at),
		last_used_at: row.last_used_at === null ? null : formatTime(row.last_used_at),
		grant_count: Number(row.grant_count ?? 0),
		created_by:
			creatorId === null || creator === null ? null : { id: encodeGlobalId("User", creatorId), username: creator },
	};
}

/** @throws UserError 422 */
function parseClientId(text: string): number {
	const id = decodeGlobalId(text, "OAuth2Client");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_id", `Invalid OAuth2Client id: ${text.slice(0, 100)}`);
}

function clientNotFound(): UserError {
	return notFound("oauth2_client_not_found", "There is no such program.");
}

function seeded(): UserError {
	const message = "Every installation knows this program: it can be disabled, and not be changed or deleted.";
	return new UserError(409, "client_is_seeded", message);
}
