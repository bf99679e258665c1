import type { View } from "@spanward/client";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import type { ViewPage } from "./list-state.ts";

/** The most that there may be. */
const ALL = 1_000;

/** The views of a list: those of the project and those of every project, by name. */
export function viewsQuery(project: string, page: ViewPage) {
	return queryOptions({
		queryKey: ["views", project, page],
		queryFn: async ({ signal }) => {
			const views: View[] = [];
			for (let cursor: string | null | undefined; cursor !== null; ) {
				const query = { project, page, limit: ALL, ...(cursor ? { cursor } : {}) };
				const { data, next_cursor } = await api.get("/v1/views", { query, signal });
				views.push(...data);
				cursor = next_cursor;
			}
			return views.toSorted((a, b) => a.name.localeCompare(b.name));
		},
	});
}

export function viewQuery(id: string) {
	return queryOptions({
		queryKey: ["view", id],
		queryFn: async ({ signal }) => (await api.get("/v1/views/{view_id}", { path: { view_id: id }, signal })).data,
	});
}

/** The ids of the views that the lists of a project open with. */
export function defaultViewsQuery(project: string) {
	return queryOptions({
		queryKey: ["default-views", project],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/default_views", {
					path: { project_identifier: project },
					signal,
				})
			).data,
		staleTime: 60_000,
	});
}

/** After a view was made, changed or deleted. */
export async function refreshViews(queries: QueryClient, changed?: View): Promise<void> {
	if (changed) queries.setQueryData(viewQuery(changed.id).queryKey, changed);
	await Promise.all(["views", "default-views"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
