import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { FOR_TEXT, sendText } from "#http/text-answers.ts";
import { outlineTrace } from "./outline.ts";
import { DEFAULT_TOKENS } from "./outline-schemas.ts";

/** The address of a trace in the web app, which people copy, answers its outline to who asks for text. */
export function tracePageTextRoute(app: App, context: Context): void {
	app.get(
		"/p/:project_identifier/traces/:trace_id",
		{
			config: { access: "read", home: "project" },
			constraints: FOR_TEXT,
			schema: { hide: true, params: z.object({ project_identifier: z.string(), trace_id: z.string() }) },
		},
		async (request, reply) => {
			const { project_identifier: project, trace_id: trace } = request.params;
			const { text } = await outlineTrace(context, request, { project, trace, maxTokens: DEFAULT_TOKENS });
			return sendText(reply, text);
		},
	);
}
