import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { config } from "./config.ts";

/** What is asked for with projects: who may do what there, unless everybody may everything. */
export const WITH_ACCESS = config.auth.enabled ? (["access"] as const) : [];

/** The projects, newest first, those whose name contains the words. */
export function projectPages(nameContains: string | undefined) {
	return infiniteQueryOptions({
		queryKey: ["projects", { nameContains }],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects", {
				query: {
					limit: 50,
					include: [...WITH_ACCESS],
					...(nameContains ? { name_contains: nameContains } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

/** A project, with the user's role there. */
export function projectQuery(project: string) {
	return queryOptions({
		queryKey: ["project", project],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}", {
					path: { project_identifier: project },
					query: { include: [...WITH_ACCESS] },
					signal,
				})
			).data,
		staleTime: 60_000,
	});
}
