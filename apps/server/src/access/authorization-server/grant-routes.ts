import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { ALL_RIGHTS, type Rights } from "#http/rights.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { endGrant, grantTarget, MAX_GRANTS, scopesOf } from "./grants.ts";
import { SCOPES } from "./scopes.ts";

const OAuth2Grant = z
	.object({
		id: z.string(),
		client: z.object({
			id: z.string(),
			client_id: z.string(),
			name: z.string(),
			kind: z.enum(["seeded", "registered", "admin", "metadata"]),
		}),
		permissions: z.array(z.enum(SCOPES)).nullable().describe("`admin` is administration. Null: all but that."),
		projects: z
			.array(z.object({ id: z.string(), name: z.string() }))
			.nullable()
			.describe("The only ones that it reaches, of those that still exist and that the caller sees. Null: all."),
		hidden_project_count: z.int().describe("Further projects that it reaches, and the caller does not see."),
		include_library: z.boolean(),
		resource: z.enum(["api", "mcp"]).describe("Where its tokens are valid."),
		created_at: wireTime,
		expires_at: wireTime,
		last_used_at: wireTime.nullable().describe("To the minute."),
		last_used_ip: z.string().nullable(),
	})
	.meta({ id: "OAuth2Grant" });

const OwnedGrant = OAuth2Grant.extend({
	user: z.object({ id: z.string(), username: z.string(), email: z.string().nullable() }),
}).meta({ id: "OwnedOAuth2Grant" });

const params = z.object({ grant_id: z.string() });
const tags = ["programs"];
const whenAuthIsOff = "refused";
const noQuery = z.strictObject({});

/** What users let programs do: to see and to end. */
export function grantRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;

	app.get(
		"/v1/user/oauth2_grants",
		{
			config: { access: "session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listOwnOAuth2Grants",
				tags,
				summary: "Programs that one let in oneself, newest first",
				querystring: noQuery,
				response: { 200: pageSchema(OAuth2Grant).meta({ id: "OAuth2GrantPage" }) },
			},
		},
		async ({ actor, principal }) => {
			const rows = await selectGrants(db.read, now())
				.where("oauth2_grants.user_id", "=", userOf(principal)?.id ?? 0)
				.orderBy("oauth2_grants.id", "desc")
				.limit(MAX_GRANTS * 2)
				.execute();
			const projects = await projectsOf(db.read, rows);
			return { data: rows.map((row) => toGrant(row, projects, actor.rights)), next_cursor: null };
		},
	);

	app.delete(
		"/v1/user/oauth2_grants/:grant_id",
		{
			config: { access: "session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteOwnOAuth2Grant",
				tags,
				summary: "End what one let a program do; its tokens end at once",
				params,
				querystring: noQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await end(request, request.params.grant_id, userOf(request.principal)?.id ?? 0);
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/oauth2_grants",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listOAuth2Grants",
				tags,
				summary: "Page through the programs that users let in, newest first",
				querystring: z.strictObject({
					user: z.string().max(200).optional().describe("Id of a user."),
					client: z.string().max(200).optional().describe("Id of a client."),
					cursor: cursorParam,
					limit: limitParam(100),
				}),
				response: { 200: pageSchema(OwnedGrant).meta({ id: "OwnedOAuth2GrantPage" }) },
			},
		},
		async ({ query }) => {
			const user = query.user === undefined ? undefined : parseId(query.user, "User");
			const client = query.client === undefined ? undefined : parseId(query.client, "OAuth2Client");
			let projects: ProjectNames = new Map();
			return await pageOf(
				"OAuth2Grant",
				query,
				async ({ fromId, limit }) => {
					let rows = selectGrants(db.read, now()).orderBy("oauth2_grants.id", "desc").limit(limit);
					if (user !== undefined) rows = rows.where("oauth2_grants.user_id", "=", user);
					if (client !== undefined) rows = rows.where("oauth2_grants.client_id", "=", client);
					if (fromId !== undefined) rows = rows.where("oauth2_grants.id", "<=", fromId);
					const found = await rows.execute();
					projects = await projectsOf(db.read, found);
					return found;
				},
				(row) => ({
					...toGrant(row, projects, ALL_RIGHTS),
					user: { id: encodeGlobalId("User", row.user_id), username: row.username, email: row.email },
				}),
			);
		},
	);

	app.delete(
		"/v1/oauth2_grants/:grant_id",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteOAuth2Grant",
				tags,
				summary: "End what a user let a program do; its tokens end at once",
				params,
				querystring: noQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await end(request, request.params.grant_id, undefined);
			return reply.code(204).send(null);
		},
	);

	/** @param ownerId undefined for everybody's */
	async function end(
		request: Pick<FastifyRequest, "actor" | "principal" | "ip" | "id" | "headers">,
		grantId: string,
		ownerId: number | undefined,
	): Promise<void> {
		const id = parseId(grantId, "OAuth2Grant");
		await request.actor.change(async (transaction, principal) => {
			const owner = await transaction
				.selectFrom("oauth2_grants")
				.select("user_id")
				.where("id", "=", id)
				.executeTakeFirst();
			const isMeant = owner !== undefined && (ownerId === undefined || owner.user_id === ownerId);
			const ended = isMeant ? await endGrant(transaction, id) : undefined;
			if (ended === undefined) throw notFound("oauth2_grant_not_found", "There is no such authorization.");
			await auth.audit.recordIn(transaction, {
				action: "oauth.grant.revoke",
				outcome: "success",
				...{ principal, request },
				target: grantTarget(ended),
				details: { user: encodeGlobalId("User", ended.user_id) },
			});
		});
		auth.principals.invalidate();
	}
}

