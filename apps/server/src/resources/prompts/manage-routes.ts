import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { cursorParam, limitParam, searchParam, textParam } from "#http/query-params.ts";
import { findMove, getListedHome, homeParam, noteMove } from "../projects/homes.ts";
import { deletePrompt } from "./delete-prompt.ts";
import { describeListed } from "./listed-prompts.ts";
import { findDestination, getPrompt, insertOrFindPrompt, listPrompts, updatePrompt } from "./queries.ts";
import { CreatePromptBody, ListedPrompt, PatchPromptBody, Prompt, PromptVersion } from "./schemas.ts";
import { toNewVersion } from "./to-new-version.ts";
import { toPrompt, toPromptWithoutNulls, toVersion } from "./to-prompt.ts";
import { MAX_PROMPT_BYTES } from "./version-size.ts";
import { getVersion, insertVersion } from "./versions.ts";

const params = z.object({ prompt_identifier: z.string() });
const tags = ["prompts"];
const OnePrompt = z.object({ data: Prompt });

export function manageRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;

	app.get(
		"/v1/prompts",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPrompts",
				tags,
				summary: "Page through prompts, newest first",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(100),
					name_contains: searchParam.optional().describe("Part of the name, in any case."),
					tag: textParam.optional().describe("Only prompts of which a version has this tag."),
					project: homeParam,
				}),
				response: { 200: pageSchema(ListedPrompt).meta({ id: "PromptPage" }) },
			},
		},
		async ({ query, actor }) => {
			const rows = await listPrompts(db.read, actor.rights, {
				limit: query.limit + 1,
				fromId: decodeIdCursor("Prompt", query.cursor),
				nameContains: query.name_contains,
				tag: query.tag,
				home: await getListedHome(db.read, actor, query.project),
			});
			const page = pageById("Prompt", rows, query.limit);
			const listed = await describeListed(
				db.read,
				page.items.map(({ id }) => id),
			);
			return {
				data: page.items.map((row) => ({ ...toPrompt(row), ...listed(row.id) })),
				next_cursor: page.next_cursor,
			};
		},
	);

	app.post(
		"/v1/prompts",
		{
			bodyLimit: MAX_PROMPT_BYTES,
			config: { access: "write", home: "content" },
			schema: {
				operationId: "postPromptVersion",
				tags,
				summary: "Create a prompt, or add a version to the one with this name",
				description: "If the prompt exists, only a version is added; `prompt` does not change it.",
				body: CreatePromptBody,
				response: { 200: z.object({ data: PromptVersion }) },
			},
		},
		async ({ body, actor, principal }) => {
			const { name, description, source_prompt_id, metadata, project } = body.prompt;
			const version = toNewVersion(body.version, principal, now());
			const home = await findDestination(context, actor, { name, project });
			const id = await actor.change(async (transaction) => {
				const prompt = await insertOrFindPrompt(transaction, actor, {
					name,
					description: description ?? null,
					source: source_prompt_id ?? undefined,
					metadata: metadata ?? "{}",
					home,
					now: version.created_at,
				});
				return await insertVersion(transaction, { ...version, prompt_id: prompt.id });
			});
			return { data: toVersion(await getVersion(db.read, actor, encodeGlobalId("PromptVersion", id))) };
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPrompt",
				tags,
				summary: "Fetch a prompt by id or name",
				params,
				response: { 200: OnePrompt },
			},
		},
		async ({ params, actor }, reply) => {
			const row = await getPrompt(db.read, actor, params.prompt_identifier);
			setEtag(reply, row);
			return { data: toPrompt(row) };
		},
	);

	app.patch(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "patchPrompt",
				tags,
				summary: "Edit prompt description or metadata, or move it to another project",
				params,
				body: PatchPromptBody,
				response: { 200: OnePrompt },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			const { description, metadata, project, allow_wider_access: isAllowed } = body;
			const { project_id: from } = await getPrompt(db.read, actor, params.prompt_identifier);
			const move = await findMove(context, actor, { from, project });
			const change = {
				...(description === undefined ? {} : { description }),
				...(metadata === undefined ? {} : { metadata }),
				...(move === undefined ? {} : { project_id: move.to }),
			};
			const row = await actor.change(async (transaction) => {
				const before = await getPrompt(transaction, actor, params.prompt_identifier);
				assertIfMatch(request, before);
				await updatePrompt(transaction, before, change, now());
				if (move !== undefined) {
					const target = { type: "prompt", id: before.id, name: before.name } as const;
					const about = { projectId: before.project_id, isAllowed, target, request };
					await noteMove(transaction, context, actor, move, about);
				}
				return await getPrompt(transaction, actor, params.prompt_identifier);
			});
			if (move !== undefined) auth.rights.invalidate();
			setEtag(reply, row);
			return { data: toPromptWithoutNulls(row) };
		},
	);

	app.delete(
		"/v1/prompts/:prompt_identifier",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deletePrompt",
				tags,
				summary: "Delete a prompt with versions and tags",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await getPrompt(db.read, actor, params.prompt_identifier);
			const prompt = await actor.change(async (transaction) => {
				const row = await getPrompt(transaction, actor, params.prompt_identifier);
				assertIfMatch(request, row);
				return row;
			});
			await deletePrompt((work) => actor.change(work), prompt.id);
			return reply.code(204).send(null);
		},
	);
}
