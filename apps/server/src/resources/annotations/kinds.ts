import type { z } from "zod";
import type { IdType } from "#http/global-ids.ts";
import type { AnnotationTarget } from "#storage/schema.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import {
	type AnnotationListParams,
	batchOf,
	DocumentAnnotationPage,
	type NewAnnotation,
	NewDocumentAnnotation,
	type NewNote,
	NewSessionAnnotation,
	NewSessionNote,
	NewSpanAnnotation,
	NewSpanNote,
	NewTraceAnnotation,
	NewTraceNote,
	SessionAnnotationListQuery,
	SessionAnnotationPage,
	SpanAnnotationListQuery,
	SpanAnnotationPage,
	TraceAnnotationListQuery,
	TraceAnnotationPage,
} from "./schemas.ts";

/** The global id type of each kind of entity. */
export const ENTITY_ID_TYPES: Readonly<Record<EntityKind, IdType>> = {
	span: "Span",
	trace: "Trace",
	session: "ProjectSession",
};

/** One of the four kinds of annotation: what it is called, and what its routes take and answer. */
export interface AnnotationKind {
	readonly target: AnnotationTarget;
	/** The kind of entity that it is stored with: a document is part of a span. */
	readonly entity: EntityKind;
	readonly idType: IdType;
	/** Of `Spans with IDs a, b do not exist.` */
	readonly plural: string;
	readonly idsParam: string;
	readonly body: z.ZodType<{ data: NewAnnotation[] }>;
	readonly listQuery: z.ZodType<AnnotationListParams>;
	readonly page: z.ZodType;
	readonly operations: { readonly annotate: string; readonly list: string; readonly remove: string };
}

export const ANNOTATION_KINDS: readonly AnnotationKind[] = [
	{
		target: "span",
		entity: "span",
		idType: "SpanAnnotation",
		plural: "Spans",
		idsParam: "span_ids",
		body: batchOf(NewSpanAnnotation),
		listQuery: SpanAnnotationListQuery,
		page: SpanAnnotationPage,
		operations: {
			annotate: "annotateSpans",
			list: "listSpanAnnotationsBySpanIds",
			remove: "deleteSpanAnnotations",
		},
	},
	{
		target: "trace",
		entity: "trace",
		idType: "TraceAnnotation",
		plural: "Traces",
		idsParam: "trace_ids",
		body: batchOf(NewTraceAnnotation),
		listQuery: TraceAnnotationListQuery,
		page: TraceAnnotationPage,
		operations: {
			annotate: "annotateTraces",
			list: "listTraceAnnotationsByTraceIds",
			remove: "deleteTraceAnnotations",
		},
	},
	{
		target: "session",
		entity: "session",
		idType: "ProjectSessionAnnotation",
		plural: "Sessions",
		idsParam: "session_ids",
		body: batchOf(NewSessionAnnotation),
		listQuery: SessionAnnotationListQuery,
		page: SessionAnnotationPage,
		operations: {
			annotate: "annotateSessions",
			list: "listSessionAnnotationsBySessionIds",
			remove: "deleteSessionAnnotations",
		},
	},
	{
		target: "document",
		entity: "span",
		idType: "DocumentAnnotation",
		plural: "Spans",
		idsParam: "span_ids",
		body: batchOf(NewDocumentAnnotation),
		listQuery: SpanAnnotationListQuery,
		page: DocumentAnnotationPage,
		operations: {
			annotate: "annotateSpanDocuments",
			list: "listDocumentAnnotationsBySpanIds",
			remove: "deleteDocumentAnnotations",
		},
	},
];

export const NOTE_KINDS = [
	{ target: "span", body: NewSpanNote, operation: "createSpanNote" },
	{ target: "trace", body: NewTraceNote, operation: "createTraceNote" },
	{ target: "session", body: NewSessionNote, operation: "createSessionNote" },
] as const satisfies readonly { target: EntityKind; body: z.ZodType<NewNote>; operation: string }[];

export function kindOf(target: AnnotationTarget): AnnotationKind {
	const kind = ANNOTATION_KINDS.find((item) => item.target === target);
	if (kind === undefined) throw new Error(`there are no annotations of a ${target}`);
	return kind;
}
