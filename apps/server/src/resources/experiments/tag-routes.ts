import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { getExperiment } from "./queries.ts";
import { ExperimentTag, SetExperimentTagBody } from "./schemas.ts";
import { deleteTag, listTags, setTag, type TagRow } from "./tags.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

/** A tag names one experiment of a dataset at a time. */
export function tagRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/experiments/:experiment_id/tags",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listExperimentTags",
				tags,
				summary: "Tags currently on an experiment, by name",
				params,
				response: { 200: z.object({ data: z.array(ExperimentTag) }) },
			},
		},
		async ({ params, actor }) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			return { data: (await listTags(db.read, experiment.id)).map(toTag) };
		},
	);

	app.post(
		"/v1/experiments/:experiment_id/tags",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "setExperimentTag",
				tags,
				summary: "Put a tag on an experiment, moving it from another one of the dataset",
				params,
				body: SetExperimentTagBody,
				response: { 200: z.object({ data: ExperimentTag }) },
			},
		},
		async ({ params, body, actor }) => {
			const tag = { name: body.name, description: body.description ?? null };
			await getExperiment(db.read, actor, params.experiment_id);
			const row = await actor.change(async (transaction) =>
				setTag(transaction, await getExperiment(transaction, actor, params.experiment_id), tag),
			);
			return { data: toTag(row) };
		},
	);

	app.delete(
		"/v1/experiments/:experiment_id/tags/:tag_identifier",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deleteExperimentTag",
				tags,
				summary: "Remove a tag from an experiment; a tag on another one is not affected",
				params: params.extend({ tag_identifier: z.string() }),
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			await getExperiment(db.read, actor, params.experiment_id);
			await actor.change(async (transaction) => {
				const experiment = await getExperiment(transaction, actor, params.experiment_id);
				await deleteTag(transaction, experiment.id, params.tag_identifier);
			});
			return reply.code(204).send(null);
		},
	);
}

function toTag({ id, name, description }: TagRow): z.output<typeof ExperimentTag> {
	return { id: encodeGlobalId("ExperimentTag", id), name, description };
}
