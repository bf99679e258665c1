import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageById } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { projectConfigRoutes } from "./project-routes.ts";
import {
	cursorOf,
	decodeConfigId,
	deleteConfig,
	getConfig,
	insertConfig,
	listConfigs,
	updateConfig,
} from "./queries.ts";
import { AnnotationConfigBody, AnnotationConfigPage, OneAnnotationConfig } from "./schemas.ts";
import { toAnnotationConfig, toDefinition } from "./to-annotation-config.ts";

const params = z.object({ config_id: z.string() });

/** Annotation configs, and the projects they are assigned to. */
export function annotationConfigRoutes(app: App, context: Context): void {
	const { db, now } = context;
	projectConfigRoutes(app, context);

	app.get(
		"/v1/annotation_configs",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "listAnnotationConfigs",
				tags: ["annotation configs"],
				summary: "Page through all annotation configs, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: AnnotationConfigPage },
			},
		},
		async ({ query }) => {
			const rows = await listConfigs(db.read, { limit: query.limit + 1, fromId: cursorOf(query.cursor) });
			const page = pageById("CategoricalAnnotationConfig", rows, query.limit);
			return { data: page.items.map(toAnnotationConfig), next_cursor: page.next_cursor };
		},
	);

	app.post(
		"/v1/annotation_configs",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "createAnnotationConfig",
				tags: ["annotation configs"],
				summary: "Add a categorical, continuous or freeform annotation config",
				body: AnnotationConfigBody,
				response: { 200: OneAnnotationConfig },
			},
		},
		async ({ body, actor }, reply) => {
			refuseReserved(body.name);
			const definition = toDefinition(body);
			const row = await actor.change(async (transaction) => {
				return await insertConfig(transaction, { name: body.name, definition, now: now() });
			});
			if (row === undefined) throw nameTaken();
			setEtag(reply, row);
			return { data: toAnnotationConfig(row) };
		},
	);

	app.get(
		"/v1/annotation_configs/:config_identifier",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getAnnotationConfig",
				tags: ["annotation configs"],
				summary: "Fetch one annotation config by id or name",
				params: z.object({ config_identifier: z.string() }),
				response: { 200: OneAnnotationConfig },
			},
		},
		async (request, reply) => {
			const row = await getConfig(db.read, request.params.config_identifier);
			setEtag(reply, row);
			return { data: toAnnotationConfig(row) };
		},
	);

	app.put(
		"/v1/annotation_configs/:config_id",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "updateAnnotationConfig",
				tags: ["annotation configs"],
				summary: "Replace an annotation config entirely",
				description: "The type may change; it is part of the id, and the old id still works.",
				params,
				body: AnnotationConfigBody,
				response: { 200: OneAnnotationConfig },
			},
		},
		async (request, reply) => {
			const { body, params } = request;
			checkConfigId(params.config_id);
			refuseReserved(body.name);
			const definition = toDefinition(body);
			const row = await request.actor.change(async (transaction) => {
				const before = await getConfig(transaction, params.config_id);
				assertIfMatch(request, before);
				return await updateConfig(transaction, before, { name: body.name, definition, now: now() });
			});
			if (row === undefined) throw nameTaken();
			setEtag(reply, row);
			return { data: toAnnotationConfig(row) };
		},
	);

	app.delete(
		"/v1/annotation_configs/:config_id",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "deleteAnnotationConfig",
				tags: ["annotation configs"],
				summary: "Delete an annotation config and return it; annotations stay",
				params,
				response: { 200: OneAnnotationConfig },
			},
		},
		async (request) => {
			checkConfigId(request.params.config_id);
			const row = await request.actor.change(async (transaction) => {
				const before = await getConfig(transaction, request.params.config_id);
				assertIfMatch(request, before);
				await deleteConfig(transaction, before.id);
				return before;
			});
			return { data: toAnnotationConfig(row) };
		},
	);
}

function checkConfigId(text: string): void {
	if (decodeConfigId(text) !== undefined) return;
	throw new UserError(422, "invalid_annotation_config_id", `Invalid annotation config id: ${text.slice(0, 100)}`);
}

function refuseReserved(name: string): void {
	if (name !== "note") return;
	throw new UserError(409, "reserved_name", "The name 'note' is reserved for notes");
}

function nameTaken(): UserError {
	return new UserError(409, "annotation_config_exists", "The name of the annotation configuration is already taken");
}
