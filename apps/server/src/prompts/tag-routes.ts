import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { pageSchema } from "../http/cursors.ts";
import { cursorParam, limitParam } from "../http/query-params.ts";
import { PromptVersionTag, PromptVersionTagData } from "./schemas.ts";

const params = z.object({ prompt_version_id: z.string() });
const tags = ["prompts"];

/** A tag names one version of a prompt at a time. */
export function tagRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/prompt_versions/:prompt_version_id/tags",
		{
			config: { access: "read" },
			schema: {
				operationId: "getPromptVersionTags",
				tags,
				summary: "Page through tags of a prompt version, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(PromptVersionTag).meta({ id: "PromptVersionTagPage" }) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.post(
		"/v1/prompt_versions/:prompt_version_id/tags",
		{
			config: { access: "write" },
			schema: {
				operationId: "createPromptVersionTag",
				tags,
				summary: "Put a tag on a prompt version, taking it from another one of the prompt",
				params,
				body: PromptVersionTagData,
				response: { 204: z.null() },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.delete(
		"/v1/prompt_versions/:prompt_version_id/tags/:tag_name",
		{
			config: { access: "write" },
			schema: {
				operationId: "deletePromptVersionTag",
				tags,
				summary: "Take a tag from a prompt version; one that is not on it stays where it is",
				params: params.extend({ tag_name: z.string() }),
				response: { 204: z.null() },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
