import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { onlyParams } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { findDefaultViews, setDefaultViews } from "./default-views.ts";
import { DefaultViews, SetDefaultViewsBody } from "./schemas.ts";

const params = z.object({ project_identifier: z.string() });
const tags = ["views"];
const noParams = onlyParams({});
const OneOfDefaultViews = z.object({ data: DefaultViews });

/** The views that the lists of a project open with. */
export function defaultViewRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/default_views",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getDefaultViews",
				tags,
				summary: "The views that the lists of a project open with",
				params,
				querystring: noParams,
				response: { 200: OneOfDefaultViews },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			return { data: await findDefaultViews(db.read, actor, project.id) };
		},
	);

	app.put(
		"/v1/projects/:project_identifier/default_views",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "setDefaultViews",
				tags,
				summary: "Choose the shared views that the lists of a project open with",
				description: "Pages that the body does not name keep theirs; null takes one away.",
				params,
				querystring: noParams,
				body: SetDefaultViewsBody,
				response: { 200: OneOfDefaultViews },
			},
		},
		async ({ actor, body, params }) => ({
			data: await actor.change(async (transaction) => {
				const project = await getProject(transaction, actor, params.project_identifier);
				await setDefaultViews(transaction, actor, project.id, body);
				return await findDefaultViews(transaction, actor, project.id);
			}),
		}),
	);
}
