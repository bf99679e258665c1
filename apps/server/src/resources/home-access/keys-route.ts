import { z } from "zod";
import { ID_TYPE } from "#access/api-keys/to-api-key.ts";
import { hintOf } from "#access/auth/principals/api-key.ts";
import { parseList } from "#access/auth/principals/key-limits.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { getProject } from "../projects/queries.ts";

const KeyOfProject = z
	.object({
		id: z.string(),
		kind: z.enum(["user", "system"]),
		name: z.string(),
		hint: z.string().describe("Beginning and end of the key, to distinguish keys."),
		owner: z.string().nullable().describe("Username; null for keys of the system."),
		permissions: z.array(z.string()).nullable().describe("Null: all that its owner may."),
		expires_at: wireTime.nullable(),
		last_used_at: wireTime.nullable().describe("To the minute."),
	})
	.meta({ id: "KeyOfProject" });

/** Keys that are limited to a project, for its managers. */
export function projectKeyRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/api_keys",
		{
			config: { access: "read", home: "project", role: "manager", limitedKeys: "refused", whenAuthIsOff: "refused" },
			schema: {
				operationId: "listApiKeysOfProject",
				tags: ["access"],
				summary: "Page through keys that are limited to this project, or to some with it, newest first",
				params: z.object({ project_identifier: z.string() }),
				querystring: z.strictObject({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(KeyOfProject).meta({ id: "KeyOfProjectPage" }) },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const fromId = decodeIdCursor("UserApiKey", query.cursor);
			let rows = db.read
				.selectFrom("api_key_projects")
				.innerJoin("api_keys", "api_keys.id", "api_key_projects.key_id")
				.innerJoin("users", "users.id", "api_keys.user_id")
				.select(["api_keys.id", "kind", "name", "public_id", "last_characters", "permissions"])
				.select(["expires_at_ms", "last_used_at", "users.username"])
				.where("api_key_projects.project_id", "=", project.id)
				.where("has_homes", "=", 1)
				.orderBy("api_keys.id", "desc")
				.limit(query.limit + 1);
			if (fromId !== undefined) rows = rows.where("api_keys.id", "<=", fromId);
			const { items, next_cursor } = pageById("UserApiKey", await rows.execute(), query.limit);
			return {
				data: items.map((row) => ({
					id: encodeGlobalId(ID_TYPE[row.kind], row.id),
					kind: row.kind,
					name: row.name,
					hint: hintOf(row.kind, row.public_id, row.last_characters),
					owner: row.kind === "user" ? row.username : null,
					permissions: row.permissions === null ? null : parseList(row.permissions),
					expires_at: row.expires_at_ms === null ? null : formatTime(row.expires_at_ms * 1_000),
					last_used_at: row.last_used_at === null ? null : formatTime(row.last_used_at),
				})),
				next_cursor,
			};
		},
	);
}
