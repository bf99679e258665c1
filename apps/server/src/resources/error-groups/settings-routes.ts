import { ERROR_KINDS } from "@spanward/error-groups";
import type { FastifyReply } from "fastify";
import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { getProject } from "../projects/queries.ts";
import { type ErrorSettings, ErrorSettingsBody, noParams, OneErrorSettings } from "./schemas.ts";

const params = z.object({ project_identifier: z.string() });
const tags = ["errors"];

type SettingsRow = Selectable<Tables["error_settings"]>;

/** How the failures of a project are grouped, from now on. */
export function errorSettingsRoutes(app: App, { db, now }: Context): void {
	function answer(reply: FastifyReply, row: SettingsRow) {
		setEtag(reply, versionOf(row));
		return { data: toSettings(row) };
	}

	app.get(
		"/v1/projects/:project_identifier/error_settings",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getErrorSettings",
				tags,
				summary: "How the failures of a project are grouped",
				params,
				querystring: noParams,
				response: { 200: OneErrorSettings },
			},
		},
		async ({ actor, params }, reply) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			return answer(reply, await readSettings(db.read, project.id));
		},
	);

	app.put(
		"/v1/projects/:project_identifier/error_settings",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "setErrorSettings",
				tags,
				summary: "Set how the failures of a project are grouped from now on",
				params,
				querystring: noParams,
				body: ErrorSettingsBody,
				response: { 200: OneErrorSettings },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			const row = await actor.change(async (transaction) => {
				const project = await getProject(transaction, actor, params.project_identifier);
				const before = await readSettings(transaction, project.id);
				assertIfMatch(request, versionOf(before));
				const values = {
					release_key: body.release_key,
					own_code: JSON.stringify(body.own_code),
					kinds: body.kinds === null ? null : JSON.stringify(body.kinds),
					revision: before.revision + 1,
					updated_at: Math.max(now(), before.updated_at + 1),
				};
				return await transaction
					.insertInto("error_settings")
					.values({ project_id: project.id, ...values })
					.onConflict((conflict) => conflict.column("project_id").doUpdateSet(values))
					.returningAll()
					.executeTakeFirstOrThrow();
			});
			return answer(reply, row);
		},
	);
}

/** Those of a project that sets nothing where it has no row. */
async function readSettings(db: Kysely<Tables>, projectId: number): Promise<SettingsRow> {
	const row = await db.selectFrom("error_settings").selectAll().where("project_id", "=", projectId).executeTakeFirst();
	return row ?? { project_id: projectId, release_key: null, own_code: "[]", kinds: null, revision: 0, updated_at: 0 };
}

function versionOf({ project_id: id, revision }: SettingsRow) {
	return { id, updated_at: revision };
}

const OwnCode = z.array(z.string());
const Kinds = z.array(z.enum(ERROR_KINDS));

function toSettings(row: SettingsRow): z.output<typeof ErrorSettings> {
	return {
		project_id: encodeGlobalId("Project", row.project_id),
		release_key: row.release_key,
		own_code: OwnCode.parse(JSON.parse(row.own_code)),
		kinds: row.kinds === null ? null : Kinds.parse(JSON.parse(row.kinds)),
		updated_at: row.updated_at === 0 ? null : formatTime(row.updated_at),
	};
}
