import { z } from "zod";
import { notFound, UserError, ValidationError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { getProject } from "../projects/queries.ts";
import { deleteAnnotations } from "./delete-annotations.ts";
import { findTargets } from "./find-targets.ts";
import { ANNOTATION_KINDS } from "./kinds.ts";
import { listAnnotations } from "./list-annotations.ts";
import { DeleteAnnotationsQuery } from "./schemas.ts";

const params = z.object({ project_identifier: z.string() });

/** Lists of the annotations of a project, by target. */
export function annotationListRoutes(app: App, { db }: Context): void {
	for (const kind of ANNOTATION_KINDS) {
		const path = `/v1/projects/:project_identifier/${kind.target}_annotations`;

		app.get(
			path,
			{
				config: { access: "read", home: "project" },
				schema: {
					operationId: kind.operations.list,
					tags: ["annotations"],
					summary: `List the annotations of ${kind.target}s, newest first`,
					description: "A page ends early if its texts are long: continue while there is a `next_cursor`.",
					params,
					querystring: kind.listQuery,
					response: { 200: kind.page },
				},
			},
			async ({ actor, params, query }) => {
				const { targetIds, identifiers, includeNames, excludeNames, limit } = query;
				if (targetIds.length === 0 && identifiers.length === 0) throw unspecified(kind.idsParam);
				const fromId = decodeIdCursor(kind.idType, query.cursor);
				const project = await getProject(db.read, actor, params.project_identifier);
				const entities =
					targetIds.length === 0 ? undefined : await findTargets(actor.traces, kind.entity, targetIds, project.id);
				if (entities?.length === 0 && identifiers.length === 0) {
					const message = `None of the supplied ${kind.idsParam} exist in this project`;
					throw notFound(`${kind.entity}s_not_found`, message);
				}
				const page = await listAnnotations(db.read, actor.traces, kind, {
					projectId: project.id,
					rowIds: entities?.map((entity) => entity.rowId),
					identifiers,
					includeNames,
					excludeNames,
					fromId,
					limit,
				});
				return {
					data: page.items,
					next_cursor: page.nextId === undefined ? null : encodeGlobalId(kind.idType, page.nextId),
				};
			},
		);

		app.delete(
			path,
			{
				config: { access: "write", home: "project", role: "annotator" },
				schema: {
					operationId: kind.operations.remove,
					tags: ["annotations"],
					summary: `Delete annotations of ${kind.target}s; users who are not admins delete only their own`,
					params,
					querystring: DeleteAnnotationsQuery,
					response: { 204: z.null() },
				},
			},
			async ({ params, query, actor }, reply) => {
				if (!query.delete_all && (query.start_time === undefined || query.end_time === undefined)) {
					throw new UserError(
						422,
						"unbounded_delete",
						"Delete is unbounded. Set delete_all=true to acknowledge, or supply both start_time and end_time to bound the time range.",
					);
				}
				const project = await getProject(db.read, actor, params.project_identifier);
				await deleteAnnotations(db, actor, { kind, projectId: project.id, ...query });
				return reply.code(204).send(null);
			},
		);
	}
}

function unspecified(idsParam: string): ValidationError {
	return new ValidationError([
		{ type: "missing", loc: ["query", idsParam], msg: `Value error, give ${idsParam} or identifier` },
	]);
}
