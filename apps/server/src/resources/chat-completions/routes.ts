import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { sendEvents } from "#http/event-stream.ts";
import { streamedText } from "#http/streamed-text.ts";
import { headerText } from "#ingest/header-text.ts";
import type { CallFailure, CallResult, CallUse } from "#models/call-model.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { CallsUnderWay } from "../playground/calls-under-way.ts";
import { findRunProject } from "../playground/run-project.ts";
import { RunWatch } from "../playground/run-watch.ts";
import { asChatError, ChatError, sendChatError } from "./chat-error.ts";
import type { ChatStream } from "./chat-stream.ts";
import { modelProviderRoutes } from "./provider-routes.ts";
import { CHAT_ERRORS, ChatCompletion, ChatCompletionBody, type GivenChat } from "./schemas.ts";

type Parts = Pick<Context, "auth" | "config" | "db" | "log" | "models" | "now" | "stopping">;

type ChatRequest = FastifyRequest & { readonly body: GivenChat };

/** What a request comes down to. */
interface Plan {
	readonly connectionId: number;
	readonly request: ModelRequest;
	readonly use: CallUse;
}

/** A stream begins though nothing has come yet: proxies end connections on which nothing happens. */
const HEAD_WITHIN_MS = 10_000;

/**
 * Models by OpenAI's API, for its clients, through the model connections. What speaks it is loaded with the first request.
 * @param callingRequests how many a user may send, to all routes together
 */
export function chatCompletionRoutes(app: App, parts: Parts, callingRequests: CallingRequests): void {
	const { auth, db, log, models, now, stopping } = parts;
	const underWay = new CallsUnderWay(app, parts);

	app.post(
		"/v1/chat/completions",
		{
			config: { access: "write", home: "project", body: "large", repeats: "never" },
			onSend: asChatError,
			schema: {
				operationId: "createChatCompletion",
				tags: ["chat completions"],
				summary: "Call a model, as OpenAI's Chat Completions",
				description:
					"For OpenAI's clients, with this server's address and `/v1` as base URL and an API key of this server. The call is traced into the playground's project, or the one of the header `x-spanward-project`. With `stream`, the answer is server-sent events with chunks, then `[DONE]`. Errors are OpenAI's error objects; those of the provider keep its status.",
				headers: z.looseObject({
					"x-spanward-project": z.string().optional().describe("Id or name of the project that gets the trace."),
				}),
				body: ChatCompletionBody,
				response: {
					200: {
						content: {
							"application/json": { schema: ChatCompletion },
							"text/event-stream": { schema: streamedText },
						},
					},
					...CHAT_ERRORS,
				},
			},
		},
		async (request, reply) => {
			try {
				return await answer(request, reply);
			} catch (error) {
				if (error instanceof ChatError) return sendChatError(reply, error);
				throw error;
			}
		},
	);
	modelProviderRoutes(app, parts);

	async function answer(request: ChatRequest, reply: FastifyReply): Promise<FastifyReply> {
		const asker = askerOf(request, reply);
		using stack = new DisposableStack();
		stack.use(callingRequests.admit(asker.name));
		const plan = await planCall(request);
		const watch = stack.use(new RunWatch(request.actor, asker.gone, log));
		if (stopping.aborted) watch.end("stopping");
		const head = { id: `chatcmpl-${randomBytes(12).toString("hex")}`, created: Math.floor(now() / 1_000_000) };
		if (request.body.stream !== true) {
			const result = await underWay.track(watch, models.call(plan.connectionId, plan.request, plan.use, watch));
			if (watch.reason === "access_ended") await request.actor.assertStillAllowed();
			if ("error" in result) return sendFailure(reply, watch, result);
			const { toChatCompletion } = await import("./to-chat-completion.ts");
			return reply.send(toChatCompletion(head.id, head.created, result));
		}
		const includesUsage = request.body.stream_options?.include_usage === true;
		const { ChatStream } = await import("./chat-stream.ts");
		const stream = new ChatStream({ ...head, model: plan.request.model, includesUsage });
		const begun = Promise.withResolvers<void>();
		const call = models.call(plan.connectionId, plan.request, plan.use, {
			signal: watch.signal,
			onDelta: (piece) => {
				stream.sendPiece(piece);
				begun.resolve();
			},
		});
		const untilEnd = stack.move();
		void underWay.track(
			watch,
			call.finally(() => untilEnd.dispose()).catch(() => undefined),
		);
		const early = await Promise.race([call, begun.promise, sleep(HEAD_WITHIN_MS, undefined, { ref: false })]);
		// A call that fails before anything came is answered with the status of its failure.
		if (early !== undefined && "error" in early) {
			stream.destroy();
			return sendFailure(reply, watch, early);
		}
		void finish(stream, watch, call);
		return sendEvents(reply, stream);
	}

	async function planCall(request: ChatRequest): Promise<Plan> {
		const { actor, body, headers } = request;
		const isAdmin = mayCall(actor.principal, "admin");
		const asker = { isAdmin, needsConfirmed: auth.enabled };
		const { findModel } = await import("./find-model.ts");
		const { toModelRequest } = await import("./to-model-request.ts");
		const { connectionId, model } = await findModel(db.read, body.model, asker);
		const modelRequest = toModelRequest(body, model);
		const project = await findRunProject(parts, request, {
			...{ project: headerText(headers["x-spanward-project"]) || undefined, source: undefined },
			...{ prompts: new Set(), isAllowed: undefined },
		});
		await actor.assertStillAllowed();
		return {
			connectionId,
			request: modelRequest,
			use: { purpose: "chat_completions", isInteractive: true, project, budgets: [], isAdmin },
		};
	}

	async function finish(stream: ChatStream, watch: RunWatch, call: Promise<CallResult | CallFailure>): Promise<void> {
		try {
			const result = await call;
			if (!("error" in result)) stream.end(result);
			else stream.fail(watch.reason ?? result.error.code, whyEnded(watch) ?? result.error.message);
		} catch (error) {
			log.error({ err: error }, "a chat completion failed");
			stream.destroy();
		}
	}
}

function sendFailure(reply: FastifyReply, watch: RunWatch, { error }: CallFailure): FastifyReply {
	if (watch.reason === "stopping")
		return sendChatError(reply.header("retry-after", "2"), new ChatError(503, "stopping", STOPPING));
	if (error.retryAfterMs !== undefined) void reply.header("retry-after", String(Math.ceil(error.retryAfterMs / 1_000)));
	return sendChatError(reply, error);
}

const STOPPING = "The server is about to stop: send the request again.";

function whyEnded({ reason }: RunWatch): string | undefined {
	if (reason === undefined) return undefined;
	return reason === "stopping" ? STOPPING : "You may not call this any more.";
}
