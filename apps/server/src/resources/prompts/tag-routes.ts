import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { PromptVersionTag, PromptVersionTagData } from "./schemas.ts";
import { deleteTag, listTags, setTag } from "./tags.ts";
import { toTag } from "./to-prompt.ts";
import { getVersion } from "./versions.ts";

const params = z.object({ prompt_version_id: z.string() });
const tags = ["prompts"];

/** A tag names one version of a prompt at a time. */
export function tagRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/prompt_versions/:prompt_version_id/tags",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPromptVersionTags",
				tags,
				summary: "Page through tags of a prompt version, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(PromptVersionTag).meta({ id: "PromptVersionTagPage" }) },
			},
		},
		async ({ params, query, actor }) => {
			const version = await getVersion(db.read, actor, params.prompt_version_id);
			return await pageOf(
				"PromptVersionTag",
				query,
				(part) => listTags(db.read, { versionId: version.id, ...part }),
				toTag,
			);
		},
	);

	app.post(
		"/v1/prompt_versions/:prompt_version_id/tags",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "createPromptVersionTag",
				tags,
				summary: "Put a tag on a prompt version, moving it from another one of the prompt",
				params,
				body: PromptVersionTagData,
				response: { 204: z.null() },
			},
		},
		async ({ params, body, actor }, reply) => {
			await getVersion(db.read, actor, params.prompt_version_id);
			await actor.change(async (transaction) => {
				await setTag(transaction, await getVersion(transaction, actor, params.prompt_version_id), body);
			});
			return reply.code(204).send(null);
		},
	);

	app.delete(
		"/v1/prompt_versions/:prompt_version_id/tags/:tag_name",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deletePromptVersionTag",
				tags,
				summary: "Remove a tag from a prompt version; a tag on another one is not affected",
				params: params.extend({ tag_name: z.string() }),
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			await getVersion(db.read, actor, params.prompt_version_id);
			await actor.change(async (transaction) => {
				const version = await getVersion(transaction, actor, params.prompt_version_id);
				await deleteTag(transaction, version.id, params.tag_name);
			});
			return reply.code(204).send(null);
		},
	);
}
