import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { cursorParam, limitParam } from "../http/query-params.ts";
import {
	CreatedId,
	CreateExperimentRunBody,
	ExperimentRunPage,
	IncompleteEvaluationPage,
	IncompleteEvaluationsQuery,
	IncompleteRunPage,
	ListRunsQuery,
	UpsertEvaluationBody,
} from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

export function runRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/experiments/:experiment_id/runs",
		{
			config: { access: "read" },
			schema: {
				operationId: "listExperimentRuns",
				tags,
				summary: "List runs of an experiment, newest first",
				params,
				querystring: ListRunsQuery,
				response: { 200: ExperimentRunPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/experiments/:experiment_id/runs",
		{
			config: { access: "write" },
			schema: {
				operationId: "createExperimentRun",
				tags,
				summary: "Record one task run; retry replaces failed runs",
				params,
				body: CreateExperimentRunBody,
				response: { 200: CreatedId },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/experiment_evaluations",
		{
			config: { access: "write" },
			schema: {
				operationId: "upsertExperimentEvaluation",
				tags,
				summary: "Insert or replace an evaluation of a run by name",
				body: UpsertEvaluationBody,
				response: { 200: CreatedId },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/incomplete-runs",
		{
			config: { access: "read" },
			schema: {
				operationId: "getIncompleteExperimentRuns",
				tags,
				summary: "Examples with missing or failed repetitions",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(50) }),
				response: { 200: IncompleteRunPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/incomplete-evaluations",
		{
			config: { access: "read" },
			schema: {
				operationId: "getIncompleteExperimentEvaluations",
				tags,
				summary: "Runs lacking successful evaluations by the given names",
				params,
				querystring: IncompleteEvaluationsQuery,
				response: { 200: IncompleteEvaluationPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
