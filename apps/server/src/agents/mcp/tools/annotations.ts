import { z } from "zod";
import type { WireAnnotation } from "#resources/annotations/schemas.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import { idempotencyKey, project } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { defineListTool, type RestPage } from "./listed.ts";

const target = z.enum(["span", "trace", "session"]).describe("What the annotations are of.");

const AnnotationRow = z.object({
	...{ id: z.string(), target_id: z.string(), name: z.string(), annotator_kind: z.string(), identifier: z.string() },
	...{ label: z.string().nullable(), score: z.number().nullable(), explanation: z.string().nullable() },
	updated_at: z.string(),
});

const listAnnotations = defineListTool({
	name: "list_annotations",
	title: "List annotations",
	description: "Scores, labels and notes that people, programs and evaluators gave to some spans, traces or sessions.",
	input: z.object({
		...{ project, target },
		ids: z.array(z.string().min(1).max(4_096)).min(1).max(100).describe("Ids of the spans, traces or sessions."),
	}),
	...{ member: "annotations", row: AnnotationRow, noun: ["annotation", "annotations"] },
	heading: (args) => `Annotations of ${args.target}s.`,
	read: (args, page, { rest }) =>
		rest.get<RestPage<WireAnnotation>>(`${path("v1", "projects", args.project)}/${args.target}_annotations`, {
			...{ [`${args.target}_ids`]: args.ids, ...page },
		}),
	toRow: toAnnotationRow,
	toText: ({ name, label, score, explanation, annotator_kind: kind, target_id: of }) =>
		`- ${name}${label === null ? "" : ` = ${label}`}${score === null ? "" : ` (${score})`} by ${kind} of ${of}${explanation === null ? "" : `: ${explanation}`}`,
});

function toAnnotationRow(annotation: WireAnnotation): z.output<typeof AnnotationRow> {
	const { label, score, explanation } = annotation.result;
	const of =
		"trace_id" in annotation
			? annotation.trace_id
			: "session_id" in annotation
				? annotation.session_id
				: annotation.span_id;
	return {
		...{ id: annotation.id, target_id: visibleLine(of, 255), name: visibleLine(annotation.name, 200) },
		...{ annotator_kind: annotation.annotator_kind, identifier: visibleLine(annotation.identifier, 200) },
		label: label === null ? null : visibleLine(label, 200),
		score,
		explanation: explanation === null ? null : visibleLine(explanation, 500),
		updated_at: annotation.updated_at,
	};
}

const targetId = z.string().min(1).max(4_096).describe("Id of the span, trace or session.");
const written = z.object({ id: z.string().describe("Of the annotation."), ...{ target, target_id: z.string() } });

const annotate = defineTool({
	name: "annotate",
	title: "Annotate a span, trace or session",
	description:
		"Gives a score, a label, or both, to one span, trace or session. The same name and identifier again replaces what you gave before. Ask the person before you use it, unless they told you to.",
	access: "annotate",
	idempotent: true,
	destructive: true,
	input: z.object({
		...{ project, target, target_id: targetId },
		name: z.string().min(1).max(1_000).describe("What is judged, such as correctness."),
		label: z.string().max(1_000).optional(),
		score: z.number().optional(),
		explanation: z.string().max(10_000).optional(),
		identifier: z.string().max(1_000).optional().describe("Tells several annotations of one name on one target apart."),
	}),
	output: written,
	async run(args, { rest }) {
		const { data } = await rest.post<{ data: { id: string }[] }>(
			`/v1/${args.target}_annotations?${new URLSearchParams({ sync: "true", project: args.project })}`,
			{
				data: [
					{
						...{ [`${args.target}_id`]: args.target_id, name: args.name, annotator_kind: "AGENT" },
						result: { label: args.label, score: args.score, explanation: args.explanation },
						identifier: args.identifier,
					},
				],
			},
		);
		const [{ id } = { id: "" }] = data;
		return {
			data: { id, target: args.target, target_id: args.target_id },
			text: `Annotated the ${args.target}; the annotation's id is ${id}.`,
		};
	},
});

const addNote = defineTool({
	name: "add_note",
	title: "Write a note",
	description:
		"Writes a note to one span, trace or session, for the people who look at it. Ask the person before you use it, unless they told you to.",
	access: "annotate",
	input: z.object({
		...{ project, target, target_id: targetId },
		note: z.string().min(1).max(10_000),
		idempotency_key: idempotencyKey,
	}),
	output: written,
	async run(args, { rest }) {
		const { data } = await rest.post<{ data: { id: string } }>(
			`/v1/${args.target}_notes?${new URLSearchParams({ project: args.project })}`,
			{ data: { [`${args.target}_id`]: args.target_id, note: args.note } },
			args.idempotency_key,
		);
		return {
			data: { id: data.id, target: args.target, target_id: args.target_id },
			text: `Wrote the note; its id is ${data.id}.`,
		};
	},
});

export const ANNOTATION_TOOLS: readonly Tool[] = [listAnnotations];
export const ANNOTATING_TOOLS: readonly Tool[] = [annotate, addNote];
