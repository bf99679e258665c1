import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { Abandoned } from "#base/fair-turns.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { userOf } from "#http/principal.ts";
import { streamedText } from "#http/streamed-text.ts";
import { getProject } from "../projects/queries.ts";
import { TraceStream } from "./trace-stream.ts";

/** How often a stream checks whether its reader still has access. */
const RECHECK_MS = 1_000;
/** Streams in all; each holds a connection and queries the database after every commit. */
const MAX_STREAMS = 200;
/** Streams of one user, or of the system, so that nobody uses up all of them. */
const MAX_STREAMS_EACH = 50;

export function traceStreamRoutes(app: App, context: Context): void {
	const { cluster, db, log, stopping } = context;
	/** Open streams, with the row number of the reader; undefined while authentication is off. */
	const open = new Map<TraceStream, number | undefined>();
	const endAll = () => {
		for (const stream of open.keys()) stream.end();
	};
	// Before the server waits for its connections to close, as these would never close by themselves.
	app.addHook("preClose", async () => endAll());
	// Readers reconnect, to another process if there is one.
	stopping.addEventListener("abort", endAll);
	const stopListening = cluster.onMessage(({ topic }) => {
		if (topic === "missed") for (const stream of open.keys()) stream.miss();
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
			if (open.size >= MAX_STREAMS) {
				throw new UserError(503, "too_many_streams", `There are ${MAX_STREAMS} live views already.`, {
					retryAfter: 30,
				});
			}
			const reader = userOf(actor.principal)?.id;
			const own = [...open.values()].filter((id) => id === reader).length;
			if (reader !== undefined && own >= MAX_STREAMS_EACH) {
				throw new UserError(429, "too_many_streams", `You have ${MAX_STREAMS_EACH} live views already; close some.`, {
					retryAfter: 30,
				});
			}
			const stream = new TraceStream({ ...context, traces: actor.traces }, project.id, (error) => {
				if (!(error instanceof Abandoned)) log.error({ err: error }, "a live view failed");
			});
			open.set(stream, reader);
			const watch = setInterval(() => void endUnlessAllowed(stream, actor), RECHECK_MS);
			stream.once("close", () => {
				open.delete(stream);
				clearInterval(watch);
			});
			return reply
				.headers({
					"content-type": "text/event-stream; charset=utf-8",
					"cache-control": "no-cache",
					"x-accel-buffering": "no",
				})
				.send(stream);
		},
	);

	async function endUnlessAllowed(stream: TraceStream, actor: Actor): Promise<void> {
		try {
			await actor.assertStillAllowed();
		} catch (error) {
			if (error instanceof UserError) return stream.end("access_ended");
			if (error instanceof Abandoned) return stream.end();
			log.error({ err: error }, "the rights of a live view could not be read; it is ended");
			stream.end();
		}
	}
}
