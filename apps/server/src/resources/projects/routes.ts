import { z } from "zod";
import { livesAt } from "#access/rights/reasons.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { makerOf } from "#http/principal.ts";
import { ALL_ROWS, pageByText, sortedPage } from "#http/sorted-page.ts";
import { formatTime } from "#http/wire-times.ts";
import type { ProjectActivity } from "#storage/traces/trace-store.ts";
import { assertWithoutContent } from "./content.ts";
import { listMadeFor } from "./made-projects.ts";
import { getProject, insertProject, listProjects, type ProjectRow, updateProjectDescription } from "./queries.ts";
import {
	CreateProjectBody,
	Project,
	ProjectListQuery,
	ProjectQuery,
	type ProjectSort,
	UpdateProjectBody,
} from "./schemas.ts";

const OneProject = z.object({ data: Project });
const ACTIVITY_HOURS = 24;
const params = z.object({ project_identifier: z.string() });

/** The wire form of a project row. */
export function toProject(row: ProjectRow): z.output<typeof Project> {
	return {
		id: encodeGlobalId("Project", row.id),
		name: row.name,
		description: row.description,
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}

/** What a project shows besides its row. */
interface Included {
	readonly activity: ReadonlyMap<number, ProjectActivity> | undefined;
	readonly access: AccessOf | undefined;
}

type AccessOf = (project: ProjectRow) => Pick<z.output<typeof Project>, "access" | "own_role">;

function toProjects(rows: readonly ProjectRow[], { activity, access }: Included): z.output<typeof Project>[] {
	return rows.map((row) => ({ ...toProject(row), ...toActivity(activity?.get(row.id)), ...access?.(row) }));
}

/** Nothing for a project that was deleted meanwhile. */
function toActivity(activity: ProjectActivity | undefined): Pick<z.output<typeof Project>, "activity"> {
	if (activity === undefined) return {};
	const { startMicros, newestTraceMicros, latencyMs } = activity;
	return {
		activity: {
			start_time: formatTime(startMicros),
			span_counts: [...activity.spans],
			error_counts: [...activity.errors],
			token_count_total: activity.tokens,
			total_cost: activity.cost,
			latency_ms: latencyMs ?? null,
			newest_trace_start_time: newestTraceMicros === undefined ? null : formatTime(newestTraceMicros),
		},
	};
}

function sortValue(
	sort: Exclude<ProjectSort, "name">,
	id: number,
	activity: ProjectActivity | undefined,
): number | null {
	if (sort === "id") return id;
	if (activity === undefined) return null;
	const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
	const spans = sum(activity.spans);
	switch (sort) {
		case "span_count":
			return spans;
		case "error_rate":
			return spans === 0 ? null : sum(activity.errors) / spans;
		case "token_count_total":
			return activity.tokens;
		case "total_cost":
			return activity.cost;
		case "latency_p50":
			return activity.latencyMs?.p50 ?? null;
		case "latency_p95":
			return activity.latencyMs?.p95 ?? null;
		case "newest_trace_start_time":
			return activity.newestTraceMicros ?? null;
	}
}

export function projectRoutes(app: App, { auth, db, discard, now }: Context): void {
	async function accessFor({ rights }: Actor, include: readonly string[] | undefined): Promise<AccessOf | undefined> {
		if (include?.includes("access") !== true) return undefined;
		const state = await auth.rights.state();
		return ({ id }) => {
			const role = rights.roleAt(id);
			return {
				access: state.restricted.has(livesAt(state, id)) ? "restricted" : "open",
				...(role === undefined ? {} : { own_role: role }),
			};
		};
	}

	app.get(
		"/v1/projects",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjects",
				tags: ["projects"],
				summary: "Page through projects, newest first",
				querystring: ProjectListQuery,
				response: { 200: pageSchema(Project).meta({ id: "ProjectPage" }) },
			},
		},
		async ({ actor, query }) => {
			const list = (part: { fromId?: number | undefined; limit: number }) =>
				listProjects(db.read, actor.rights, {
					...part,
					nameContains: query.name_contains,
					origins: [
						...(query.include_experiment_projects ? (["experiment"] as const) : []),
						...(query.include_dataset_evaluator_projects ? (["evaluators"] as const) : []),
					],
				});
			const activityOf = (rows: readonly ProjectRow[]) =>
				actor.traces.findProjectActivity(
					rows.map(({ id }) => id),
					now(),
					ACTIVITY_HOURS,
				);
			const access = await accessFor(actor, query.include);
			const withActivity = query.include?.includes("activity") === true;
			const { sort } = query;
			if (sort === "id" && query.order === "desc") {
				const page = await pageOf("Project", query, list, (row) => row);
				return {
					...page,
					data: toProjects(page.data, { activity: withActivity ? await activityOf(page.data) : undefined, access }),
				};
			}
			// They are few enough to read all of them.
			const rows = await list({ limit: ALL_ROWS });
			if (sort === "name") {
				const { items, next_cursor } = pageByText(rows, ({ name }) => name, query);
				return {
					data: toProjects(items, { activity: withActivity ? await activityOf(items) : undefined, access }),
					next_cursor,
				};
			}
			const activity = await activityOf(rows);
			const { items, next_cursor } = sortedPage(rows, ({ id }) => sortValue(sort, id, activity.get(id)), query);
			return { data: toProjects(items, { activity: withActivity ? activity : undefined, access }), next_cursor };
		},
	);

	app.post(
		"/v1/projects",
		{
			config: { access: "write", home: "catalogue" },
			schema: {
				operationId: "createProject",
				tags: ["projects"],
				summary: "Create a project",
				body: CreateProjectBody,
				response: { 200: OneProject },
			},
		},
		async ({ body, actor }) => {
			const created = await actor.change(async (transaction, principal) => {
				await auth.rights.assertMakesProjects(transaction, principal);
				const maker = makerOf(principal);
				const project = { name: body.name, description: body.description ?? null, maker };
				return await insertProject(transaction, { ...project, pinnedAccess: auth.rights.pinnedAccess, now: now() });
			});
			auth.rights.invalidate();
			if (created === undefined) {
				throw new UserError(409, "project_exists", `A project named ${body.name} already exists`);
			}
			return { data: toProject(created) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProject",
				tags: ["projects"],
				summary: "Fetch a project by id or name",
				params,
				querystring: ProjectQuery,
				response: { 200: OneProject },
			},
		},
		async ({ actor, params, query }, reply) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const access = await accessFor(actor, query.include);
			// The tag says nothing of roles, which change without the project.
			if (access === undefined) setEtag(reply, project);
			return { data: { ...toProject(project), ...access?.(project) } };
		},
	);

	app.put(
		"/v1/projects/:project_identifier",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "updateProject",
				tags: ["projects"],
				summary: "Change a project's description",
				params,
				body: UpdateProjectBody,
				response: { 200: OneProject },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const { description } = body;
			const project = await actor.change(async (transaction) => {
				const before = await getProject(transaction, actor, request.params.project_identifier);
				assertIfMatch(request, before);
				if (description === undefined || description === null) return before;
				return await updateProjectDescription(transaction, before, description, now());
			});
			setEtag(reply, project);
			return { data: toProject(project) };
		},
	);

	app.delete(
		"/v1/projects/:project_identifier",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "deleteProject",
				tags: ["projects"],
				summary: "Delete a project and all its data",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor } = request;
			const project = await getProject(db.read, actor, request.params.project_identifier);
			if (project.name === "default") {
				throw new UserError(403, "default_project", "The default project cannot be deleted");
			}
			await assertWithoutContent(db.read, project.id);
			await actor.assertStillAllowed();
			for (const id of await listMadeFor(db.read, project.id)) await discard.deleteProject(id);
			await actor.changeTraces((changed) => changed.deleteProject(project.id));
			return reply.code(204).send(null);
		},
	);
}
