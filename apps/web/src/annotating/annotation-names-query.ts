import type { AnnotationNames } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** A name that annotations of a project have. */
export type AnnotationName = AnnotationNames["data"][number];

/** The names of all annotations of a project, by target. */
export function annotationNamesQuery(project: string) {
	return queryOptions({
		queryKey: ["annotation-names", project],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project };
			return (await api.get("/v1/projects/{project_identifier}/annotation_names", { path, signal })).data;
		},
		staleTime: 60_000,
	});
}

export const NO_NAMES: readonly AnnotationName[] = [];
