import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./app-type.ts";
import { bareOrigin } from "./origins.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const EXPOSED =
	"etag, retry-after, www-authenticate, x-phoenix-server-version, x-request-id, x-spanward-data-delay, x-spanward-version";
const PREFLIGHT_SECONDS = "600";

/**
 * Lets pages of these origins, and of no others, call the API with credentials. Their preflight requests, which carry
 * none, are answered before credentials are required.
 */
export function allowOrigins(app: App, origins: readonly string[]): void {
	const allowed = new Set(origins.map(bareOrigin).filter((origin) => origin !== undefined));
	if (allowed.size === 0) return;
	app.addHook("onRequest", async (request, reply) => {
		const { origin } = request.headers;
		if (origin === undefined || !allowed.has(bareOrigin(origin) ?? "")) return;
		reply.headers({
			"access-control-allow-origin": origin,
			"access-control-allow-credentials": "true",
			"access-control-expose-headers": EXPOSED,
		});
		if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return;
		return sendPreflight(request, reply, METHODS);
	});
}

/** Headers of answers that pages of keys may read. */
const EXPOSED_TO_EXPORTERS = "retry-after, www-authenticate";

/**
 * Lets pages of origins that `has` knows send exports to these paths, without cookies. Which of them may send with which
 * key is looked at with the key.
 */
export function allowExportsOfPages(
	app: App,
	paths: ReadonlySet<string>,
	has: (origin: string) => Promise<boolean>,
): void {
	app.addHook("onRequest", async (request, reply) => {
		const { origin } = request.headers;
		if (origin === undefined || reply.hasHeader("access-control-allow-origin")) return;
		const bare = bareOrigin(origin);
		if (bare === undefined || !paths.has(request.url.split("?", 1)[0] ?? "") || !(await has(bare))) return;
		reply.headers({
			"access-control-allow-origin": origin,
			"access-control-expose-headers": EXPOSED_TO_EXPORTERS,
			vary: "Accept-Encoding, Origin",
		});
		if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
			return sendPreflight(request, reply, "POST");
		}
	});
}

/** Lets pages of any origin call these paths, without credentials (Fetch, 3.3.5). */
export function allowAnyOrigin(app: App, paths: ReadonlySet<string>): void {
	app.addHook("onRequest", async (request, reply) => {
		if (request.headers.origin === undefined || reply.hasHeader("access-control-allow-origin")) return;
		if (!paths.has(request.url.split("?", 1)[0] ?? "")) return;
		reply.headers({ "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED_TO_EXPORTERS });
		if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
			return sendPreflight(request, reply, "GET, HEAD, POST");
		}
	});
}

/** Answers a preflight request, which carries no credentials. */
function sendPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): FastifyReply {
	const requested = request.headers["access-control-request-headers"];
	if (requested !== undefined) void reply.header("access-control-allow-headers", requested);
	return reply
		.code(204)
		.headers({ "access-control-allow-methods": methods, "access-control-max-age": PREFLIGHT_SECONDS })
		.send();
}
