import { z } from "zod";
import { TraceOutline, type TraceOutlineAnswer } from "#resources/traces/outline-schemas.ts";
import { maxTokens, project, spanId, traceId } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";

const getTrace = defineTool({
	name: "get_trace",
	title: "Read a trace",
	description:
		"One trace as a tree: its errors first, repeated siblings folded as ×n, the critical path marked with *, and what is left out counted. Use `under` with a span's id to see what is below it.",
	access: "read",
	input: z.object({
		project,
		trace_id: traceId,
		under: spanId.optional().describe("Only what is below the span with this id."),
		max_tokens: maxTokens,
	}),
	output: TraceOutline,
	async run(args, { rest, links }) {
		const { data, text } = await rest.get<z.output<typeof TraceOutlineAnswer>>(
			`${path("v1", "projects", args.project, "traces", args.trace_id)}/outline`,
			{ max_tokens: args.max_tokens, under: args.under },
		);
		const link = links.trace(data.trace.project_id, data.trace.trace_id);
		return { data: { ...data, link }, text: text.replace(data.link, link) };
	},
});

export const TRACE_TOOLS: readonly Tool[] = [getTrace];
