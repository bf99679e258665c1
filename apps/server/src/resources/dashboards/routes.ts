import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { assertTagMatches, etagOf } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { getProject } from "../projects/queries.ts";
import { builtInDashboards } from "./built-in/built-in.ts";
import { checkDashboard } from "./check-dashboard.ts";
import { dashboardFileRoutes } from "./file-routes.ts";
import { readDashboard, refuseBuiltIn, showDashboard } from "./find-dashboard.ts";
import { assertSeenProjects, findNamedProjects, withHiddenProjects } from "./named-projects.ts";
import { isOwner, refusePrivate, type Viewer, viewerOf } from "./own.ts";
import { pageOfDashboards } from "./pages-of-dashboards.ts";
import {
	assertMayChangeAcross,
	type DashboardRow,
	deleteDashboard,
	getDashboard,
	insertDashboard,
	listDashboards,
	updateDashboard,
} from "./queries.ts";
import {
	CreateDashboardBody,
	DashboardListQuery,
	DashboardPage,
	MOST_BYTES,
	OneDashboard,
	OneDashboardQuery,
	ReplaceDashboardBody,
} from "./schemas.ts";
import { builtInSummary, definitionOf, toColumns, toSummary } from "./to-dashboard.ts";

const params = z.object({ dashboard_id: z.string().max(300) });
const noQuery = z.strictObject({});
const tags = ["dashboards"];

