import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { keyLimited } from "#http/access-policy.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { homesOf, type Principal } from "#http/principal.ts";
import { onlyParams } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { checkState } from "./check-state.ts";
import { defaultViewRoutes } from "./default-view-routes.ts";
import {
	assertMayDelete,
	assertOwnView,
	deleteView,
	getView,
	insertView,
	listViews,
	ownerOf,
	updateView,
} from "./queries.ts";
import { CreateViewBody, OneView, PatchViewBody, ViewListQuery, ViewPageOfList } from "./schemas.ts";
import { toView } from "./to-view.ts";

const params = z.object({ view_id: z.string() });
const tags = ["views"];
const noParams = onlyParams({});

/** Saved views of lists: filter, columns, order and range under a name. */
export function viewRoutes(app: App, context: Context): void {
	const { db, now } = context;

	app.get(
		"/v1/views",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getViews",
				tags,
				summary: "Page through the saved views of lists, newest first: shared ones and one's own",
				querystring: ViewListQuery,
				response: { 200: ViewPageOfList },
			},
		},
		async ({ actor, query, principal }) => {
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			return await pageOf(
				"View",
				query,
				(part) =>
					listViews(db.read, actor, { ...part, projectId, page: query.page, nameContains: query.name_contains }),
				(row) => toView(row, principal),
			);
		},
	);

	app.post(
		"/v1/views",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "createView",
				tags,
				summary: "Save what a list shows under a name",
				querystring: noParams,
				body: CreateViewBody,
				response: { 201: OneView },
			},
		},
		async ({ actor, body }, reply) => {
			const { name, page, state, visibility } = body;
			checkState(page, state);
			const projectId = await findHome(actor, body.project);
			const row = await actor.change(async (transaction, principal) => {
				// The project may have been deleted meanwhile.
				if (body.project != null) await getProject(transaction, actor, body.project);
				return await insertView(transaction, {
					...{ name, page, project_id: projectId, state: JSON.stringify(state), owner_id: ownerOf(principal) },
					private_to: visibility === "private" ? privateTo(principal) : null,
					now: now(),
				});
			});
			setEtag(reply, row);
			return reply.code(201).send({ data: toView(row, actor.principal) });
		},
	);

	/** The project of a new view, which the actor enters; null for every project. */
	async function findHome(actor: Actor, project: string | null | undefined): Promise<number | null> {
		if (project != null) return (await getProject(db.read, actor, project)).id;
		if (homesOf(actor.principal) !== undefined) throw keyLimited();
		return null;
	}

	app.get(
		"/v1/views/:view_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getView",
				tags,
				summary: "Fetch a saved view",
				params,
				querystring: noParams,
				response: { 200: OneView },
			},
		},
		async ({ actor, params, principal }, reply) => {
			const row = await getView(db.read, actor, params.view_id);
			setEtag(reply, row);
			return { data: toView(row, principal) };
		},
	);

	app.patch(
		"/v1/views/:view_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "patchView",
				tags,
				summary: "Rename a view, save another state in it, or share it",
				params,
				querystring: noParams,
				body: PatchViewBody,
				response: { 200: OneView },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const { page } = await getView(db.read, actor, request.params.view_id);
			if (body.state !== undefined) checkState(page, body.state);
			const row = await actor.change(async (transaction, principal) => {
				const before = await getView(transaction, actor, request.params.view_id);
				assertIfMatch(request, before);
				const isHiding = body.visibility === "private" && before.private_to === null;
				const hiddenFor = isHiding ? privateTo(principal) : undefined;
				if (isHiding) assertOwnView(principal, before, "Only its owner makes a view private.");
				return await updateView(
					transaction,
					before,
					{
						...(body.name === undefined ? {} : { name: body.name }),
						...(body.state === undefined ? {} : { state: JSON.stringify(body.state) }),
						...(hiddenFor === undefined ? {} : { private_to: hiddenFor }),
						...(body.visibility === "shared" ? { private_to: null } : {}),
					},
					now(),
				);
			});
			setEtag(reply, row);
			return { data: toView(row, actor.principal) };
		},
	);

	app.delete(
		"/v1/views/:view_id",
		{
			config: { access: "write", home: "project", whenFull: "allowed" },
			schema: {
				operationId: "deleteView",
				tags,
				summary: "Delete a saved view; others' shared ones are deleted by admins",
				params,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await getView(db.read, actor, params.view_id);
			await actor.change(async (transaction, principal) => {
				const row = await getView(transaction, actor, params.view_id);
				assertIfMatch(request, row);
				assertMayDelete(principal, row);
				await deleteView(transaction, row);
			});
			return reply.code(204).send(null);
		},
	);

	defaultViewRoutes(app, context);
}

/** @throws UserError 422 for who has no account */
function privateTo(principal: Principal): number {
	const owner = ownerOf(principal);
	if (owner !== null) return owner;
	throw new UserError(
		422,
		"private_view_without_account",
		"Only people have private views: log in, or use the key of a user.",
	);
}
