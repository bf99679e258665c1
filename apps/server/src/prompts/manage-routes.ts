import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { pageSchema } from "../http/cursors.ts";
import { cursorParam, limitParam, searchParam, textParam } from "../http/query-params.ts";
import { CreatePromptBody, PatchPromptBody, Prompt, PromptVersion } from "./schemas.ts";

const params = z.object({ prompt_identifier: z.string() });
const tags = ["prompts"];
const OnePrompt = z.object({ data: Prompt });

export function manageRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/prompts",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPrompts",
				tags,
				summary: "Page through prompts, newest first",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(100),
					name_contains: searchParam.optional().describe("Part of the name, in any case."),
					tag: textParam.optional().describe("Only prompts of which a version has this tag."),
				}),
				response: { 200: pageSchema(Prompt).meta({ id: "PromptPage" }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/prompts",
		{
			config: { access: "write" },
			schema: {
				operationId: "postPromptVersion",
				tags,
				summary: "Create a prompt, or add a version to the one of this name",
				description: "Of a prompt that is there already only a version is added; `prompt` changes nothing of it.",
				body: CreatePromptBody,
				response: { 200: z.object({ data: PromptVersion }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPrompt",
				tags,
				summary: "Fetch a prompt by id or name",
				params,
				response: { 200: OnePrompt },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.patch(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "write" },
			schema: {
				operationId: "patchPrompt",
				tags,
				summary: "Edit prompt description or metadata",
				params,
				body: PatchPromptBody,
				response: { 200: OnePrompt },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.delete(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "write" },
			schema: {
				operationId: "deletePrompt",
				tags,
				summary: "Delete a prompt with versions and tags",
				params,
				response: { 204: z.null() },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
