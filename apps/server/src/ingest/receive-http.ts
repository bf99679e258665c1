import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Auth } from "#access/create-auth.ts";
import type { ExportSender } from "#access/rights/sender-rights.ts";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { App } from "#http/app-type.ts";
import { sendError, setChallenge } from "#http/error-wire.ts";
import { SELF_TRACING_HEADER } from "#http/self-tracing-header.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { metricsUnsupported, notAllowed, storageUnavailable, tooLarge, unsupportedMediaType } from "./answers.ts";
import { apiKeyOf } from "./api-key-of.ts";
import { encodeExportResponse, encodeStatus, exportResponseJson, statusJson } from "./export-response.ts";
import { headerText } from "./header-text.ts";
import type { ExportAnswer, ExportRequest, Ingest } from "./ingest.ts";
import { receiveBody, SILENCE_MS } from "./receive-body.ts";

type Format = ExportRequest["format"];

const MEDIA_TYPES: ReadonlyMap<string, Format> = new Map([
	["application/x-protobuf", "protobuf"],
	["application/json", "json"],
]);
const CONTENT_TYPES: Readonly<Record<Format, string>> = {
	protobuf: "application/x-protobuf",
	json: "application/json",
};
/** RFC 9110: an empty list of codings is none, and `x-gzip` is gzip. */
const ENCODINGS: ReadonlyMap<string, ExportRequest["encoding"]> = new Map([
	["", "identity"],
	["identity", "identity"],
	["gzip", "gzip"],
	["x-gzip", "gzip"],
	["deflate", "deflate"],
	["zstd", "zstd"],
]);

/** What the Langfuse SDKs append to the host they are given; the exports are plain OTLP. */
const LANGFUSE_TRACES_PATH = "/api/public/otel/v1/traces";

export const EXPORT_PATHS: ReadonlySet<string> = new Set(["/v1/traces", LANGFUSE_TRACES_PATH, "/v1/logs"]);

/** For the OpenAPI document. */
const DESCRIBED = {
	traces: {
		operationId: "exportTraces",
		summary: "Receive spans over OTLP",
		description:
			"Answers when the spans are stored, with an `ExportTraceServiceResponse` in the format of the request; spans that were refused are counted in its partial success. Errors are a `google.rpc.Status`. Send again after 429 and 503.",
		...describeExport("ExportTraceServiceRequest", "spans"),
	},
	logs: {
		operationId: "exportLogs",
		summary: "Receive GenAI events of spans, and events of coding agents, over OTLP",
		description:
			"Log records named `gen_ai.…` that carry a trace and a span id join their span, whichever comes first. Events of coding agents become spans of a session. Others are refused, and counted in the partial success.",
		...describeExport("ExportLogsServiceRequest", "records"),
	},
};

function describeExport(message: string, items: string) {
	return {
		tags: ["otlp"],
		consumes: Object.values(CONTENT_TYPES),
		headers: z.object({
			"x-project-name": z.string().optional().describe(`Project of all ${items} of the request`),
			"content-encoding": z.enum(["identity", "gzip", "deflate", "zstd"]).optional(),
		}),
		body: z.unknown().describe(`\`${message}\` of opentelemetry-proto`),
	};
}

declare module "fastify" {
	interface FastifyRequest {
		/** Set on OTLP routes once the headers are accepted. */
		otlp: { readonly format: Format; readonly encoding: ExportRequest["encoding"] } | null;
	}
}

interface OtlpHttpContext {
	readonly config: Config;
	readonly ingest: Ingest;
	/** Absent where nothing is counted by key. */
	readonly auth?: Pick<Auth, "keyUses">;
	/** Undefined for who may write everything. @throws StorageUnavailable */
	readonly findSender: (request: FastifyRequest) => Promise<ExportSender | undefined>;
}

