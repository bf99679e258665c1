import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** Attributes that the newest rows have, the most frequent first. */
export function attributeKeysQuery(project: string, of: "spans" | "traces" | "sessions") {
	return queryOptions({
		queryKey: ["attribute-keys", project, of],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/attribute_keys", {
					path: { project_identifier: project },
					query: { of },
					signal,
				})
			).data,
		staleTime: 60_000,
	});
}
