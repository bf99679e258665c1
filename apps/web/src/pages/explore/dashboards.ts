import type { Dashboard } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { askedQuery, type Chart } from "../../analytics/chart.ts";
import { api } from "../../lib/api.ts";

const LISTED = 100;
/** Of a new widget, in columns and rows of the grid. */
const SIZE = { w: 6, h: 5 };

/** Dashboards that a chart may be added to, the first ones of many. */
export function ownDashboardsQuery(project: string | undefined) {
	return queryOptions({
		queryKey: ["dashboards", "own", project],
		queryFn: async ({ signal }) => {
			const query = { limit: LISTED, ...(project === undefined ? {} : { project }) };
			const { data } = await api.get("/v1/dashboards", { query, signal });
			return data.filter(({ is_built_in }) => !is_built_in);
		},
	});
}

export interface NewWidget {
	/** Its name or id; undefined across projects. */
	readonly project: string | undefined;
	readonly chart: Chart;
	readonly title: string;
	/** An own dashboard, or the name of a new one. */
	readonly to: { readonly id: string } | { readonly name: string };
}

/** Adds a chart below all other widgets. @throws ApiError 412 where somebody changes the dashboard at that moment */
export async function addToDashboard({ project, chart, title, to }: NewWidget): Promise<Dashboard> {
	if ("name" in to) {
		const { range } = chart.query;
		const widgets = [widgetOf(chart, title, 0)];
		const body = { name: to.name, project_id: project ?? null, ...(range ? { range } : {}), widgets };
		return (await api.post("/v1/dashboards", { body })).data;
	}
	const path = `/v1/dashboards/${encodeURIComponent(to.id)}`;
	const read = await api.fetch(path);
	const { data } = (await read.json()) as { data: Dashboard };
	const { name, description, project_id, visibility, range, time_zone, refresh_seconds, filter, controls } = data;
	const end = Math.max(0, ...data.widgets.map(({ layout }) => layout.y + layout.h));
	const response = await api.fetch(path, {
		method: "PUT",
		headers: { "content-type": "application/json", "if-match": read.headers.get("etag") ?? "*" },
		body: JSON.stringify({
			...{ name, description, project_id, visibility, range, time_zone, refresh_seconds, filter, controls },
			widgets: [...data.widgets, widgetOf(chart, title, end)],
		}),
	});
	return ((await response.json()) as { data: Dashboard }).data;
}

/** Its time range is that of the dashboard. */
function widgetOf(chart: Chart, title: string, y: number) {
	const { project, range: _range, start_time: _start, end_time: _end, ...query } = askedQuery(chart);
	const { thresholds, ...display } = chart.display;
	return {
		key: crypto.randomUUID().slice(0, 8),
		...{ kind: chart.kind, title, text: null },
		display: { ...display, ...(thresholds ? { thresholds: thresholds.map((each) => ({ ...each })) } : {}) },
		query: { ...query, ...(project === undefined ? {} : { projects: project }) },
		layout: { x: 0, y, ...SIZE },
	};
}
