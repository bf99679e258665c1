import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { SELF_TRACING_HEADER } from "#http/self-tracing-header.ts";
import { methodOf, routeOf } from "../metrics/observe-requests.ts";
import type { TracedRequest } from "./self-tracing.ts";

/** Polled routes, whose spans would be noise. */
const UNTRACED = new Set(["/healthz", "/readyz", "/metrics"]);

/** Traces the server's requests, if self-tracing is on. */
export function traceRequests(app: App, { tracing }: Pick<Context, "tracing">): void {
	const traced = new WeakMap<FastifyRequest, TracedRequest>();
	app.addHook("onRequest", (request, reply, done) => {
		const isUntraced = UNTRACED.has(routeOf(request)) || request.headers[SELF_TRACING_HEADER] !== undefined;
		const span = isUntraced ? undefined : tracing.beginRequest();
		if (span === undefined) return done();
		traced.set(request, span);
		reply.raw.once("close", () => tracing.endRequest(span, methodOf(request), routeOf(request), reply.statusCode));
		tracing.within(span, done);
	});
	// Reading the body loses the request's AsyncLocalStorage context, as its events come from the socket.
	app.addHook("preValidation", (request, _reply, done) => {
		const span = traced.get(request);
		if (span === undefined) done();
		else tracing.within(span, done);
	});
}
