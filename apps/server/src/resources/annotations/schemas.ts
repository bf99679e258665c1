import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { pageSchema } from "#http/cursors.ts";
import { jsonObject, toJsonText } from "#http/json-values.ts";
import { booleanParam, cursorParam, limitParam, repeated, textParam } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { ANNOTATOR_KINDS, type AnnotatorKind } from "#storage/schema.ts";

/** Annotations of one request. */
const MAX_BATCH = 50_000;
const MAX_METADATA = 65_536;
const MAX_EXPLANATION = 65_536;

const annotatorKind = z.enum(ANNOTATOR_KINDS);
const identifier = storedText(1_000);

/** NaN and the infinities, which some JSON writers send as numbers out of range, become null. */
const score = z.preprocess((value) => {
	if (typeof value === "bigint") return Number(value);
	return typeof value === "number" && !Number.isFinite(value) ? null : value;
}, z.number().nullish());

const result = z
	.object({
		label: storedText(1_000).nullish(),
		score,
		explanation: storedText(MAX_EXPLANATION).nullish(),
	})
	.meta({ id: "NewAnnotationResult" });

const metadata = jsonObject.transform((value, context) => {
	const text = toJsonText(value);
	if (text.length <= MAX_METADATA) return text;
	context.addIssue({ code: "custom", message: `metadata is longer than ${MAX_METADATA} characters of JSON` });
	return z.NEVER;
});

const given = {
	name: storedName,
	annotator_kind: annotatorKind,
	result: result.nullish(),
	metadata: metadata.nullish().describe("An object."),
	identifier: identifier
		.nullish()
		.describe(
			"Distinguishes annotations of one name on one target; the same identifier again replaces the annotation.",
		),
};
const targetId = storedText(4_096);
const position = z.int().gte(0).lte(1_000_000);

export const NewSpanAnnotation = z
	.object({
		...given,
		span_id: targetId.describe("As it was sent: 16 hex digits, or another text; or the span's global id."),
	})
	.meta({ id: "NewSpanAnnotation" })
	.transform(({ span_id, ...rest }) => toNew(span_id, rest));

export const NewTraceAnnotation = z
	.object({
		...given,
		trace_id: targetId.describe("As it was sent: 32 hex digits, or another text; or the trace's global id."),
	})
	.meta({ id: "NewTraceAnnotation" })
	.transform(({ trace_id, ...rest }) => toNew(trace_id, rest));

export const NewSessionAnnotation = z
	.object({ ...given, session_id: targetId.describe("The application's session id, or the session's global id.") })
	.meta({ id: "NewSessionAnnotation" })
	.transform(({ session_id, ...rest }) => toNew(session_id, rest));

export const NewDocumentAnnotation = z
	.object({ ...given, span_id: targetId, document_position: position.describe("From 0.") })
	.meta({ id: "NewDocumentAnnotation" })
	.transform(({ span_id, document_position, ...rest }) => toNew(span_id, rest, document_position));

type Given = z.output<z.ZodObject<typeof given>>;

/** An annotation of targets that the request names elsewhere. */
export const AnnotationOfSelection = z
	.object(given)
	.meta({ id: "AnnotationOfSelection" })
	.transform((rest) => toNew("", rest));

/** An annotation as requested, for a target of any kind. */
export interface NewAnnotation {
	/** As it was sent. */
	readonly targetId: string;
	/** -1 except for documents. */
	readonly documentPosition: number;
	readonly name: string;
	readonly identifier: string;
	readonly annotatorKind: AnnotatorKind;
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
	/** JSON */
	readonly metadata: string;
}

function toNew(target: string, rest: Given, documentPosition = -1): NewAnnotation {
	return {
		targetId: target,
		documentPosition,
		name: rest.name,
		identifier: rest.identifier ?? "",
		annotatorKind: rest.annotator_kind,
		label: rest.result?.label ?? null,
		score: rest.result?.score ?? null,
		explanation: rest.result?.explanation ?? null,
		metadata: rest.metadata ?? "{}",
	};
}

