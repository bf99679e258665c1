import { randomUUID } from "node:crypto";
import compress from "@fastify/compress";
import fastify from "fastify";
import type { Context } from "./context.ts";
import { type Authorize, admitAll, enforceAccess } from "./http/access-policy.ts";
import type { App } from "./http/app-type.ts";
import { sendError } from "./http/error-wire.ts";
import { parseJsonBodies } from "./http/json-body.ts";
import { metaRoutes } from "./http/meta-routes.ts";
import { collectOpenApi } from "./http/openapi.ts";
import { setResponseHeaders } from "./http/response-headers.ts";
import { stripRootPath } from "./http/root-path.ts";
import { validatorCompiler } from "./http/validation.ts";
import { metricsRoutes } from "./projects/metrics-routes.ts";
import { projectRoutes } from "./projects/routes.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { spanRoutes } from "./spans/routes.ts";
import { traceDetailRoutes } from "./traces/detail-routes.ts";
import { traceRoutes } from "./traces/routes.ts";

/** Clients put hundreds of ids into one address: 64 KiB of it, and room for other headers. */
const MAX_HEADER_BYTES = 128 * 1_024;

/** The HTTP server with every route mounted, not yet listening. */
export async function buildApp(context: Context, authorize: Authorize = admitAll): Promise<App> {
	const { config, log } = context;
	const app: App = fastify({
		loggerInstance: log,
		disableRequestLogging: true,
		genReqId: () => randomUUID(),
		bodyLimit: config.SERVICE_MAX_JSON_BODY_BYTES,
		http: { maxHeaderSize: MAX_HEADER_BYTES },
		routerOptions: { maxParamLength: 65_536, ignoreTrailingSlash: true },
		onProtoPoisoning: "ignore",
		onConstructorPoisoning: "ignore",
		forceCloseConnections: "idle",
		rewriteUrl: (request) => stripRootPath(request.url ?? "/", config.SERVICE_HOST_ROOT_PATH),
	});
	app.setValidatorCompiler(validatorCompiler);
	// Answers are typed by their schemas; checking each again would cost more than the query.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.setErrorHandler(sendError);

	enforceAccess(app, authorize);
	parseJsonBodies(app);
	await setResponseHeaders(app);
	await app.register(compress, { encodings: ["gzip"], threshold: 1_024, zlibOptions: { level: 4 } });
	await collectOpenApi(app);

	metaRoutes(app, context);
	projectRoutes(app, context);
	metricsRoutes(app, context);
	traceRoutes(app, context);
	traceDetailRoutes(app, context);
	spanRoutes(app, context);
	sessionRoutes(app, context);
	return app;
}
