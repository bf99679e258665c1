import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { sendEvents } from "#http/event-stream.ts";
import { orStreamed } from "#http/streamed-text.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import { getProject, type ProjectRow } from "../projects/queries.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import type { PlannedCall } from "./carry-out.ts";
import { findRunProject } from "./run-project.ts";
import { RunWatch } from "./run-watch.ts";
import { PlaygroundEvent, PlaygroundRun, PlaygroundRunBody, type PlaygroundStart } from "./schemas.ts";

type Parts = Pick<Context, "auth" | "config" | "db" | "log" | "models" | "now" | "stopping">;

/** What a run is about to do. */
interface Plan {
	readonly calls: readonly PlannedCall[];
	readonly start: z.output<typeof PlaygroundStart>;
	readonly project: Pick<ProjectRow, "id" | "name">;
}

/** What carries out runs is loaded with the first one. */
export function playgroundRunRoutes(app: App, parts: Parts, callingRequests: CallingRequests): void {
	const { db, log, models, stopping } = parts;
	const underWay = new CallsUnderWay(app, parts);

	app.post(
		"/v1/playground/runs",
		{
			config: { access: "write", home: "project", body: "large", repeats: "never" },
			schema: {
				operationId: "runPlayground",
				tags: ["playground"],
				summary: "Call models with up to six variants at once",
				description:
					"With `stream`, the answer is server-sent events (PlaygroundEvent): `start`, pieces of answers as `delta` and `tool_call`, for each call `end` or `error`, `heartbeat` every 15 seconds, at last `done`. When the connection closes, the calls are cancelled. `Idempotency-Key` is ignored.",
				body: PlaygroundRunBody,
				response: {
					200: {
						content: {
							"application/json": { schema: PlaygroundRun },
							"text/event-stream": { schema: orStreamed(PlaygroundEvent) },
						},
					},
				},
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const asker = askerOf(request, reply);
			using stack = new DisposableStack();
			stack.use(callingRequests.admit(asker.name));
			const { calls, start, project } = await plan(request);
			if (stopping.aborted) throw aboutToStop();
			const watch = stack.use(new RunWatch(actor, asker.gone, log));
			const use = { project, isAdmin: mayCall(actor.principal, "admin") };
			const { signal } = watch;
			const { carryOut } = await import("./carry-out.ts");
			if (!body.stream) {
				const data = await underWay.track(watch, carryOut(models, calls, { use, signal }));
				if (watch.reason === "access_ended") await actor.assertStillAllowed();
				if (watch.reason === "stopping") throw aboutToStop();
				return reply.send({ ...start, data });
			}
			const { RunStream } = await import("./run-stream.ts");
			const untilEnd = stack.move();
			const stream = new RunStream();
			stream.send("start", start);
			const streamed = carryOut(models, calls, {
				...{ use, signal },
				onDelta: (call, delta) => stream.sendDelta(call, delta),
				onResult: (result) => stream.sendResult("code" in result ? "error" : "end", result),
			});
			const ended = streamed
				.then(
					() => {
						stream.send("done", { reason: watch.reason ?? "finished" });
						stream.end();
					},
					(error: unknown) => {
						log.error({ err: error }, "a run of the playground failed");
						stream.destroy();
					},
				)
				.finally(() => untilEnd.dispose());
			void underWay.track(watch, ended);
			return sendEvents(reply, stream);
		},
	);

	async function plan(request: FastifyRequest & { readonly body: z.output<typeof PlaygroundRunBody> }): Promise<Plan> {
		const { actor, body } = request;
		// What is hidden is told from what is not there by nothing else of the request.
		const source = body.source === undefined ? undefined : await getProject(db.read, actor, body.source, "viewer");
		const { planCalls } = await import("./carry-out.ts");
		const { resolveVariants } = await import("./resolve-variants.ts");
		const { variants, homes } = await resolveVariants(db.read, asViewer(actor), body);
		const project = await findRunProject(parts, request, {
			...{ project: body.project, source: source?.id, prompts: homes },
			isAllowed: body.allow_wider_access,
		});
		await actor.assertStillAllowed();
		const calls = planCalls(variants, body.repetitions);
		return {
			...{ calls, project },
			start: {
				project: project.name,
				calls: calls.map(
					({
						variant,
						repetition,
						resolved: {
							label,
							request: { model },
						},
					}) => ({
						...{ variant, repetition, label, model },
					}),
				),
			},
		};
	}
}

/** Whoever sees a prompt may run it. */
function asViewer(actor: Actor): Pick<Actor, "rights" | "enter" | "noteHidden"> {
	return {
		rights: actor.rights,
		enter: (home) => actor.enter(home, "viewer"),
		noteHidden: (home) => actor.noteHidden(home),
	};
}

function aboutToStop(): UserError {
	return new UserError(503, "stopping", "The server is about to stop: send the request again.", { retryAfter: 2 });
}