/** The body of a request that annotates. */
export function batchOf<T extends z.ZodType<NewAnnotation>>(item: T) {
	return z.object({ data: bodyList(item, { max: MAX_BATCH }) });
}

const note = storedText(MAX_EXPLANATION).trim().min(1);
const noteIdentifier = identifier
	.trim()
	.nullish()
	.describe("The same identifier again replaces the note; without one, it is a new note.");

/** A note, for a target of any kind. */
export interface NewNote {
	readonly targetId: string;
	readonly note: string;
	/** Empty for a new note. */
	readonly identifier: string;
}

export const NewSpanNote = z
	.object({ data: z.object({ span_id: targetId, note, identifier: noteIdentifier }) })
	.transform(({ data }): NewNote => toNote(data.span_id, data));
export const NewTraceNote = z
	.object({ data: z.object({ trace_id: targetId, note, identifier: noteIdentifier }) })
	.transform(({ data }): NewNote => toNote(data.trace_id, data));
export const NewSessionNote = z
	.object({ data: z.object({ session_id: targetId, note, identifier: noteIdentifier }) })
	.transform(({ data }): NewNote => toNote(data.session_id, data));

function toNote(targetId: string, data: { note: string; identifier?: string | null | undefined }): NewNote {
	return { targetId, note: data.note, identifier: data.identifier ?? "" };
}

const InsertedAnnotation = z.object({ id: z.string() }).meta({ id: "InsertedAnnotation" });
export const InsertedAnnotations = z.object({
	data: z.array(InsertedAnnotation).describe("In the order of the request; empty unless `sync`."),
});
export const InsertedNote = z.object({ data: InsertedAnnotation });

const AnnotationResult = z
	.object({ label: z.string().nullable(), score: z.number().nullable(), explanation: z.string().nullable() })
	.meta({ id: "AnnotationResult" });

const stored = {
	id: z.string(),
	created_at: wireTime,
	updated_at: wireTime,
	source: z.enum(["API", "APP"]).describe("APP: by somebody who was logged in."),
	user_id: z
		.string()
		.nullable()
		.describe("The owner: the author, or the admin who overwrote it; null without authentication."),
	name: z.string().describe("`note` for notes."),
	annotator_kind: annotatorKind,
	result: AnnotationResult,
	metadata: z.unknown().meta({ type: "object", additionalProperties: true }),
	identifier: z.string(),
};

export const SpanAnnotation = z.object({ ...stored, span_id: z.string() }).meta({ id: "SpanAnnotation" });
export const TraceAnnotation = z.object({ ...stored, trace_id: z.string() }).meta({ id: "TraceAnnotation" });
export const SessionAnnotation = z.object({ ...stored, session_id: z.string() }).meta({ id: "SessionAnnotation" });
export const DocumentAnnotation = z
	.object({ ...stored, span_id: z.string(), document_position: z.int() })
	.meta({ id: "DocumentAnnotation" });

export const SpanAnnotationPage = pageSchema(SpanAnnotation).meta({ id: "SpanAnnotationPage" });
export const TraceAnnotationPage = pageSchema(TraceAnnotation).meta({ id: "TraceAnnotationPage" });
export const SessionAnnotationPage = pageSchema(SessionAnnotation).meta({ id: "SessionAnnotationPage" });
export const DocumentAnnotationPage = pageSchema(DocumentAnnotation).meta({ id: "DocumentAnnotationPage" });

export type WireAnnotation = z.output<
	typeof SpanAnnotation | typeof TraceAnnotation | typeof SessionAnnotation | typeof DocumentAnnotation
>;

export const OneAnnotation = z
	.object({ data: z.union([SpanAnnotation, TraceAnnotation, SessionAnnotation, DocumentAnnotation]) })
	.meta({ id: "OneAnnotation" });

/** Absent members stay as they are, null clears. */
export const UpdateAnnotationBody = z
	.object({
		annotator_kind: annotatorKind.optional(),
		result: result.nullish(),
		metadata: metadata.nullish(),
	})
	.meta({ id: "UpdateAnnotation" });

