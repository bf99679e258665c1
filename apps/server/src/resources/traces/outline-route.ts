import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { sendText } from "#http/text-answers.ts";
import { outlineTrace } from "./outline.ts";
import { OutlineQuery, TraceOutlineAnswer } from "./outline-schemas.ts";

export function traceOutlineRoute(app: App, context: Context): void {
	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/outline",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getTraceOutline",
				tags: ["traces"],
				summary: "What to look at first of a trace, within a size",
				description:
					"Its errors, its spans as a tree in which repeated siblings are one row, the critical path, and how much was left out; also as text. With `Accept: text/plain` the text alone.",
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: OutlineQuery,
				response: { 200: TraceOutlineAnswer },
			},
		},
		async (request, reply) => {
			const { params, query } = request;
			const { text, toData } = await outlineTrace(context, request, {
				...{ project: params.project_identifier, trace: params.trace_id },
				...{ maxTokens: query.max_tokens, under: query.under },
			});
			if (request.headers.accept?.startsWith("text/plain")) return sendText(reply, text);
			return { data: toData(), text };
		},
	);
}
