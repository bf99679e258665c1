import { z } from "zod";
import type { SpanDetailAnswer, Span as SpanSchema } from "#resources/spans/schemas.ts";
import { byteLength, bytesOfTokens, costText, counted, durationText } from "#resources/text-forms/budget.ts";
import { type Content, contentLines, fitContents } from "#resources/text-forms/contents.ts";
import {
	errorContents,
	inputContents,
	jsonText,
	messageContents,
	outputContents,
} from "#resources/text-forms/span-contents.ts";
import { fence, safeId, visibleLine } from "#resources/text-forms/untrusted.ts";
import { link, maxTokens, project, spanId, traceId } from "../arguments.ts";
import { path, type Rest, RestRefusal } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { RestPage } from "./listed.ts";

type SpanDetail = z.output<typeof SpanDetailAnswer>["data"];
type Part = z.output<typeof part>;

const PARTS = ["messages", "input", "output", "error", "attributes", "events", "logs"] as const;
const part = z.enum(PARTS);
const count = z.int();
/** Of the heading, the fence and the members that name what is missing. */
const FRAME_BYTES = 500;

const CONTENTS: Readonly<Record<Part, (span: SpanDetail) => Content[]>> = {
	messages: ({ semantic }) => {
		const { given, gave } = messageContents(semantic);
		return [...given, ...gave];
	},
	input: ({ semantic }) => inputContents(semantic),
	output: ({ semantic }) => outputContents(semantic),
	error: ({ semantic }) => errorContents(semantic),
	attributes: ({ attributes }) =>
		Object.entries(attributes as Readonly<Record<string, unknown>>).map(([key, value]) => ({
			title: key,
			text: jsonText(value),
		})),
	events: ({ events }) =>
		events.map(({ name, timestamp, attributes }) => ({
			title: `event ${name} at ${timestamp}`,
			text: jsonText(attributes),
		})),
	logs: ({ log_events: logs }) =>
		logs.map(({ event_name: name, timestamp, body, attributes }) => ({
			title: `log ${name} at ${timestamp}`,
			text: [jsonText(body), jsonText(attributes)].join("\n"),
		})),
};

const getSpan = defineTool({
	name: "get_span",
	title: "Read a span",
	description:
		"What one span was given, gave, and failed with, by parts. Long texts keep their head and tail; ask for one part with a larger max_tokens to read more of it. Without trace_id the span is looked for in the project.",
	access: "read",
	input: z.object({
		project,
		span_id: spanId,
		trace_id: traceId.optional(),
		parts: z.array(part).min(1).default(["error", "input", "output"]).describe("What to read of it."),
		max_tokens: maxTokens,
	}),
	output: z.object({
		span: z.object({
			...{ span_id: z.string(), trace_id: z.string(), parent_id: z.string().nullable() },
			...{ name: z.string(), span_kind: z.string(), status_code: z.string(), status_message: z.string() },
			...{ start_time: z.string(), latency_ms: z.number().nullable(), model: z.string().nullable() },
			...{ token_count_total: count.nullable(), total_cost: z.number().nullable() },
		}),
		contents: z.array(z.object({ part, title: z.string(), text: z.string() })),
		left_out: count.describe("Pieces that had no place."),
		absent: z.array(part).describe("Parts that the span does not have."),
		link,
	}),
	async run(args, { rest, links }) {
		const trace = args.trace_id ?? (await findTraceOf(rest, args.project, args.span_id));
		const address = path("v1", "projects", args.project, "traces", trace, "spans", args.span_id);
		const { data } = await rest.get<z.output<typeof SpanDetailAnswer>>(address, { cumulative: false });
		const pieces = args.parts.map((each) => CONTENTS[each](data).map((content) => ({ part: each, ...content })));
		const absent = args.parts.filter((_, at) => pieces[at]?.length === 0);
		const span = {
			...{ span_id: data.context.span_id, trace_id: data.context.trace_id, parent_id: data.parent_id },
			...{ name: visibleLine(data.name, 80), span_kind: visibleLine(data.span_kind, 30) },
			...{ status_code: data.status_code, status_message: visibleLine(data.status_message, 120) },
			...{ start_time: data.start_time, latency_ms: data.latency_ms },
			model: data.model === null ? null : visibleLine(data.model, 60),
			...{ token_count_total: data.token_count_total, total_cost: data.total_cost },
		};
		const page = links.trace(data.project_id, span.trace_id, span.span_id);
		const room = bytesOfTokens(args.max_tokens) - FRAME_BYTES - byteLength(JSON.stringify(span)) - byteLength(page);
		const { contents, leftOut } = fitContents(pieces.flat(), Math.max(0, room));
		const facts = [
			span.status_code,
			span.latency_ms === null ? "no end yet" : durationText(span.latency_ms),
			...(span.token_count_total === null ? [] : [counted(span.token_count_total, "token")]),
			...(span.total_cost === null ? [] : [costText(span.total_cost)]),
		];
		const heading = `Span ${safeId(span.span_id) ?? "with an id of the sender's own"}, started ${span.start_time}: ${facts.join(", ")}.\nPage: ${page}`;
		const about = [
			`${span.span_kind} ${span.name}${span.model === null ? "" : ` · ${span.model}`}`,
			...(span.status_message === "" ? [] : [`status: ${span.status_message}`]),
		];
		const body = [...about, ...contentLines({ contents, leftOut })].join("\n");
		const missing = absent.length === 0 ? "" : `\nThe span has no ${absent.join(", ")}.`;
		return {
			data: { span, contents: [...contents], left_out: leftOut, absent, link: page },
			text: `${heading}\n${fence(body, "")}${missing}`,
		};
	},
});

async function findTraceOf(rest: Rest, projectName: string, id: string): Promise<string> {
	const { data } = await rest.get<RestPage<z.output<typeof SpanSchema>>>(
		`${path("v1", "projects", projectName)}/spans`,
		{
			...{ span_id: id, limit: 2, view: "summary" },
		},
	);
	const traces = new Set(data.map(({ context }) => context.trace_id));
	const [only] = traces;
	if (only === undefined)
		throw new RestRefusal(404, { detail: `Span ${visibleLine(id, 100)} not found in this project` });
	if (traces.size > 1)
		throw new RestRefusal(409, { detail: "Several traces have a span with this id: name one by trace_id" });
	return only;
}

export const SPAN_TOOLS: readonly Tool[] = [getSpan];
