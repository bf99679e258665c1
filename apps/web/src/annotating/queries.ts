import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { identifierOf } from "./draft.ts";
import { type Annotation, type AnnotationResult, type AnnotationTarget, NOTE, type TargetKind } from "./types.ts";

const LIMIT = 1000;

/** All configs, of which there are few. */
export const configsQuery = queryOptions({
	queryKey: ["annotation-configs"],
	queryFn: async ({ signal }) => (await api.get("/v1/annotation_configs", { query: { limit: LIMIT }, signal })).data,
	staleTime: 30_000,
});

/** The configs that are assigned to a project. */
export function projectConfigsQuery(project: string) {
	return queryOptions({
		queryKey: ["annotation-configs", project],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/annotation_configs", {
					path: { project_identifier: project },
					query: { limit: LIMIT },
					signal,
				})
			).data,
		staleTime: 30_000,
	});
}

/** All annotations of one span, trace or session, including notes. */
export function annotationsQuery(project: string, target: Pick<AnnotationTarget, "kind" | "id">) {
	return queryOptions({
		queryKey: ["annotations", project, target.kind, target.id],
		queryFn: ({ signal }) => fetchAnnotations(project, target.kind, target.id, signal),
		staleTime: 10_000,
	});
}

async function fetchAnnotations(
	project: string,
	kind: TargetKind,
	id: string,
	signal: AbortSignal,
): Promise<readonly Annotation[]> {
	const path = { project_identifier: project };
	switch (kind) {
		case "span":
			return (
				await api.get("/v1/projects/{project_identifier}/span_annotations", {
					path,
					query: { span_ids: [id], limit: LIMIT },
					signal,
				})
			).data;
		case "trace":
			return (
				await api.get("/v1/projects/{project_identifier}/trace_annotations", {
					path,
					query: { trace_ids: [id], limit: LIMIT },
					signal,
				})
			).data;
		case "session":
			return (
				await api.get("/v1/projects/{project_identifier}/session_annotations", {
					path,
					query: { session_ids: [id], limit: LIMIT },
					signal,
				})
			).data;
	}
}

/** The content of an annotation to be written. */
export type Written = Pick<Annotation, "name" | "annotator_kind"> & {
	readonly identifier: string;
	readonly result: AnnotationResult;
	readonly metadata: Record<string, unknown> | null;
};

export function written(name: string, result: AnnotationResult, userId: string | undefined): Written {
	return { name, result, annotator_kind: "HUMAN", identifier: identifierOf(userId), metadata: null };
}

/** The content for writing an annotation again as it was. */
export function asWritten(annotation: Annotation): Written {
	return {
		name: annotation.name,
		annotator_kind: annotation.annotator_kind,
		identifier: annotation.identifier ?? "",
		result: annotation.result ?? {},
		metadata: (annotation.metadata as Record<string, unknown> | null | undefined) ?? null,
	};
}

/** Writes annotations, replacing those with the same name and identifier. @returns their ids, in order */
export async function writeAnnotations(
	project: string,
	{ kind, id }: AnnotationTarget,
	list: readonly Written[],
): Promise<readonly string[]> {
	const query = { project, sync: true };
	switch (kind) {
		case "span": {
			const data = list.map((each) => ({ ...each, span_id: id }));
			return (await api.post("/v1/span_annotations", { query, body: { data } })).data.map((each) => each.id);
		}
		case "trace": {
			const data = list.map((each) => ({ ...each, trace_id: id }));
			return (await api.post("/v1/trace_annotations", { query, body: { data } })).data.map((each) => each.id);
		}
		case "session": {
			const data = list.map((each) => ({ ...each, session_id: id }));
			return (await api.post("/v1/session_annotations", { query, body: { data } })).data.map((each) => each.id);
		}
	}
}

/** @returns the id of the note */
export async function writeNote(project: string, { kind, id }: AnnotationTarget, note: string): Promise<string> {
	const query = { project };
	switch (kind) {
		case "span":
			return (await api.post("/v1/span_notes", { query, body: { data: { span_id: id, note } } })).data.id;
		case "trace":
			return (await api.post("/v1/trace_notes", { query, body: { data: { trace_id: id, note } } })).data.id;
		case "session":
			return (await api.post("/v1/session_notes", { query, body: { data: { session_id: id, note } } })).data.id;
	}
}

/** Writes a deleted annotation or note again. */
export async function restore(project: string, target: AnnotationTarget, annotation: Annotation): Promise<void> {
	if (annotation.name === NOTE) await writeNote(project, target, annotation.result?.explanation ?? "");
	else await writeAnnotations(project, target, [asWritten(annotation)]);
}

export async function deleteAnnotation(id: string): Promise<void> {
	await api.delete("/v1/annotations/{annotation_id}", { path: { annotation_id: id } });
}