const listFilters = {
	identifier: repeated(textParam.min(1)),
	include_annotation_names: repeated(textParam).describe("Only these names."),
	exclude_annotation_names: repeated(textParam).describe("Not these names, such as `note`."),
	cursor: cursorParam,
	limit: limitParam(10, 10_000),
};

/** Which annotations a list shows. */
export interface AnnotationListParams {
	readonly targetIds: readonly string[];
	readonly identifiers: readonly string[];
	readonly includeNames: readonly string[];
	readonly excludeNames: readonly string[];
	readonly cursor: string | undefined;
	readonly limit: number;
}

interface ListFilters {
	readonly identifier?: string[] | undefined;
	readonly include_annotation_names?: string[] | undefined;
	readonly exclude_annotation_names?: string[] | undefined;
	readonly cursor?: string | undefined;
	readonly limit: number;
}

function toListParams(query: ListFilters, ids: string[] | undefined): AnnotationListParams {
	return {
		targetIds: ids ?? [],
		identifiers: query.identifier ?? [],
		includeNames: query.include_annotation_names ?? [],
		excludeNames: query.exclude_annotation_names ?? [],
		cursor: query.cursor,
		limit: query.limit,
	};
}

const ids = repeated(textParam);
export const SpanAnnotationListQuery = z
	.object({ span_ids: ids.describe("As they were sent, or global ids."), ...listFilters })
	.transform(({ span_ids, ...rest }) => toListParams(rest, span_ids));
export const TraceAnnotationListQuery = z
	.object({ trace_ids: ids.describe("As they were sent, or global ids."), ...listFilters })
	.transform(({ trace_ids, ...rest }) => toListParams(rest, trace_ids));
export const SessionAnnotationListQuery = z
	.object({ session_ids: ids.describe("The application's session ids, or global ids."), ...listFilters })
	.transform(({ session_ids, ...rest }) => toListParams(rest, session_ids));

export const DeleteAnnotationsQuery = z.object({
	name: textParam.optional(),
	identifier: textParam.min(1).optional(),
	annotator_kind: annotatorKind.optional(),
	start_time: timeParam.optional().describe("Inclusive, on `created_at`."),
	end_time: timeParam.optional().describe("Exclusive, on `created_at`."),
	delete_all: booleanParam.default(false).describe("Required unless both times are given."),
});

/** An annotation in lists of traces, spans and sessions, which `include=annotations` adds. */
export const ShownAnnotation = z
	.object({
		id: z.string(),
		target: z.enum(["span", "trace", "session"]),
		name: z.string(),
		annotator_kind: annotatorKind,
		result: AnnotationResult.describe("The explanation is cut to 2,000 characters."),
		identifier: z.string(),
		source: z.enum(["API", "APP"]),
		user_id: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ShownAnnotation" });

/** Fields of a list's items; present with `include=annotations`. */
export const shownAnnotations = {
	annotations: z.array(ShownAnnotation).optional().describe("The newest first, at most 20."),
	annotation_count: z.int().optional().describe("How many there are, shown or not."),
};

export const WaitingAnnotation = z
	.object({
		id: z.string(),
		target: z.enum(["span", "trace", "session", "document"]),
		target_id: z.string().describe("Of the span, trace or session, as it was sent, in lower case where it is hex."),
		document_position: z.int().nullable(),
		project_id: z.string().nullable().describe("Null: any project."),
		name: z.string(),
		annotator_kind: annotatorKind,
		result: AnnotationResult,
		metadata: z.unknown().meta({ type: "object", additionalProperties: true }),
		identifier: z.string(),
		source: z.enum(["API", "APP"]),
		user_id: z.string().nullable(),
		created_at: wireTime,
		reason: z.string().describe("What it waits for."),
	})
	.meta({ id: "WaitingAnnotation" });

export const WaitingAnnotationPage = pageSchema(WaitingAnnotation).meta({ id: "WaitingAnnotationPage" });
