import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { Semaphore } from "#base/semaphore.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { decodeIdCursor, decodeKeyset, encodeKeyset, pageSchema } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import { getProject, listProjects } from "../projects/queries.ts";
import { stateAt } from "../spans/run-state.ts";
import { SpanPage } from "../spans/schemas.ts";
import { toSpanWithoutContent } from "../spans/span-views.ts";
import { getPrompt } from "./queries.ts";
import { CreatePromptVersionBody, PromptVersion, PromptVersionDiff } from "./schemas.ts";
import { setTag } from "./tags.ts";
import { toNewVersion } from "./to-new-version.ts";
import { toVersion } from "./to-prompt.ts";
import { assertComparable, MAX_PROMPT_BYTES } from "./version-size.ts";
import { listVersionSpans, type Place } from "./version-spans.ts";
import { getLatestVersion, getTaggedVersion, getVersion, insertVersion, listVersions } from "./versions.ts";

const ofPrompt = z.object({ prompt_identifier: z.string() });
const params = z.object({ prompt_version_id: z.string() });
const tags = ["prompts"];
/** The most projects searched for one page. */
const MAX_PROJECTS = 20;
const OneVersion = z.object({ data: PromptVersion });

export function versionRoutes(app: App, context: Context): void {
	const { db, now } = context;
	const comparisons = new Semaphore(1);

	/** In several turns of the event loop: two versions may have several megabytes. */
	async function compare(actor: Actor, beforeId: string, afterId: string) {
		const after = await getVersion(db.read, actor, afterId);
		const before = await getVersion(db.read, actor, beforeId);
		assertComparable(after);
		assertComparable(before);
		// Loaded on first use, with its library.
		const { diffVersions } = await import("./diff-versions.ts");
		const from = toVersion(before);
		await nextTurn();
		const to = toVersion(after);
		await nextTurn();
		const diff = await diffVersions(from, to);
		await nextTurn();
		return diff;
	}

	/** Where to search for a page, and where the next one begins if these places are exhausted. */
	async function placesFrom(
		actor: Actor,
		{ project, cursor }: { project?: string | undefined; cursor?: string | undefined },
	) {
		const start = decodePlace(cursor);
		const origins = ["experiment", "evaluators"] as const;
		const projects =
			project === undefined
				? await listProjects(db.read, actor.rights, { limit: MAX_PROJECTS + 1, fromId: start?.projectId, origins })
				: [await getProject(db.read, actor, project)];
		if (project !== undefined && start !== undefined && projects[0]?.id !== start.projectId) {
			throw new UserError(422, "invalid_cursor", "Invalid cursor");
		}
		const places = projects.map(({ id }) => (id === start?.projectId ? start : { projectId: id }));
		return { places: places.slice(0, MAX_PROJECTS), rest: places[MAX_PROJECTS] };
	}

	app.get(
		"/v1/prompts/:prompt_identifier/versions",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listPromptVersions",
				tags,
				summary: "Page through versions of a prompt, newest first",
				params: ofPrompt,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(PromptVersion).meta({ id: "PromptVersionPage" }) },
			},
		},
		async ({ params, query, actor }) => {
			const prompt = await getPrompt(db.read, actor, params.prompt_identifier);
			const { rows, next } = await listVersions(db.read, {
				promptId: prompt.id,
				fromId: decodeIdCursor("PromptVersion", query.cursor),
				limit: query.limit,
				maxBytes: MAX_PAGE_BYTES,
			});
			const next_cursor = next === undefined ? null : encodeGlobalId("PromptVersion", next);
			return { data: rows.map(toVersion), next_cursor };
		},
	);

	app.post(
		"/v1/prompts/:prompt_identifier/versions",
		{
			bodyLimit: MAX_PROMPT_BYTES,
			config: { access: "write", home: "content" },
			schema: {
				operationId: "createPromptVersion",
				tags,
				summary: "Add a version (and tags) to an existing prompt",
				params: ofPrompt,
				body: CreatePromptVersionBody,
				response: { 201: OneVersion },
			},
		},
		async ({ params, body, actor, principal }, reply) => {
			const version = toNewVersion(body.version, principal, now());
			await getPrompt(db.read, actor, params.prompt_identifier);
			const created = await actor.change(async (transaction) => {
				const prompt = await getPrompt(transaction, actor, params.prompt_identifier);
				const id = await insertVersion(transaction, { ...version, prompt_id: prompt.id });
				for (const tag of body.tags ?? []) await setTag(transaction, { id, prompt_id: prompt.id }, tag);
				return id;
			});
			const row = await getVersion(db.read, actor, encodeGlobalId("PromptVersion", created));
			return reply.code(201).send({ data: toVersion(row) });
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier/latest",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPromptVersionLatest",
				tags,
				summary: "Fetch the newest version of a prompt",
				params: ofPrompt,
				response: { 200: OneVersion },
			},
		},
		async ({ params, actor }) => {
			const prompt = await getPrompt(db.read, actor, params.prompt_identifier);
			return { data: toVersion(await getLatestVersion(db.read, prompt.id)) };
		},
	);

	app.get(
		"/v1/prompts/:prompt_identifier/tags/:tag_name",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPromptVersionByTagName",
				tags,
				summary: "Fetch the prompt version carrying a tag",
				params: ofPrompt.extend({ tag_name: z.string() }),
				response: { 200: OneVersion },
			},
		},
		async ({ params, actor }) => {
			const prompt = await getPrompt(db.read, actor, params.prompt_identifier);
			return { data: toVersion(await getTaggedVersion(db.read, prompt.id, params.tag_name)) };
		},
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getPromptVersionByPromptVersionId",
				tags,
				summary: "Fetch one prompt version by id",
				params,
				response: { 200: OneVersion },
			},
		},
		async ({ params, actor }) => ({ data: toVersion(await getVersion(db.read, actor, params.prompt_version_id)) }),
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id/diff",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "diffPromptVersions",
				tags,
				summary: "Differences between two versions",
				params,
				querystring: z.object({ against: z.string().max(1_024).describe("Id of the version before.") }),
				response: { 200: z.object({ data: PromptVersionDiff }) },
			},
		},
		async ({ params, query, actor }) => ({
			data: await comparisons.run(() => compare(actor, query.against, params.prompt_version_id)),
		}),
	);

	app.get(
		"/v1/prompt_versions/:prompt_version_id/spans",
		{
			config: { access: "read", home: "content" },
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
		async (request, reply) => {
			const { params, query, actor } = request;
			const version = await getVersion(db.read, actor, params.prompt_version_id);
			const { items, next } = await listVersionSpans(actor.traces, encodeGlobalId("PromptVersion", version.id), {
				...(await placesFrom(actor, query)),
				caller: askerOf(request, reply),
				limit: query.limit,
			});
			const cumulative = await actor.traces.findCumulative(items);
			const data = items.map((span) => ({
				...toSpanWithoutContent(span, cumulative.get(span.id)),
				state: stateAt(context, span.heardMicros),
			}));
			return { data, next_cursor: next === undefined ? null : encodePlace(next) };
		},
	);
}

function encodePlace({ projectId, from }: Place): string {
	return encodeKeyset({ kind: "FLOAT" }, { value: projectId, id: from?.id ?? 0 });
}

function decodePlace(cursor: string | undefined): Place | undefined {
	const keyset = decodeKeyset({ kind: "FLOAT" }, cursor);
	if (keyset === undefined) return undefined;
	const { id, value } = keyset;
	return { projectId: value, ...(id === 0 ? {} : { from: { id, value: id } }) };
}