/** Charts that people put together, of a project or across projects. */
export function dashboardRoutes(app: App, context: Context): void {
	const { auth, db, now } = context;
	dashboardFileRoutes(app, context);

	app.get(
		"/v1/dashboards",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listDashboards",
				tags,
				summary: "Page through dashboards, built-in ones first, then the newest",
				description: "Without their widgets. The built-in ones are those of `project`, or across projects.",
				querystring: DashboardListQuery,
				response: { 200: DashboardPage },
			},
		},
		async ({ actor, query }) => {
			const project = query.project === undefined ? undefined : await getProject(db.read, actor, query.project);
			const projectId = project === undefined ? null : encodeGlobalId("Project", project.id);
			const rows = await listDashboards(db.read, actor.rights, viewerOf(actor.principal), project?.id);
			const part = (query.name_contains ?? "").toLowerCase();
			const all = [
				...builtInDashboards(project === undefined).map((built) => builtInSummary(built, projectId)),
				...rows.map((row) => toSummary(row, auth.enabled)),
			].filter(({ name }) => name.toLowerCase().includes(part));
			return pageOfDashboards(all, query);
		},
	);

	app.post(
		"/v1/dashboards",
		{
			bodyLimit: MOST_BYTES,
			config: { access: "write", home: "project" },
			schema: {
				operationId: "createDashboard",
				tags,
				summary: "Make a dashboard",
				querystring: noQuery,
				body: CreateDashboardBody,
				response: { 201: OneDashboard },
			},
		},
		async ({ actor, body }, reply) => {
			const { project_id, ...content } = body;
			refusePrivate(content.visibility, viewerOf(actor.principal));
			const project = await enterHome(db.read, actor, project_id ?? null);
			const checked = checkDashboard(content, { isOfProject: project !== null, nowMicros: now() });
			const { row, data } = await actor.change(async (transaction, principal) => {
				assertSeenProjects(checked, await findNamedProjects(transaction, checked), actor.rights);
				const by = viewerOf(principal).userId;
				const id = await insertDashboard(transaction, toColumns(checked, project), { by, now: now() });
				const made = await getDashboard(transaction, actor, encodeGlobalId("Dashboard", id));
				return { row: made, data: await showDashboard(transaction, actor, made, auth.enabled) };
			});
			return reply.code(201).header("etag", etagOf(row)).send({ data });
		},
	);

	app.get(
		"/v1/dashboards/:dashboard_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getDashboard",
				tags,
				summary: "Fetch a dashboard, with the ETag by which it is changed",
				params,
				querystring: OneDashboardQuery,
				response: { 200: OneDashboard },
			},
		},
		async ({ actor, params, query }, reply) => {
			const asked = { identifier: params.dashboard_id, project: query.project };
			const { dashboard, tag } = await readDashboard(db.read, actor, asked, auth.enabled);
			reply.header("etag", tag);
			return { data: dashboard };
		},
	);

	app.put(
		"/v1/dashboards/:dashboard_id",
		{
			bodyLimit: MOST_BYTES,
			config: { access: "write", home: "project" },
			schema: {
				operationId: "replaceDashboard",
				tags,
				summary: "Replace a dashboard entirely",
				description: "A problem document of 412 says who changed it, and when.",
				params,
				querystring: noQuery,
				body: ReplaceDashboardBody,
				response: { 200: OneDashboard },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			refuseBuiltIn(params.dashboard_id);
			const { row, data } = await actor.change(async (transaction, principal) => {
				const before = await findToChange(transaction, request);
				await replace(transaction, request, before, viewerOf(principal));
				const after = await getDashboard(transaction, actor, params.dashboard_id);
				return { row: after, data: await showDashboard(transaction, actor, after, auth.enabled) };
			});
			return reply.header("etag", etagOf(row)).send({ data });
		},
	);

	app.delete(
		"/v1/dashboards/:dashboard_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteDashboard",
				tags,
				summary: "Delete a dashboard: one's own, or any shared one by admins",
				params,
				querystring: noQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			refuseBuiltIn(request.params.dashboard_id);
			await request.actor.change(async (transaction, principal) => {
				const before = await findToChange(transaction, request);
				const viewer = viewerOf(principal);
				if (!isOwner(before, viewer) && !viewer.isAdmin)
					throw notOwn("Only who made a dashboard, or an admin, deletes it.");
				await deleteDashboard(transaction, before.id);
			});
			return reply.code(204).send(null);
		},
	);

	/** @throws UserError 404, 403, 412 */
	async function findToChange(
		transaction: Kysely<Tables>,
		request: Pick<FastifyRequest, "actor" | "headers"> & { readonly params: { readonly dashboard_id: string } },
	): Promise<DashboardRow> {
		const row = await getDashboard(transaction, request.actor, request.params.dashboard_id);
		if (row.project_id === null) assertMayChangeAcross(request.actor);
		await assertTagMatches(request, etagOf(row), async () => ({
			changed_by: row.updated_by_name === null ? null : { username: row.updated_by_name },
			changed_at: formatTime(row.updated_at),
		}));
		return row;
	}

	async function replace(
		transaction: Parameters<Parameters<Actor["change"]>[0]>[0],
		{ actor, body }: { readonly actor: Actor; readonly body: z.output<typeof ReplaceDashboardBody> },
		before: DashboardRow,
		viewer: Viewer,
	): Promise<void> {
		const { project_id, ...content } = body;
		const visibility = visibilityAfter(before, content.visibility, viewer);
		const project = project_id === undefined ? before.project_id : await enterHome(transaction, actor, project_id);
		const checked = checkDashboard(content, { isOfProject: project !== null, nowMicros: now() });
		const definition = definitionOf(before);
		const known = await findNamedProjects(transaction, checked, definition);
		assertSeenProjects(checked, known, actor.rights);
		const whole = withHiddenProjects({ ...checked, visibility }, definition, known, actor.rights);
		await updateDashboard(transaction, before, toColumns(whole, project), { by: viewer.userId, now: now() });
	}
}

/**
 * The project in which a dashboard is made; null for one across projects.
 * @throws UserError 404, 403
 */
async function enterHome(db: Kysely<Tables>, actor: Actor, identifier: string | null): Promise<number | null> {
	if (identifier !== null) return (await getProject(db, actor, identifier)).id;
	assertMayChangeAcross(actor);
	return null;
}

/** @throws UserError 403, ValidationError */
function visibilityAfter(before: DashboardRow, wanted: "shared" | "private", viewer: Viewer): "shared" | "private" {
	// It is for the time when there are accounts again, and everybody is shown it as shared until then.
	if (viewer.sees === "all" && wanted === "shared") return before.visibility;
	refusePrivate(wanted, viewer);
	if (wanted !== before.visibility && !isOwner(before, viewer))
		throw notOwn("Only who made a dashboard decides whether others see it.");
	return wanted;
}

function notOwn(message: string): UserError {
	return new UserError(403, "not_own_dashboard", message);
}
