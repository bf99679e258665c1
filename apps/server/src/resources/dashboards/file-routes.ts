import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { attachment } from "#http/attachment.ts";
import { etagOf } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { getProject } from "../projects/queries.ts";
import { builtInDashboards } from "./built-in/built-in.ts";
import { checkDashboard } from "./check-dashboard.ts";
import { readDashboard, showDashboard } from "./find-dashboard.ts";
import { assertSeenProjects, findNamedProjects } from "./named-projects.ts";
import { refusePrivate, viewerOf } from "./own.ts";
import { assertMayChangeAcross, getDashboard, insertDashboard, listDashboards } from "./queries.ts";
import { DashboardFile, ImportQuery, LONGEST_NAME, MOST_BYTES, OneDashboard, OneDashboardQuery } from "./schemas.ts";
import { toColumns, toFile } from "./to-dashboard.ts";

const params = z.object({ dashboard_id: z.string().max(300) });
const tags = ["dashboards"];

/** Dashboards as files, to keep them elsewhere or to take them to another installation. */
export function dashboardFileRoutes(app: App, { auth, db, now }: Context): void {
	app.get(
		"/v1/dashboards/:dashboard_id/export",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "exportDashboard",
				tags,
				summary: "Download a dashboard as a file that can be imported",
				params,
				querystring: OneDashboardQuery,
				response: { 200: DashboardFile },
			},
		},
		async ({ actor, params, query }, reply) => {
			const asked = { identifier: params.dashboard_id, project: query.project };
			const { dashboard } = await readDashboard(db.read, actor, asked, auth.enabled);
			reply.header("content-disposition", attachment(`${dashboard.name}.dashboard.json`));
			return toFile(dashboard);
		},
	);

	app.post(
		"/v1/dashboards/import",
		{
			bodyLimit: MOST_BYTES,
			config: { access: "write", home: "project" },
			schema: {
				operationId: "importDashboard",
				tags,
				summary: "Make a dashboard of an exported file",
				description:
					"Everything in it is looked at before anything is made. Nothing is overwritten: where the name is taken, a number is added to it.",
				querystring: ImportQuery,
				body: DashboardFile,
				response: { 201: OneDashboard },
			},
		},
		async ({ actor, body, query }, reply) => {
			const { spanward_dashboard: _version, ...content } = body;
			const viewer = viewerOf(actor.principal);
			const project = query.project === undefined ? null : (await getProject(db.read, actor, query.project)).id;
			if (project === null) assertMayChangeAcross(actor);
			// Without accounts everything is shared.
			const visibility = viewer.sees === "all" ? "shared" : content.visibility;
			refusePrivate(visibility, viewer);
			const checked = checkDashboard({ ...content, visibility }, { isOfProject: project !== null, nowMicros: now() });
			const { row, data } = await actor.change(async (transaction, principal) => {
				assertSeenProjects(checked, await findNamedProjects(transaction, checked), actor.rights);
				const beside = await listDashboards(transaction, actor.rights, viewerOf(principal), project);
				const taken = new Set([...builtInDashboards(project === null), ...beside].map(({ name }) => name));
				const columns = toColumns({ ...checked, name: freeName(checked.name, taken) }, project);
				const by = viewerOf(principal).userId;
				const id = await insertDashboard(transaction, columns, { by, now: now() });
				const made = await getDashboard(transaction, actor, encodeGlobalId("Dashboard", id));
				return { row: made, data: await showDashboard(transaction, actor, made, auth.enabled) };
			});
			return reply.code(201).header("etag", etagOf(row)).send({ data });
		},
	);
}

/** The name, or the name with the first number from 2 that is free. */
function freeName(name: string, taken: ReadonlySet<string>): string {
	for (let number = 1; ; number += 1) {
		const suffix = number === 1 ? "" : ` (${number})`;
		const free = `${name.slice(0, LONGEST_NAME - suffix.length)}${suffix}`.toWellFormed();
		if (!taken.has(free)) return free;
	}
}
