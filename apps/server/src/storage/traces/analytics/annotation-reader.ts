import type { SQLInputValue } from "node:sqlite";
import type { AnnotatorKind } from "#storage/schema.ts";
import type { Conditions } from "../filter/conditions.ts";
import type { Range, TraceRows } from "./analytics-query.ts";

/** Which annotations are read: those of the spans, traces or sessions of a project, without those of documents. */
export interface AnnotationChoice {
	readonly projectId: number;
	readonly of: TraceRows;
	/** Any name when absent. */
	readonly names?: readonly string[];
	readonly annotatorKinds?: readonly AnnotatorKind[];
}

export interface AnnotationRow {
	readonly target_row_id: number;
	readonly name: string;
	readonly identifier: string;
	readonly annotator_kind: string;
	readonly label: string | null;
	readonly score: number | null;
}

/** A span, trace or session that has annotations. */
export interface AnnotatedRow {
	readonly id: number;
	readonly start_micros: number;
}

/** Annotations of a store, which may be in another database than traces. */
export interface AnnotationReader {
	/** The rows with a chosen annotation that start in the range, in any order; undefined where looking for them takes too long. */
	annotated(choice: AnnotationChoice, range: Range): Promise<readonly AnnotatedRow[] | undefined>;
	/** The chosen annotations of these rows. */
	annotationsOf(
		choice: Omit<AnnotationChoice, "projectId">,
		rowIds: readonly number[],
	): Promise<readonly AnnotationRow[]>;
}

/** Of a project. With more of them, its rows are read in the order of time, and the annotations of each page. */
export const MOST_ANNOTATIONS = 100_000;

export const TARGET_OF = { spans: "span", traces: "trace", sessions: "session" } as const;

/** Of SQLite and PostgreSQL, where annotations are in the same database. */
export function sqlAnnotationReader<Extra>(
	conditions: () => Conditions<Extra>,
	select: <Row>(sql: string, values: readonly (SQLInputValue | Extra)[]) => Promise<Row[]>,
): AnnotationReader {
	const chosen = ({ of, names, annotatorKinds }: Omit<AnnotationChoice, "projectId">) =>
		conditions()
			.add("target = ?", TARGET_OF[of])
			.add("document_position = -1")
			.addIn("name", names)
			.addIn("annotator_kind", annotatorKinds);
	return {
		annotated: async (choice, range) => {
			const where = chosen(choice).add("project_id = ?", choice.projectId);
			const found = await select<{ id: number }>(
				`select target_row_id as id from annotations where ${where.sql} limit ${MOST_ANNOTATIONS + 1}`,
				where.values,
			);
			if (found.length > MOST_ANNOTATIONS) return undefined;
			const ids = [...new Set(found.map(({ id }) => id))];
			// No index but that of the row numbers is to be taken.
			const inProject = conditions()
				.addIn("id", ids)
				.add("project_id + 0 = ?", choice.projectId)
				.addTimeRange("start_micros", range);
			return await select(`select id, start_micros from ${choice.of} where ${inProject.sql}`, inProject.values);
		},
		annotationsOf: async (choice, rowIds) => {
			const where = chosen(choice).addIn("target_row_id", rowIds);
			return await select(
				`select target_row_id, name, identifier, annotator_kind, label, score from annotations where ${where.sql}`,
				where.values,
			);
		},
	};
}
