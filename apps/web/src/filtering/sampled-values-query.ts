import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

export function sampledValuesQuery(project: string) {
	return queryOptions({
		queryKey: ["sampled-values", project],
		queryFn: ({ signal }) =>
			api.get("/v1/projects/{project_identifier}/sampled_values", { path: { project_identifier: project }, signal }),
		staleTime: 60_000,
	});
}
