import { constants } from "node:zlib";
import compress from "@fastify/compress";
import fastify, { LogController } from "fastify";
import { apiKeyRoutes } from "#access/api-keys/routes.ts";
import { auditRoutes } from "#access/audit/routes.ts";
import { actIn } from "#access/auth/act-as.ts";
import { createAuthorize, noteDenials } from "#access/auth/authorize.ts";
import { refuseForeignOrigins } from "#access/auth/log-in-sessions/csrf.ts";
import { sayWhereToAuthorize } from "#access/authorization-server/challenges.ts";
import { areProgramsOn, endpointsOfPrograms } from "#access/authorization-server/parts.ts";
import { programRoutes } from "#access/authorization-server/program-routes.ts";
import { ldapRoutes } from "#access/ldap/routes.ts";
import { oauth2Routes } from "#access/oauth2/routes.ts";
import { accessPolicyRoutes } from "#access/policy/routes.ts";
import { senderOf } from "#access/rights/sender-rights.ts";
import { accessRuleRoutes } from "#access/rules/routes.ts";
import { secretRoutes } from "#access/secrets/routes.ts";
import { logOutRoutes } from "#access/sign-in/log-out-routes.ts";
import { recoveryRoutes } from "#access/sign-in/recovery-routes.ts";
import { signInRoutes } from "#access/sign-in/routes.ts";
import { ownSessionRoutes } from "#access/sign-in/session-routes.ts";
import { signInCheckRoutes } from "#access/sign-in-check/routes.ts";
import { accessSubjectRoutes } from "#access/subjects/routes.ts";
import { teamRoutes } from "#access/teams/routes.ts";
import { ownUserRoutes } from "#access/users/own-routes.ts";
import { userRoutes } from "#access/users/routes.ts";
import { CallLog } from "#agents/calls/call-log.ts";
import { agentCallRoutes } from "#agents/calls/routes.ts";
import { mcpRoutes } from "#agents/mcp/routes.ts";
import { textRoute } from "#agents/text-route.ts";
import type { TlsMaterial } from "#base/settings/tls-material.ts";
import { type Authorize, admitAll, enforceAccess } from "#http/access-policy.ts";
import { collectMethods } from "#http/allowed-methods.ts";
import type { App } from "#http/app-type.ts";
import { endReadsOfGone } from "#http/asker.ts";
import { boundBodies } from "#http/body-size.ts";
import { keepClientAddress, trustedProxies, warnOfUnknownProxy } from "#http/client-address.ts";
import { allowAnyOrigin, allowExportsOfPages, allowOrigins } from "#http/cors.ts";
import { sayDelay } from "#http/data-delay.ts";
import { docsRoutes } from "#http/docs/routes.ts";
import { serveDocs } from "#http/docs-page.ts";
import { sendError } from "#http/error-wire.ts";
import { graphqlRoute } from "#http/graphql-route.ts";
import { parseJsonBodies } from "#http/json-body.ts";
import { metaRoutes } from "#http/meta-routes.ts";
import { collectOpenApi } from "#http/openapi.ts";
import { refuseAddress, refuseConnection } from "#http/refused-requests.ts";
import { refuseUploads } from "#http/refused-uploads.ts";
import { refuseForeignHosts, refuseSeveralHosts } from "#http/request-hosts.ts";
import { createRequestIds } from "#http/request-ids.ts";
import { responseHeaders, setResponseHeaders } from "#http/response-headers.ts";
import { stripRootPath } from "#http/root-path.ts";
import { hangUpOnSlowBodies } from "#http/slow-bodies.ts";
import { tellTextFromPages } from "#http/text-answers.ts";
import { validatorCompiler } from "#http/validation.ts";
import { serveWebApp, toWebAuthConfig } from "#http/web-app.ts";
import { EXPORT_PATHS, registerOtlpHttp } from "#ingest/receive-http.ts";
import { ingestRoutes } from "#ingest/routes.ts";
import { CallingRequests } from "#models/calling-requests.ts";
import { Providers } from "#models/providers.ts";
import { answerRepeats } from "#operations/idempotency/answer-repeats.ts";
import { observeRequests } from "#operations/metrics/observe-requests.ts";
import { metricsRoute } from "#operations/metrics/routes.ts";
import { traceRequests } from "#operations/self-tracing/trace-requests.ts";
import { refuseWhenFull } from "#operations/storage-capacity/refuse-when-full.ts";
import { storageRoutes } from "#operations/storage-capacity/routes.ts";
import { accessCheckRoutes } from "#resources/access-check/routes.ts";
import { analyticsRoutes } from "#resources/analytics/analytics-routes.ts";
import { AnalyticsQuestions } from "#resources/analytics/ask-analytics.ts";
import { facetRoutes } from "#resources/analytics/facet-routes.ts";
import { annotationConfigRoutes } from "#resources/annotation-configs/routes.ts";
import { annotationRoutes } from "#resources/annotations/routes.ts";
import { bulkRunRoutes } from "#resources/bulk-runs/routes.ts";
import { chatCompletionRoutes } from "#resources/chat-completions/routes.ts";
import { dashboardRoutes } from "#resources/dashboards/routes.ts";
import { datasetRoutes } from "#resources/datasets/routes.ts";
import { endUserRoutes } from "#resources/end-users/routes.ts";
import { errorRoutes } from "#resources/error-groups/routes.ts";
import { evaluatorRoutes } from "#resources/evaluators/routes.ts";
import { experimentJobRoutes } from "#resources/experiment-jobs/routes.ts";
import { experimentRoutes } from "#resources/experiments/routes.ts";
import { projectKeyRoutes } from "#resources/home-access/keys-route.ts";
import { homeAccessRoutes } from "#resources/home-access/routes.ts";
import { connectionModelsRoute } from "#resources/model-connections/models-route.ts";
import { modelConnectionRoutes } from "#resources/model-connections/routes.ts";
import { modelConnectionTestRoutes } from "#resources/model-connections/test-routes.ts";
import { modelUsageRoutes } from "#resources/model-connections/usage-routes.ts";
import { playgroundRoutes } from "#resources/playground/routes.ts";
import { priceRoutes } from "#resources/prices/routes.ts";
import { metricsRoutes } from "#resources/projects/metrics-routes.ts";
import { projectRoutes } from "#resources/projects/routes.ts";
import { rowMetricsRoutes } from "#resources/projects/row-metrics-routes.ts";
import { promptRoutes } from "#resources/prompts/routes.ts";
import { repairRoutes } from "#resources/repairs/routes.ts";
import { projectRetentionRoutes } from "#resources/retention/project-routes.ts";
import { retentionPolicyRoutes } from "#resources/retention/routes.ts";
import { reviewQueueRoutes } from "#resources/review-queues/routes.ts";
import { selectionRoutes } from "#resources/selections/routes.ts";
import { sessionRoutes } from "#resources/sessions/routes.ts";
import { createSpansRoutes } from "#resources/spans/create-routes.ts";
import { spanExportRoutes } from "#resources/spans/export-routes.ts";
import { spanRoutes } from "#resources/spans/routes.ts";
import { sampledValuesRoutes } from "#resources/spans/sampled-values-routes.ts";
import { spanTableRoutes } from "#resources/spans/table-routes.ts";
import { traceDetailRoutes } from "#resources/traces/detail-routes.ts";
import { traceOutlineRoute } from "#resources/traces/outline-route.ts";
import { tracePageTextRoute } from "#resources/traces/page-text-route.ts";
import { traceRoutes } from "#resources/traces/routes.ts";
import { traceStreamRoutes } from "#resources/traces/stream-routes.ts";
import { viewRoutes } from "#resources/views/routes.ts";
import type { WritingContext } from "./context.ts";

