import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Gives every answer the id of its request, and counts and times what is answered. */
export function observeRequests(app: App, { metrics }: Pick<Context, "metrics">): void {
	app.addHook("onRequest", async (request, reply) => {
		void reply.header("x-request-id", request.id);
		metrics.requestBegins();
		// Also of one that is hung up on, which has no answer.
		reply.raw.once("close", () => {
			const milliseconds = reply.elapsedTime;
			metrics.requestEnds(methodOf(request), routeOf(request), reply.statusCode, milliseconds);
			request.log.debug(
				{
					requestId: request.id,
					method: methodOf(request),
					route: routeOf(request),
					status: reply.statusCode,
					milliseconds: Math.round(milliseconds),
				},
				"answered",
			);
		});
	});
}

/** `other` for what whoever calls invents. */
export function methodOf({ method }: FastifyRequest): string {
	return METHODS.has(method) ? method : "other";
}

/** The pattern of the path, never the path: it may hold names and ids. */
export function routeOf({ routeOptions }: FastifyRequest): string {
	return routeOptions.url ?? "none";
}
