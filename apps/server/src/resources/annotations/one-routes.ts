import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { deleteAnnotation, getAnnotation, parseAnnotationId, updateAnnotation } from "./one-annotation.ts";
import { assertOwn } from "./own-annotations.ts";
import { OneAnnotation, UpdateAnnotationBody } from "./schemas.ts";

const params = z.object({ annotation_id: z.string() });

/** One annotation by its id, of any kind. */
export function oneAnnotationRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/annotations/:annotation_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getAnnotation",
				tags: ["annotations"],
				summary: "Fetch an annotation or note by its id",
				params,
				response: { 200: OneAnnotation },
			},
		},
		async ({ actor, params }, reply) => {
			const { row, wire } = await getAnnotation(db, actor, parseAnnotationId(params.annotation_id));
			setEtag(reply, row);
			return { data: wire };
		},
	);

	app.patch(
		"/v1/annotations/:annotation_id",
		{
			config: { access: "write", home: "project", role: "annotator" },
			schema: {
				operationId: "updateAnnotation",
				tags: ["annotations"],
				summary: "Change an annotation or note; users who are not admins change only their own",
				description: "Absent members stay, null clears.",
				params,
				body: UpdateAnnotationBody,
				response: { 200: OneAnnotation },
			},
		},
		async (request, reply) => {
			const id = parseAnnotationId(request.params.annotation_id);
			const { actor, body } = request;
			const { row, wire } = await actor.change(async (transaction, principal) => {
				const before = await getAnnotation(db, actor, id, transaction);
				assertOwn(principal, before.row, actor.rights.roleAt(before.projectId));
				assertIfMatch(request, before.row);
				return await updateAnnotation(transaction, actor.traces, before.row, body, now());
			});
			setEtag(reply, row);
			return { data: wire };
		},
	);

	app.delete(
		"/v1/annotations/:annotation_id",
		{
			config: { access: "write", home: "project", role: "annotator" },
			schema: {
				operationId: "deleteAnnotation",
				tags: ["annotations"],
				summary: "Delete an annotation or note; users who are not admins delete only their own",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const id = parseAnnotationId(request.params.annotation_id);
			const { actor } = request;
			await actor.change(async (transaction, principal) => {
				const { row, projectId } = await getAnnotation(db, actor, id, transaction);
				assertOwn(principal, row, actor.rights.roleAt(projectId));
				assertIfMatch(request, row);
				await deleteAnnotation(transaction, row.id);
			});
			return reply.code(204).send(null);
		},
	);
}
