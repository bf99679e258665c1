import { z } from "zod";
import type { WireAnnotation } from "#resources/annotations/schemas.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import { cursor, limit, maxTokens, nextCursor, project } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { listed, type RestPage } from "./listed.ts";

export const target = z.enum(["span", "trace", "session"]).describe("What the annotations are of.");

const AnnotationRow = z.object({
	...{ id: z.string(), target_id: z.string(), name: z.string(), annotator_kind: z.string(), identifier: z.string() },
	...{ label: z.string().nullable(), score: z.number().nullable(), explanation: z.string().nullable() },
	updated_at: z.string(),
});

const listAnnotations = defineTool({
	name: "list_annotations",
	title: "List annotations",
	description: "Scores, labels and notes that people, programs and evaluators gave to some spans, traces or sessions.",
	access: "read",
	input: z.object({
		...{ project, target },
		ids: z.array(z.string().min(1).max(4_096)).min(1).max(100).describe("Ids of the spans, traces or sessions."),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({ annotations: z.array(AnnotationRow), next_cursor: nextCursor }),
	async run(args, { rest }) {
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: `Annotations of ${args.target}s.`,
			noun: ["annotation", "annotations"],
			read: (most) =>
				rest.get<RestPage<WireAnnotation>>(`${path("v1", "projects", args.project)}/${args.target}_annotations`, {
					...{ [`${args.target}_ids`]: args.ids, limit: most, cursor: args.cursor },
				}),
			toRow: toAnnotationRow,
			toText: ({ name, label, score, explanation, annotator_kind: kind, target_id: of }) =>
				`- ${name}${label === null ? "" : ` = ${label}`}${score === null ? "" : ` (${score})`} by ${kind} of ${of}${explanation === null ? "" : `: ${explanation}`}`,
		});
		return { data: { annotations: rows, next_cursor: next }, text };
	},
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

export const ANNOTATION_TOOLS: readonly Tool[] = [listAnnotations];
