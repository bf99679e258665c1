import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { booleanParam } from "../http/query-params.ts";
import {
	CreateExperimentBody,
	ExperimentPage,
	ListAllExperimentsQuery,
	ListExperimentsQuery,
	OneExperiment,
	UpdateExperimentBody,
} from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const ofDataset = z.object({ dataset_id: z.string() });
const tags = ["experiments"];

export function manageRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/experiments",
		{
			config: { access: "read" },
			schema: {
				operationId: "listAllExperiments",
				tags,
				summary: "Page through the experiments of all datasets, newest first",
				querystring: ListAllExperimentsQuery,
				response: { 200: ExperimentPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/datasets/:dataset_id/experiments",
		{
			config: { access: "read" },
			schema: {
				operationId: "listExperiments",
				tags,
				summary: "Page through experiments of a dataset, newest first",
				params: ofDataset,
				querystring: ListExperimentsQuery,
				response: { 200: ExperimentPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/datasets/:dataset_id/experiments",
		{
			config: { access: "write" },
			schema: {
				operationId: "createExperiment",
				tags,
				summary: "Start an experiment on a dataset version",
				description:
					"Its examples are those of the version, or of the splits in it, at this moment; later changes of the dataset change nothing.",
				params: ofDataset,
				body: CreateExperimentBody,
				response: { 200: OneExperiment },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getExperiment",
				tags,
				summary: "Fetch one experiment with run counts and scores",
				params,
				response: { 200: OneExperiment },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.patch(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "updateExperiment",
				tags,
				summary: "Edit experiment name, description or metadata",
				params,
				body: UpdateExperimentBody,
				response: { 200: OneExperiment },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.delete(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "deleteExperiment",
				tags,
				summary: "Delete an experiment, optionally its trace project",
				params,
				querystring: z.object({ delete_project: booleanParam.default(false) }),
				response: { 204: z.null() },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
