import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { ExperimentTag, SetExperimentTagBody } from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

/** A tag names one experiment of a dataset at a time. */
export function tagRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/experiments/:experiment_id/tags",
		{
			config: { access: "read" },
			schema: {
				operationId: "listExperimentTags",
				tags,
				summary: "Tags currently on an experiment, by name",
				params,
				response: { 200: z.object({ data: z.array(ExperimentTag) }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/experiments/:experiment_id/tags",
		{
			config: { access: "write" },
			schema: {
				operationId: "setExperimentTag",
				tags,
				summary: "Put a tag on an experiment, taking it from another one of the dataset",
				params,
				body: SetExperimentTagBody,
				response: { 200: z.object({ data: ExperimentTag }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.delete(
		"/v1/experiments/:experiment_id/tags/:tag_identifier",
		{
			config: { access: "write" },
			schema: {
				operationId: "deleteExperimentTag",
				tags,
				summary: "Take a tag from an experiment; one that is not on it stays where it is",
				params: params.extend({ tag_identifier: z.string() }),
				response: { 204: z.null() },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