/** Clients put hundreds of ids into one address: 64 KiB of it, and room for other headers. */
const MAX_HEADER_BYTES = 128 * 1_024;
/** A connection whose headers take longer is hung up on; Node looks every second. */
const HEADERS_MS = 10_000;
/** A whole request, with the largest body that is taken: Node's default, which Fastify turns off. */
const REQUEST_MS = 300_000;

export interface AppOptions {
	readonly authorize?: Authorize;
	/** Folder of the built web app; without it pages say how to build it. */
	readonly webFolder?: string;
	/** Port that OTLP/gRPC listens on, for the snippets of the web app. */
	readonly grpcPort?: () => number;
	/** Serve https with this. */
	readonly tls?: TlsMaterial;
}

/** The HTTP server with every route mounted, not yet listening. */
export async function buildApp(context: WritingContext, options: AppOptions = {}): Promise<App> {
	const { auth, config, log } = context;
	const headers = responseHeaders(config);
	const limits = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_MS, connectionsCheckingInterval: 1_000 };
	const app: App = fastify({
		loggerInstance: log,
		logController: new LogController({ disableRequestLogging: true }),
		genReqId: createRequestIds(config),
		frameworkErrors: refuseAddress(headers),
		clientErrorHandler: refuseConnection(headers),
		requestTimeout: REQUEST_MS,
		...(options.tls === undefined
			? { http: limits }
			: { https: { ...limits, handshakeTimeout: HEADERS_MS, ...options.tls } }),
		routerOptions: { maxParamLength: 65_536, ignoreTrailingSlash: true },
		trustProxy: trustedProxies(config),
		onProtoPoisoning: "ignore",
		onConstructorPoisoning: "ignore",
		forceCloseConnections: "idle",
		// A load balancer may not have noticed yet.
		return503OnClosing: false,
		rewriteUrl: (request) => stripRootPath(request.url ?? "/", config.SERVICE_HOST_ROOT_PATH),
	});
	app.setValidatorCompiler(validatorCompiler);
	// Answers are typed by their schemas; checking each again would cost more than the query.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.setErrorHandler(sendError);
	tellTextFromPages(app);
	app.decorate("rootPath", config.SERVICE_HOST_ROOT_PATH);

	app.addHook("onRequest", async (_request, reply) => {
		if (context.stopping.aborted) reply.header("connection", "close");
	});
	observeRequests(app, context);
	traceRequests(app, context);
	keepClientAddress(app);
	setResponseHeaders(app, config, headers);
	sayDelay(app, context);
	refuseSeveralHosts(app);
	refuseForeignHosts(app, config);
	warnOfUnknownProxy(app, config);
	allowOrigins(app, config.SERVICE_ALLOWED_ORIGINS);
	if (auth.enabled) allowExportsOfPages(app, EXPORT_PATHS, (origin) => auth.keyUses.pageOrigins.has(origin));
	const programs = areProgramsOn(context);
	if (programs) {
		allowAnyOrigin(app, endpointsOfPrograms(config));
		sayWhereToAuthorize(app, config);
	}
	refuseForeignOrigins(app, config);
	const authorize = auth.enabled ? createAuthorize(auth) : admitAll;
	enforceAccess(app, options.authorize ?? authorize, actIn(context));
	endReadsOfGone(app);
	noteDenials(app, auth.denials);
	refuseWhenFull(app, context.capacity);
	const allowedMethods = collectMethods(app);
	refuseUploads(app);
	hangUpOnSlowBodies(app);
	boundBodies(app, config.SERVICE_MAX_JSON_BODY_BYTES);
	parseJsonBodies(app);
	answerRepeats(app, context);
	await app.register(compress, {
		encodings: ["br", "gzip"],
		threshold: 1_024,
		// Of 100 KB of recorded JSON, 11,150 bytes in 0.8 ms; gzip makes 13,400 of them in 0.5 ms.
		brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } },
		zlibOptions: { level: 4, chunkSize: 65_536 },
		customTypes: /^text\/(?!event-stream)|json|javascript|xml|multipart\/mixed/,
		// Exports are inflated by the ingest threads, within their bounds.
		globalDecompression: false,
	});
	await collectOpenApi(app);

	const callingRequests = new CallingRequests();

	metaRoutes(app, context);
	graphqlRoute(app, config.SERVICE_HOST_ROOT_PATH);
	registerOtlpHttp(app, { ...context, findSender: ({ actor }) => senderOf(actor, auth.rights) });
	ingestRoutes(app, context);
	metricsRoute(app, context);
	signInRoutes(app, context);
	ldapRoutes(app, context);
	oauth2Routes(app, context);
	programRoutes(app, context);
	logOutRoutes(app, context);
	ownSessionRoutes(app, context);
	recoveryRoutes(app, context);
	projectRoutes(app, context);
	projectRetentionRoutes(app, context);
	metricsRoutes(app, context);
	rowMetricsRoutes(app, context);
	const questions = new AnalyticsQuestions(config.SERVICE_ANALYTICS_CONCURRENCY, context);
	analyticsRoutes(app, context, questions);
	facetRoutes(app, context, questions);
	endUserRoutes(app, context, questions);
	errorRoutes(app, context);
	viewRoutes(app, context);
	dashboardRoutes(app, context);
	reviewQueueRoutes(app, context);
	traceRoutes(app, context);
	traceDetailRoutes(app, context);
	traceOutlineRoute(app, context);
	tracePageTextRoute(app, context);
	traceStreamRoutes(app, context);
	spanRoutes(app, context);
	createSpansRoutes(app, context);
	spanTableRoutes(app, context);
	spanExportRoutes(app, context);
	sampledValuesRoutes(app, context);
	sessionRoutes(app, context);
	selectionRoutes(app, context);
	bulkRunRoutes(app, context);
	annotationRoutes(app, context);
	annotationConfigRoutes(app, context);
	datasetRoutes(app, context);
	experimentRoutes(app, context);
	experimentJobRoutes(app, context);
	evaluatorRoutes(app, context, callingRequests);
	promptRoutes(app, context);
	playgroundRoutes(app, context, callingRequests);
	chatCompletionRoutes(app, context, callingRequests);
	retentionPolicyRoutes(app, context);
	priceRoutes(app, context);
	modelConnectionRoutes(app, context);
	modelUsageRoutes(app, context);
	const providers = new Providers(context);
	modelConnectionTestRoutes(app, { ...context, callingRequests, providers });
	connectionModelsRoute(app, { ...context, providers });
	storageRoutes(app, context);
	repairRoutes(app, context);
	ownUserRoutes(app, context);
	userRoutes(app, context);
	teamRoutes(app, context);
	accessPolicyRoutes(app, context);
	accessRuleRoutes(app, context);
	accessSubjectRoutes(app, context);
	homeAccessRoutes(app, context);
	projectKeyRoutes(app, context);
	accessCheckRoutes(app, context);
	apiKeyRoutes(app, context);
	secretRoutes(app, context);
	auditRoutes(app, context);
	signInCheckRoutes(app, context);

	textRoute(app, context);
	agentCallRoutes(app, context);
	const calls = new CallLog(context);
	app.addHook("onClose", () => calls[Symbol.asyncDispose]());
	mcpRoutes(app, context, calls);

	docsRoutes(app, context, programs);
	await serveDocs(app, config.SERVICE_HOST_ROOT_PATH);
	serveWebApp(app, options.webFolder, allowedMethods, {
		basePath: config.SERVICE_HOST_ROOT_PATH,
		get grpcPort() {
			return options.grpcPort?.() ?? config.SERVICE_GRPC_PORT;
		},
		mcp: config.SERVICE_ENABLE_MCP,
		modelCalls: config.SERVICE_ENABLE_MODEL_CALLS,
		auth: toWebAuthConfig(context),
	});
	return app;
}
