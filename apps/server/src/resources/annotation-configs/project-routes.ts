import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageById } from "#http/cursors.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import {
	assignConfigs,
	cursorOf,
	decodeConfigId,
	findConfigIds,
	getConfig,
	listConfigs,
	unassignConfigs,
} from "./queries.ts";
import { AnnotationConfigPage, OneAnnotationConfig, SetProjectConfigsBody } from "./schemas.ts";
import { toAnnotationConfig } from "./to-annotation-config.ts";

const ofProject = z.object({ project_identifier: z.string() });
const ofBoth = z.object({ project_identifier: z.string(), config_identifier: z.string() });

/** Which configs are assigned to a project. */
export function projectConfigRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/annotation_configs",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectAnnotationConfigs",
				tags: ["annotation configs"],
				summary: "Page through the configs assigned to a project",
				params: ofProject,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: AnnotationConfigPage },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const fromId = cursorOf(query.cursor);
			const rows = await listConfigs(db.read, { limit: query.limit + 1, fromId, projectId: project.id });
			const page = pageById("CategoricalAnnotationConfig", rows, query.limit);
			return { data: page.items.map(toAnnotationConfig), next_cursor: page.next_cursor };
		},
	);

	app.put(
		"/v1/projects/:project_identifier/annotation_configs",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "setProjectAnnotationConfigs",
				tags: ["annotation configs"],
				summary: "Replace the set of configs assigned to a project",
				params: ofProject,
				body: SetProjectConfigsBody,
				response: { 200: AnnotationConfigPage },
			},
		},
		async ({ params, body, actor }) => {
			const ids = [...new Set(body.annotation_config_ids.map(decodeOrRefuse))];
			const rows = await actor.change(async (transaction) => {
				const project = await getProject(transaction, actor, params.project_identifier);
				const known = await findConfigIds(transaction, ids);
				if (known.length < ids.length) throw unknownConfigs();
				await unassignConfigs(transaction, project.id);
				await assignConfigs(transaction, project.id, ids);
				return await listConfigs(transaction, { limit: ids.length, fromId: undefined, projectId: project.id });
			});
			return { data: rows.map(toAnnotationConfig), next_cursor: null };
		},
	);

	app.put(
		"/v1/projects/:project_identifier/annotation_configs/:config_identifier",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "assignAnnotationConfigToProject",
				tags: ["annotation configs"],
				summary: "Assign one config to a project; repeating it changes nothing",
				params: ofBoth,
				response: { 200: OneAnnotationConfig },
			},
		},
		async ({ params, actor }) => {
			const row = await actor.change(async (transaction) => {
				const project = await getProject(transaction, actor, params.project_identifier);
				const config = await getConfig(transaction, params.config_identifier);
				await assignConfigs(transaction, project.id, [config.id]);
				return config;
			});
			return { data: toAnnotationConfig(row) };
		},
	);

	app.delete(
		"/v1/projects/:project_identifier/annotation_configs/:config_identifier",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "unassignAnnotationConfigFromProject",
				tags: ["annotation configs"],
				summary: "Remove one config from a project; repeating it changes nothing",
				params: ofBoth,
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			await actor.change(async (transaction) => {
				const project = await getProject(transaction, actor, params.project_identifier);
				const config = await getConfig(transaction, params.config_identifier);
				await unassignConfigs(transaction, project.id, config.id);
			});
			return reply.code(204).send(null);
		},
	);
}

function decodeOrRefuse(text: string): number {
	const id = decodeConfigId(text);
	if (id === undefined) throw unknownConfigs();
	return id;
}

function unknownConfigs(): UserError {
	return new UserError(422, "unknown_annotation_config", "One or more annotation config ids are invalid or unknown");
}
