import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { booleanParam, textParam } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { annotate, annotateWhenArrived, insertNote } from "./annotate.ts";
import { checkAnnotations } from "./check-annotations.ts";
import { ANNOTATION_KINDS, kindOf, NOTE_KINDS } from "./kinds.ts";
import { InsertedAnnotations, InsertedNote } from "./schemas.ts";

const inProject = {
	project: textParam.optional().describe("Name or id of the project; needed if an id exists in several."),
};

/** Writing annotations and notes. */
export function annotateRoutes(app: App, context: Context): void {
	async function projectIdOf(project: string | undefined): Promise<number | undefined> {
		return project === undefined ? undefined : (await getProject(context.db.read, project)).id;
	}

	for (const kind of ANNOTATION_KINDS) {
		app.post(
			`/v1/${kind.target}_annotations`,
			{
				config: { access: "write", role: "annotator", body: "large" },
				schema: {
					operationId: kind.operations.annotate,
					tags: ["annotations"],
					summary: `Annotate ${kind.target}s; the same name and identifier on the same ${kind.target} replaces the annotation`,
					description:
						"Without `sync`, annotations whose target has not arrived yet wait for it: see `GET /v1/waiting_annotations`.",
					querystring: z.object({ sync: booleanParam.default(false), ...inProject }),
					body: kind.body,
					response: { 200: InsertedAnnotations },
				},
			},
			async ({ body, query, actor }) => {
				checkAnnotations(kind, body.data);
				const projectId = await projectIdOf(query.project);
				const batch = { kind, projectId, items: body.data, actor };
				if (!query.sync) {
					await annotateWhenArrived(context, batch);
					return { data: [] };
				}
				const ids = await annotate(context, batch);
				return { data: ids.map((id) => ({ id: encodeGlobalId(kind.idType, id) })) };
			},
		);
	}

	for (const { target, body: schema, operation } of NOTE_KINDS) {
		const kind = kindOf(target);
		app.post(
			`/v1/${target}_notes`,
			{
				config: { access: "write", role: "annotator" },
				schema: {
					operationId: operation,
					tags: ["annotations"],
					summary: `Attach a note to a ${target}`,
					querystring: z.object(inProject),
					body: schema,
					response: { 200: InsertedNote },
				},
			},
			async ({ body, query, actor }) => {
				const projectId = await projectIdOf(query.project);
				const id = await insertNote(context, { kind, projectId, note: body, actor });
				return { data: { id: encodeGlobalId(kind.idType, id) } };
			},
		);
	}
}
