import { z } from "zod";
import { countParam, textParam } from "#http/query-params.ts";
import { Trace } from "./schemas.ts";

const count = z.int();
const leftOut = z.object({ spans: count, errors: count.describe("Spans in error among them.") });

export const MIN_TOKENS = 500;
export const MAX_TOKENS = 50_000;
export const DEFAULT_TOKENS = 4_000;

export const OutlineQuery = z.object({
	max_tokens: countParam(MAX_TOKENS)
		.refine((tokens) => tokens >= MIN_TOKENS, `Input should be greater than or equal to ${MIN_TOKENS}`)
		.default(DEFAULT_TOKENS)
		.describe(`The size of \`text\`, and of the rest, ${MIN_TOKENS} to ${MAX_TOKENS}; four bytes count as a token.`),
	under: textParam.optional().describe("Only what is below the span with this id, itself included."),
});

/** What a person would look at first of a trace. */
export const TraceOutline = z
	.object({
		trace: Trace.omit({ spans: true }),
		errors: z
			.array(
				z.object({
					span_id: z.string(),
					name: z.string(),
					span_kind: z.string(),
					message: z.string(),
					count: count.describe("Spans with this name, kind and message."),
				}),
			)
			.describe("Errors that are not those of a span below, the most frequent first."),
		errors_left_out: count.describe("Kinds of errors that had no place."),
		rows: z
			.array(
				z.object({
					span_id: z.string().describe("Of the first span that the row stands for."),
					parent_id: z.string().nullable(),
					depth: count,
					name: z.string(),
					span_kind: z.string(),
					is_error: z.boolean(),
					latency_ms: z.number().nullable().describe("Of the longest; null without an end."),
					model: z.string().nullable(),
					token_count_total: count.nullable(),
					total_cost: z.number().nullable(),
					critical: z.boolean().describe("On the critical path."),
					count: count.describe("How many siblings it stands for, which are alike with all that is below them."),
					left_out: leftOut.describe("Below it."),
				}),
			)
			.describe("The spans as a tree, parents first."),
		span_count: count.describe("Spans that are outlined."),
		not_read: count.describe("Further spans of the trace, which are too many."),
		left_out: leftOut.describe("Spans that no row stands for."),
		link: z.string().describe("Address of the page of the trace."),
	})
	.meta({ id: "TraceOutline" });

export const TraceOutlineAnswer = z
	.object({ data: TraceOutline, text: z.string().describe("The same for people and language models.") })
	.meta({ id: "TraceOutlineAnswer" });
