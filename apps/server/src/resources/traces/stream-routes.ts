import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { LiveViews } from "#http/live-views.ts";
import { streamedText } from "#http/streamed-text.ts";
import { getProject } from "../projects/queries.ts";
import { TraceStream } from "./trace-stream.ts";

export function traceStreamRoutes(app: App, context: Context): void {
	const { cluster, db } = context;
	const views = new LiveViews<TraceStream>(app, context);
	const stopListening = cluster.onMessage(({ topic }) => {
		if (topic === "missed") for (const view of views) view.miss();
	});
	app.addHook("onClose", async () => stopListening());

	app.get(
		"/v1/projects/:project_identifier/stream",
		{
			config: { access: "read", home: "project" },
			exposeHeadRoute: false,
			schema: {
				operationId: "streamProjectTraces",
				tags: ["traces"],
				summary: "New and changed traces as server-sent events",
				description:
					'Event `trace`: a Trace as in lists, within a second of its commit, once per change. Event `heartbeat`, every 15 seconds: `dropped` counts the traces that were left out because the reader or the server was too slow; read the list again when it grows. Event `end`: the reader has lost access, `{"reason": "access_ended"}`, and the stream closes.',
				params: z.object({ project_identifier: z.string() }),
				response: { 200: { content: { "text/event-stream": { schema: streamedText } } } },
			},
		},
		async ({ params, actor }, reply) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			return views.send(
				reply,
				actor,
				(onError) => new TraceStream({ ...context, traces: actor.traces }, project.id, onError),
			);
		},
	);
}
