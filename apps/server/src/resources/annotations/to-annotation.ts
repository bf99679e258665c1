import type { Selectable } from "kysely";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { Entity } from "#storage/traces/entity.ts";
import { kindOf } from "./kinds.ts";
import type { WireAnnotation } from "./schemas.ts";

export type AnnotationRow = Selectable<Tables["annotations"]>;

/** The wire form of a row; `entity` is its target. */
export function toAnnotation(row: AnnotationRow, entity: Entity): WireAnnotation {
	const common = {
		id: encodeGlobalId(kindOf(row.target).idType, row.id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		name: row.name,
		...toContent(row),
		identifier: row.identifier,
	};
	switch (row.target) {
		case "span":
			return { ...common, span_id: entity.id };
		case "trace":
			return { ...common, trace_id: entity.id };
		case "session":
			return { ...common, session_id: entity.id };
		case "document":
			return { ...common, span_id: entity.id, document_position: row.document_position };
	}
}

type Content = Pick<
	AnnotationRow,
	"annotator_kind" | "label" | "score" | "explanation" | "metadata" | "source" | "user_id"
>;

/** The wire form of an annotation's content and author. */
export function toContent(row: Content) {
	return {
		annotator_kind: row.annotator_kind,
		result: { label: row.label, score: row.score, explanation: row.explanation },
		metadata: fromJsonText(row.metadata),
		source: row.source,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
	};
}
