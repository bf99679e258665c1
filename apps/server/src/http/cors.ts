import type { App } from "./app-type.ts";
import { bareOrigin } from "./origins.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const EXPOSED =
	"retry-after, www-authenticate, x-phoenix-server-version, x-request-id, x-spanward-data-delay, x-spanward-version";
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
		const requested = request.headers["access-control-request-headers"];
		if (requested !== undefined) void reply.header("access-control-allow-headers", requested);
		return reply
			.code(204)
			.headers({ "access-control-allow-methods": METHODS, "access-control-max-age": PREFLIGHT_SECONDS })
			.send();
	});
}