/**
 * OTLP over HTTP: bodies come to the ingest queue as raw bytes, whatever their type.
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function registerOtlpHttp(app: App, context: OtlpHttpContext, silenceMs = SILENCE_MS): void {
	const { auth, config, ingest, findSender } = context;
	void app.register(async (otlp: App) => {
		otlp.removeAllContentTypeParsers();
		otlp.addContentTypeParser("*", async ({ headers, raw: { socket } }: FastifyRequest, payload: IncomingMessage) => {
			const length = headers["content-length"];
			const announced = length === undefined ? undefined : Number(length);
			const hangUp = () => payload.destroy();
			// A request that comes from no network, as in tests, has no timer.
			const timed = socket instanceof Socket;
			if (timed) socket.setTimeout(silenceMs, hangUp);
			const received = await receiveBody(payload, ingest, config.SERVICE_OTLP_MAX_BODY_BYTES, announced);
			if (timed) socket.setTimeout(0, hangUp);
			return received;
		});
		otlp.setErrorHandler((error, request, reply) => {
			if (isDenial(error)) ingest.countDenial(error);
			return sendOtlpError(error, request, reply);
		});
		otlp.decorateRequest("otlp", null);
		otlp.addHook("onRequest", async (request, reply) => {
			const answer = checkHeaders(request, config);
			if (answer !== undefined) {
				ingest.countRefusal(answer);
				return sendAnswer(request, reply, answer);
			}
		});

		const route = (path: string, signal: ExportRequest["signal"]) => ({
			config: { access: "ingest" as const, home: "project" as const },
			schema: path === LANGFUSE_TRACES_PATH ? { hide: true } : DESCRIBED[signal],
			// The schema only describes: headers are checked by `checkHeaders`, the body by the decoder.
			validatorCompiler: () => (value: unknown) => ({ value }),
			handler: async (request: FastifyRequest, reply: FastifyReply) => {
				const answer = await submit(request, signal, { ingest, findSender });
				auth?.keyUses.countSpans(request.principal, answer.acceptedSpans);
				return sendAnswer(request, reply, answer, signal);
			},
		});
		for (const path of ["/v1/traces", LANGFUSE_TRACES_PATH]) otlp.post(path, route(path, "traces"));
		otlp.post("/v1/logs", route("/v1/logs", "logs"));
	});

	app.post("/v1/metrics", {
		config: { access: "ingest", home: "project" },
		errorHandler: sendOtlpError,
		schema: { hide: true },
		// Answered before the body is read, as no type of body would be right.
		onRequest: async (request, reply) => sendAnswer(request, reply, metricsUnsupported()),
		handler: async () => undefined,
	});
}

/** Refuses what can be refused before the body is read. */
function checkHeaders(request: FastifyRequest, config: Config): ExportAnswer | undefined {
	const format = formatOf(request);
	if (format === undefined) {
		const sent = request.headers["content-type"];
		return unsupportedMediaType(
			`Unsupported content type: ${sent ?? "none"}. Send application/x-protobuf or application/json.`,
		);
	}
	const sentEncoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
	const encoding = ENCODINGS.get(sentEncoding);
	if (encoding === undefined) {
		return unsupportedMediaType(`Unsupported content encoding: ${sentEncoding}. Send gzip, deflate, zstd or identity.`);
	}
	const length = Number(request.headers["content-length"] ?? 0);
	if (length > config.SERVICE_OTLP_MAX_BODY_BYTES) {
		return tooLarge(config.SERVICE_OTLP_MAX_BODY_BYTES, "SERVICE_OTLP_MAX_BODY_BYTES");
	}
	request.otlp = { format, encoding };
	return undefined;
}

async function submit(
	request: FastifyRequest,
	signal: ExportRequest["signal"],
	{ ingest, findSender }: Omit<OtlpHttpContext, "config">,
): Promise<ExportAnswer> {
	if (request.otlp === null) throw new Error("an OTLP handler ran without its onRequest hook");
	// Without a body nothing was received, and an empty export is a valid one.
	const received = request.body as Awaited<ReturnType<typeof receiveBody>> | undefined;
	if (received !== undefined && "refused" in received) {
		ingest.countRefusal(received.refused);
		return received.refused;
	}
	const sender = await findSender(request).catch((error: unknown) => {
		received?.reservation.release();
		throw error;
	});
	const projectName = headerText(request.headers["x-project-name"]);
	const body = received?.body ?? new Uint8Array(0);
	const isSelfTracing = request.headers[SELF_TRACING_HEADER] !== undefined;
	return ingest.submit(
		{
			...{ signal, ...request.otlp, body, sender, isSelfTracing, ...apiKeyOf(request.principal) },
			...(projectName === undefined ? {} : { projectName }),
		},
		received?.reservation,
	);
}

/**
 * Sends a refusal by the access policy, or by the storage that it reads, in the form for exporters; other errors as
 * elsewhere.
 */
function sendOtlpError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	if (error instanceof StorageUnavailable) return sendAnswer(request, reply, storageUnavailable(error.reason));
	if (!isDenial(error)) return sendError(error, request, reply);
	setChallenge(request, reply, error);
	return sendAnswer(request, reply, notAllowed(error));
}

/** Who sends is unknown, may not send, or has sent as much as it may. */
function isDenial(error: unknown): error is UserError {
	return error instanceof UserError && [401, 403, 429].includes(error.status);
}

function sendAnswer(
	request: FastifyRequest,
	reply: FastifyReply,
	answer: ExportAnswer,
	signal: ExportRequest["signal"] = "traces",
): FastifyReply {
	void reply.code(answer.status);
	if (answer.retryAfter !== undefined) void reply.header("retry-after", String(answer.retryAfter));
	const format = formatOf(request);
	if (format === undefined) return reply.type("text/plain; charset=utf-8").send(answer.message);
	void reply.type(CONTENT_TYPES[format]);
	if (answer.status !== 200) return reply.send(format === "json" ? statusJson(answer) : encodeStatus(answer));
	return reply.send(format === "json" ? exportResponseJson(answer, signal) : encodeExportResponse(answer, signal));
}

/** RFC 9110: media types are case-insensitive and may carry parameters. */
function formatOf(request: FastifyRequest): Format | undefined {
	const mediaType = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
	return mediaType === undefined ? undefined : MEDIA_TYPES.get(mediaType);
}
