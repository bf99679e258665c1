import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { pageSchema } from "../http/cursors.ts";
import { cursorParam, limitParam, textParam } from "../http/query-params.ts";
import { SpanPage } from "../spans/schemas.ts";
import { CreatePromptVersionBody, PromptVersion, PromptVersionDiff } from "./schemas.ts";

const ofPrompt = z.object({ prompt_identifier: z.string() });
const params = z.object({ prompt_version_id: z.string() });
const tags = ["prompts"];
const OneVersion = z.object({ data: PromptVersion });

export function versionRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/prompts/:prompt_identifier/versions",
		{
			config: { access: "read" },
			schema: {
				operationId: "listPromptVersions",
				tags,
				summary: "Page through versions of a prompt, newest first",
				params: ofPrompt,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(PromptVersion).meta({ id: "PromptVersionPage" }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/prompts/:prompt_identifier/versions",
		{
			config: { access: "write" },
			schema: {
				operationId: "createPromptVersion",
				tags,
				summary: "Add a version (and tags) to an existing prompt",
				params: ofPrompt,
				body: CreatePromptVersionBody,
				response: { 201: OneVersion },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier/latest",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPromptVersionLatest",
				tags,
				summary: "Fetch the newest version of a prompt",
				params: ofPrompt,
				response: { 200: OneVersion },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier/tags/:tag_name",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPromptVersionByTagName",
				tags,
				summary: "Fetch the prompt version carrying a tag",
				params: ofPrompt.extend({ tag_name: z.string() }),
				response: { 200: OneVersion },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPromptVersionByPromptVersionId",
				tags,
				summary: "Fetch one prompt version by id",
				params,
				response: { 200: OneVersion },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id/diff",
		{
			config: { access: "read" },
			schema: {
				operationId: "diffPromptVersions",
				tags,
				summary: "What a version has other than another one",
				params,
				querystring: z.object({ against: z.string().max(1_024).describe("Id of the version before.") }),
				response: { 200: z.object({ data: PromptVersionDiff }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id/spans",
		{
			config: { access: "read" },
			schema: {
				operationId: "listPromptVersionSpans",
				tags,
				summary: "Page through spans that name this version, newest first, without their attributes",
				description:
					"A span names it by its id in one of the attributes `llm.prompt_template.version`, `prompt.version.id`, `prompt.id` and `spanward.prompt_version.id`. Without `project`, the projects follow one another, the newest first. A page may have fewer items than `limit` while there are more.",
				params,
				querystring: z.object({
					project: textParam.optional().describe("Id or name; every project when absent."),
					cursor: cursorParam,
					limit: limitParam(100),
				}),
				response: { 200: SpanPage },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
