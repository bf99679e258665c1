import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Adds the request id to every answer, and counts and times requests. */
export function observeRequests(app: App, { metrics }: Pick<Context, "metrics">): void {
	app.addHook("onRequest", async (request, reply) => {
		void reply.header("x-request-id", request.id);
		metrics.requestBegins();
		// "close" also comes when the client disconnects before the answer.
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

/** The method as a label: `other` for unknown ones, which callers could invent without limit. */
export function methodOf({ method }: FastifyRequest): string {
	return METHODS.has(method) ? method : "other";
}

/** The pattern of the route, never the path, which may contain names and ids. */
export function routeOf({ routeOptions }: FastifyRequest): string {
	return routeOptions.url ?? "none";
}
