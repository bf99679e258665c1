import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { measureJson } from "@spanward/semconv";
import type { FastifyReply, FastifyRequest } from "fastify";
import { unauthorized } from "#access/auth/access-errors.ts";
import { ownOrigins } from "#access/auth/log-in-sessions/csrf.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { BODY_LIMITS } from "#http/body-size.ts";
import { parseJson } from "#http/parse-json.ts";
import type { CallLog } from "../calls/call-log.ts";
import { CallLimits } from "./call-limits.ts";
import { sessionIdFor } from "./session-ids.ts";

const MAX_BYTES = 1_048_576;

/**
 * The Model Context Protocol over streamable HTTP, unless it is switched off. The SDK and the tools are loaded by the first
 * request, so that a server that nobody asks needs no memory for them.
 */
export function mcpRoutes(app: App, context: Context, calls: CallLog): void {
	const { auth, config } = context;
	if (!config.SERVICE_ENABLE_MCP) return;
	const limits = new CallLimits();
	const isOwnOrigin = ownOrigins(config);
	let serving: ReturnType<typeof load> | undefined;
	const load = async () => (await import("./serve.ts")).createServe(app, context, calls);

	void app.register(async (scope: App) => {
		// The SDK answers JSON that is none as the protocol says.
		scope.removeContentTypeParser("application/json");
		scope.addContentTypeParser(
			"application/json",
			{ parseAs: "string" },
			async (_request: FastifyRequest, body: string) => body,
		);
		scope.addHook("onRequest", async (request) => {
			const { origin } = request.headers;
			if (origin !== undefined && !isOwnOrigin(origin, request)) throw foreignOrigin();
			// A page could send the cookie of a session; no program has one.
			if (auth.enabled && request.headers.authorization === undefined) throw unauthorized("missing");
			if (request.principal.kind === "session") throw keyNeeded();
		});
		scope.addHook("preClose", async () => {
			await (await serving)?.[Symbol.asyncDispose]();
		});
		scope.route({
			method: ["GET", "POST", "DELETE"],
			url: "/mcp",
			bodyLimit: MAX_BYTES,
			config: { access: "read", home: "none", audience: "mcp", whenFull: "allowed", foreignHosts: "forbidden" },
			schema: { hide: true },
			handler: async (request, reply) => {
				const message = messageOf(request);
				const { name: caller } = askerOf(request, reply);
				const running = limits.admit(caller, Array.isArray(message) ? message.length : 1);
				const gone = new AbortController();
				reply.raw.once("close", () => {
					running[Symbol.dispose]();
					gone.abort();
				});
				serving ??= load();
				const response = await (await serving)(request, message, gone.signal);
				const sessionId = response.ok ? sessionIdFor(message) : undefined;
				if (sessionId !== undefined) reply.header("mcp-session-id", sessionId);
				return await send(reply, response);
			},
		});
	});
}

/** Undefined for what is no JSON. @throws UserError 400 for more than a body may hold */
function messageOf({ body }: FastifyRequest): unknown {
	if (typeof body !== "string") return undefined;
	if (measureJson(body, BODY_LIMITS).excess !== undefined)
		throw new UserError(400, "json_too_large", "The message nests too deep, or holds too many values.");
	return parseJson(body);
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
	reply.code(response.status);
	for (const [name, value] of response.headers) reply.header(name, value);
	if (response.body === null) return reply.send();
	if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
		return reply.send(await response.text());
	// Both are the streams of the web; the types of Node and of browsers have each their own.
	return reply.send(Readable.fromWeb(response.body as ReadableStream));
}

function foreignOrigin(): UserError {
	return new UserError(
		403,
		"cross_site_request",
		"A page of another site cannot use this, unless SERVICE_ALLOWED_ORIGINS names it.",
	);
}

function keyNeeded(): UserError {
	return new UserError(
		401,
		"invalid_token",
		"Send an API key or a program's token as Authorization: Bearer <key>; a session is not enough.",
	);
}
