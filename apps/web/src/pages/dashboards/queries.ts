import type { Dashboard, Operations } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { askedQuery, type Chart } from "../../analytics/chart.ts";
import { analyticsQuery, parametersOf } from "../../analytics/queries.ts";
import { api } from "../../lib/api.ts";
import { present } from "../../lib/search-params.ts";
import { Turns } from "../../lib/turns.ts";

const PAGE = 100;
/** Values of a menu. */
const CHOICES = 50;
/** Questions of widgets that run at a time. */
const turns = new Turns(4);

export type DashboardBody = Operations["post"]["/v1/dashboards"]["body"];

/** @param project undefined: across projects and of all that are seen */
export function dashboardPages(project: string | undefined, words: string | undefined) {
	return infiniteQueryOptions({
		queryKey: ["dashboards", { project, words }],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/dashboards", {
				query: { limit: PAGE, ...present({ project, name_contains: words, cursor: pageParam }) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export interface ReadDashboard {
	readonly dashboard: Dashboard;
	/** Of what was read, to save changes of it. */
	readonly etag: string | undefined;
}

export function isBuiltIn(id: string): boolean {
	return id.startsWith("builtin:");
}

/** @param project that a built-in one is about */
export function dashboardQuery(id: string, project: string | undefined) {
	return queryOptions({
		queryKey: ["dashboard", id, isBuiltIn(id) ? project : undefined],
		queryFn: async ({ signal }): Promise<ReadDashboard> => await readDashboard(id, project, signal),
		staleTime: 30_000,
	});
}

async function readDashboard(id: string, project: string | undefined, signal: AbortSignal): Promise<ReadDashboard> {
	const query = isBuiltIn(id) && project !== undefined ? `?${new URLSearchParams({ project })}` : "";
	const response = await api.fetch(`/v1/dashboards/${encodeURIComponent(id)}${query}`, { signal });
	return await toRead(response);
}

async function toRead(response: Response): Promise<ReadDashboard> {
	const { data } = (await response.json()) as { data: Dashboard };
	return { dashboard: data, etag: response.headers.get("etag") ?? undefined };
}

/** What may be written of a dashboard. */
export function toBody(dashboard: Dashboard): DashboardBody {
	const { name, description, project_id, visibility, range, time_zone, refresh_seconds, filter } = dashboard;
	const { controls, widgets } = dashboard;
	return {
		...{ name, description, project_id, visibility, range, time_zone, refresh_seconds, filter, controls },
		widgets: widgets.map((widget) => ({ ...widget })),
	} as DashboardBody;
}

export async function createDashboard(body: DashboardBody): Promise<Dashboard> {
	return (await api.post("/v1/dashboards", { body })).data;
}

/** @throws ApiError 412 where somebody has changed it since */
export async function saveDashboard(dashboard: Dashboard, etag: string | undefined): Promise<ReadDashboard> {
	const response = await api.fetch(`/v1/dashboards/${encodeURIComponent(dashboard.id)}`, {
		method: "PUT",
		headers: { "content-type": "application/json", ...(etag === undefined ? {} : { "if-match": etag }) },
		body: JSON.stringify(toBody(dashboard)),
	});
	return await toRead(response);
}

/** The answer for a widget; some wait while others run. */
export function widgetQuery(project: string | undefined, chart: Chart, zone: string) {
	const asked = analyticsQuery(project, askedQuery(chart), zone);
	return queryOptions({
		...asked,
		queryFn: async (context) => {
			const { queryFn } = asked;
			if (typeof queryFn !== "function") throw new Error("a question is asked by a function");
			return await turns.run(async () => await queryFn(context), context.signal);
		},
	});
}

export interface ControlChoice {
	readonly label: string;
	readonly filter: string;
}

/** The most frequent values of a field, with the filters that select them. */
export function choicesQuery(project: string | undefined, field: string, range: string) {
	return queryOptions({
		queryKey: ["control-choices", project ?? null, field, range],
		queryFn: async ({ signal }): Promise<ControlChoice[]> => {
			// Across projects only groups of one project lead to a list.
			const group_by = project === undefined ? [field, "project"] : [field];
			const query = { ...{ of: "spans" as const, group_by, limit: CHOICES }, ...rangeOf(range) };
			const { series } = await ask(project, query, signal);
			const choices = series.flatMap(({ group, drill_down }) =>
				drill_down === null || drill_down.filter === ""
					? []
					: [{ label: group[0]?.label ?? "", filter: drill_down.filter }],
			);
			return [...new Map(choices.map((choice) => [choice.filter, choice])).values()];
		},
		staleTime: 60_000,
	});
}

function rangeOf(range: string) {
	return range === "all" ? { start_time: "1970-01-01T00:00:00Z" } : { range };
}

type Asked = NonNullable<Operations["get"]["/v1/analytics"]["query"]>;
async function ask(project: string | undefined, query: Asked, signal: AbortSignal) {
	if (project === undefined) return (await api.get("/v1/analytics", { query, signal })).data;
	const path = { project_identifier: project };
	const { project: _project, ...ofOne } = query;
	return (await api.get("/v1/projects/{project_identifier}/analytics", { path, query: ofOne, signal })).data;
}

/** The table of a widget as CSV. */
export async function fetchCsv(project: string | undefined, chart: Chart, zone: string): Promise<Blob> {
	const { project: projects, ...rest } = parametersOf(askedQuery(chart), zone);
	const asked = project === undefined && projects !== undefined ? { ...rest, project: projects } : rest;
	const path = project === undefined ? "/v1/analytics" : `/v1/projects/${encodeURIComponent(project)}/analytics`;
	const query = Object.entries(asked).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
	const response = await api.fetch(`${path}?${new URLSearchParams(query)}`, { headers: { accept: "text/csv" } });
	return await response.blob();
}