/** @throws UserError 422 */
function parseId(text: string, type: "OAuth2Grant" | "OAuth2Client" | "User"): number {
	const id = decodeGlobalId(text, type);
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_id", `Invalid ${type} id: ${text.slice(0, 100)}`);
}

function selectGrants(db: Kysely<Tables>, now: number) {
	return db
		.selectFrom("oauth2_grants")
		.innerJoin("oauth2_clients as client", "client.id", "oauth2_grants.client_id")
		.innerJoin("users", "users.id", "oauth2_grants.user_id")
		.selectAll("oauth2_grants")
		.select(["client.public_id", "client.name as client_name", "client.kind as client_kind"])
		.select(["users.username", "users.email"])
		.where("oauth2_grants.expires_at", ">", now);
}

type ListedGrant = Awaited<ReturnType<ReturnType<typeof selectGrants>["executeTakeFirstOrThrow"]>>;
/** By grant. */
type ProjectNames = ReadonlyMap<number, readonly { readonly id: number; readonly name: string }[]>;

async function projectsOf(db: Kysely<Tables>, grants: readonly { readonly id: number }[]): Promise<ProjectNames> {
	if (grants.length === 0) return new Map();
	const rows = await db
		.selectFrom("oauth2_grant_projects")
		.innerJoin("projects", "projects.id", "oauth2_grant_projects.project_id")
		.select(["grant_id", "projects.id", "projects.name"])
		.where("grant_id", "in", listed(grants.map(({ id }) => id)))
		.orderBy("projects.name")
		.execute();
	return Map.groupBy(rows, ({ grant_id }) => grant_id);
}

function toGrant(row: ListedGrant, projects: ProjectNames, rights: Rights): z.output<typeof OAuth2Grant> {
	const permissions = scopesOf(row);
	const all = projects.get(row.id) ?? [];
	const seen = all.filter(({ id }) => rights.roleAt(id) !== undefined);
	return {
		id: encodeGlobalId("OAuth2Grant", row.id),
		client: {
			id: encodeGlobalId("OAuth2Client", row.client_id),
			client_id: row.public_id,
			name: row.client_name,
			kind: row.client_kind,
		},
		permissions: permissions === null ? null : [...permissions],
		projects: row.has_homes === 0 ? null : seen.map(({ id, name }) => ({ id: encodeGlobalId("Project", id), name })),
		hidden_project_count: all.length - seen.length,
		include_library: row.include_library === 1,
		resource: row.resource,
		created_at: formatTime(row.created_at),
		expires_at: formatTime(row.expires_at),
		last_used_at: row.last_used_at === null ? null : formatTime(row.last_used_at),
		last_used_ip: row.last_used_ip,
	};
}
