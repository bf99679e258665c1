import { type Kysely, sql } from "kysely";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import { flag } from "#storage/sql-pieces.ts";
import { getProject } from "../projects/queries.ts";
import { ANNOTATION_KINDS } from "./kinds.ts";

const MOST_NAMES = 1_000;
/** Of each name, so that those of a million annotations without a score cost no more than others. */
const LOOKED_AT = 100;

const TARGETS = ANNOTATION_KINDS.map(({ target }) => target);

const AnnotationNames = z
	.object({
		data: z.array(
			z.object({
				target: z.enum(TARGETS as [AnnotationTarget, ...AnnotationTarget[]]),
				name: z.string(),
				has_scores: z.boolean(),
				has_labels: z.boolean(),
			}),
		),
	})
	.meta({ id: "AnnotationNames" });

/** The names of a project's annotations, for columns and for what is offered to be chosen. */
export function annotationNameRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/annotation_names",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listAnnotationNames",
				tags: ["annotations"],
				summary: "The names of a project's annotations, by target and name",
				description: `At most ${MOST_NAMES} of them. Scores and labels are looked for among ${LOOKED_AT} annotations of each name.`,
				params: z.object({ project_identifier: z.string() }),
				response: { 200: AnnotationNames },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const names = await findNames(db.read, project.id);
			return {
				data: names.map((row) => ({
					target: row.target,
					name: row.name,
					has_scores: row.has_scores === 1,
					has_labels: row.has_labels === 1,
				})),
			};
		},
	);
}

interface NameRow {
	readonly target: AnnotationTarget;
	readonly name: string;
	readonly has_scores: 0 | 1;
	readonly has_labels: 0 | 1;
}

/** Takes two index look-ups for each name, however many annotations have it. */
async function findNames(db: Kysely<Tables>, projectId: number): Promise<readonly NameRow[]> {
	const targets = sql.join(
		TARGETS.map((target) => sql`select ${sql.lit(target)} as target`),
		sql` union all `,
	);
	const { rows } = await sql<NameRow>`
		with recursive names (target, name) as (
			select target, (
				select min(name) from annotations where project_id = ${projectId} and annotations.target = targets.target
			) from (${targets}) as targets
			union all
			select target, (
				select min(annotations.name) from annotations
				where project_id = ${projectId} and annotations.target = names.target and annotations.name > names.name
			) from names where names.name is not null
		), first_names (target, name) as (
			select target, name from names where name is not null limit ${MOST_NAMES}
		)
		select target, name,
			(select max(${flag(sql`score is not null`)}) from (${sampleOf(projectId)}) as sample) as has_scores,
			(select max(${flag(sql`label is not null`)}) from (${sampleOf(projectId)}) as sample) as has_labels
		from first_names order by target, name`.execute(db);
	return rows;
}

function sampleOf(projectId: number) {
	return sql`select score, label from annotations
		where project_id = ${projectId} and annotations.target = first_names.target and annotations.name = first_names.name
		limit ${LOOKED_AT}`;
}
