import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { assertOwn } from "./own-annotations.ts";
import { WaitingAnnotationPage } from "./schemas.ts";
import { findProjectsOf, findWaiting, listWaiting, toWaitingAnnotation } from "./waiting-queries.ts";

/** Annotations that arrived before their target. */
export function waitingAnnotationRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/waiting_annotations",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listWaitingAnnotations",
				tags: ["annotations"],
				summary: "Page through the annotations whose target has not arrived, newest first, each with what it waits for",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: WaitingAnnotationPage },
			},
		},
		async ({ actor, query }) => {
			const fromId = decodeIdCursor("WaitingAnnotation", query.cursor);
			const page = await listWaiting(db.read, actor, { limit: query.limit, fromId });
			const projects = await findProjectsOf(db.read, page.items);
			return {
				data: page.items.map((row) => toWaitingAnnotation(row, projects)),
				next_cursor: page.nextId === undefined ? null : encodeGlobalId("WaitingAnnotation", page.nextId),
			};
		},
	);

	app.delete(
		"/v1/waiting_annotations/:waiting_annotation_id",
		{
			config: { access: "write", home: "project", role: "annotator" },
			schema: {
				operationId: "deleteWaitingAnnotation",
				tags: ["annotations"],
				summary: "Delete a waiting annotation; users who are not admins delete only their own",
				params: z.object({ waiting_annotation_id: z.string() }),
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const text = request.params.waiting_annotation_id;
			const id = decodeGlobalId(text, "WaitingAnnotation");
			if (id === undefined) {
				throw new UserError(422, "invalid_annotation_id", `Invalid waiting annotation id: ${text.slice(0, 100)}`);
			}
			const { actor } = request;
			await actor.change(async (transaction, principal) => {
				const row = await findWaiting(transaction, actor, id);
				if (row === undefined) throw notFound("annotation_not_found", "There is no such waiting annotation");
				const [projectId] = await findProjectsOf(transaction, [row]);
				if (projectId !== undefined) actor.enter(projectId);
				assertOwn(principal, row, projectId === undefined ? undefined : actor.rights.roleAt(projectId));
				await transaction.deleteFrom("waiting_annotations").where("id", "=", id).execute();
			});
			return reply.code(204).send(null);
		},
	);
}
