import type { AnnotationNames } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** A name that annotations of a project have. */
export type AnnotationName = AnnotationNames["data"][number];

const NONE: readonly AnnotationName[] = [];

/** The names of all annotations of a project, by target; none before they are known or wanted. */
export function useAnnotationNames(project: string, isWanted: boolean): readonly AnnotationName[] {
	const { data } = useQuery({
		queryKey: ["annotation-names", project],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project };
			return (await api.get("/v1/projects/{project_identifier}/annotation_names", { path, signal })).data;
		},
		staleTime: 60_000,
		enabled: isWanted,
	});
	return data ?? NONE;
}
