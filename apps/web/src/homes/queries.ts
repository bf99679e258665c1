import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** Whether a project, or the library, is restricted, and one's own role there. */
export function homeAccessQuery(projectId: string | undefined) {
	return queryOptions({
		queryKey: ["home-access", projectId ?? "library"],
		queryFn: async ({ signal }) => {
			if (projectId === undefined) return (await api.get("/v1/library/access", { signal })).data;
			const path = { project_identifier: projectId };
			return (await api.get("/v1/projects/{project_identifier}/access", { path, signal })).data;
		},
		staleTime: 30_000,
	});
}
