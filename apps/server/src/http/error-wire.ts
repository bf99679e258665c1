import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { UserError, ValidationError } from "#base/errors.ts";
import { Abandoned, NoTurn } from "#base/fair-turns.ts";
import { STATUS_CODES } from "#base/node-http.ts";
import type { ProblemCode } from "#base/problems.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import { ShardUnavailable, StorageUnavailable, type WhyUnavailable } from "#storage/traces/span-batch.ts";
import { bodyTooLarge } from "./body-size.ts";

declare module "fastify" {
	interface FastifyRequest {
		/** Where a program finds out how to be admitted (RFC 9728); undefined where it cannot be. */
		resourceMetadata: (() => string | undefined) | undefined;
	}
	interface FastifyInstance {
		/** Below which the server is reached, as `SERVICE_HOST_ROOT_PATH` has it. */
		rootPath: string;
	}
}

/** Released clients know this message. */
export const STORAGE_FULL =
	"Database operations are disabled due to insufficient storage. Please delete old data or increase storage.";

const CONNECTIONS_IN_USE =
	"All connections of this server to the database are in use; try again. SERVICE_DATABASE_POOL_SIZE allows more.";

/** Error codes of invalid tokens that came in a cookie or body. */
const TOKEN_ERRORS: ReadonlySet<string> = new Set(["invalid_token", "expired_token", "ambiguous_cookies"]);

/**
 * Errors on the wire: the bare message as text, validation as `{"detail":[…]}`, or RFC 9457 for callers that ask for
 * `application/problem+json`, whose `type` is the address of a page that says what to do. An unexpected error is logged
 * with the request's id and answered without its message.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	const known = toKnownError(error, request);
	if (known instanceof ValidationError) return sendValidationError(known, request, reply);
	if (known === undefined) {
		request.log.error(
			{ err: error, requestId: request.id, method: request.method, path: request.routeOptions.url },
			"request failed",
		);
		void reply.header("x-request-id", request.id);
	}
	if (known !== undefined && known.status >= 500 && !known.isLogged) {
		const cause = known.cause === undefined ? {} : { err: known.cause };
		request.log.warn({ ...cause, code: known.code, path: request.routeOptions.url }, known.message);
	}
	const status = known?.status ?? 500;
	const message = known?.message || (STATUS_CODES[status] ?? "Error");
	if (known instanceof UserError) setChallenge(request, reply, known);
	if (known?.retryAfter !== undefined) void reply.header("retry-after", String(known.retryAfter));
	if (wantsProblem(request)) {
		const code = known?.code ?? "internal_error";
		const extra = known === undefined ? { request_id: request.id } : { ...known.details, report: known.report };
		return sendProblem(reply, { status, code, detail: message, ...extra });
	}
	if (known?.report !== undefined) {
		return reply.code(status).type("application/json; charset=utf-8").send(JSON.stringify(known.report));
	}
	return reply
		.code(status)
		.type("text/plain; charset=utf-8")
		.send(known === undefined ? "Internal Server Error" : message);
}

/** Says in `WWW-Authenticate` how to be admitted, where credentials or a permission are missing (RFC 6750, 3). */
export function setChallenge(request: FastifyRequest, reply: FastifyReply, error: UserError): void {
	if (error.status === 401) void reply.header("www-authenticate", challenge(request, error.code));
	if (error.code !== "key_permission_missing" && error.code !== "insufficient_scope") return;
	const { scope } = error.details as { readonly scope: string };
	// A key cannot be given more, a program can.
	const metadata = error.code === "insufficient_scope" ? metadataOf(request) : "";
	void reply.header("www-authenticate", `Bearer error="insufficient_scope", scope="${scope}"${metadata}`);
}

/** The error is named only to callers that sent a token. MCP clients ask for the scope that the challenge names. */
function challenge(request: FastifyRequest, code: string): string {
	const sentToken = request.headers.authorization !== undefined || TOKEN_ERRORS.has(code);
	const error = sentToken ? ', error="invalid_token"' : "";
	const metadata = metadataOf(request);
	const scope = metadata !== "" && request.routeOptions.config.audience === "mcp" ? ', scope="read"' : "";
	return `Bearer realm="service"${error}${metadata}${scope}`;
}

/** RFC 9728, 5.1; empty where programs cannot log in. */
function metadataOf(request: FastifyRequest): string {
	const metadata = request.resourceMetadata?.();
	return metadata === undefined ? "" : `, resource_metadata="${metadata}"`;
}

function sendValidationError(error: ValidationError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	if (!wantsProblem(request)) {
		return reply
			.code(422)
			.type("application/json; charset=utf-8")
			.send(JSON.stringify({ detail: error.issues }));
	}
	return sendProblem(reply, { status: 422, code: "validation_failed", detail: error.message, errors: error.issues });
}

/** Answers with an error that was not thrown. */
export function sendPlain(
	request: FastifyRequest,
	reply: FastifyReply,
	status: number,
	code: ProblemCode,
	message: string,
): FastifyReply {
	return sendError(new UserError(status, code, message), request, reply);
}

interface Problem {
	readonly status: number;
	readonly code: ProblemCode;
	readonly detail: string;
	readonly [member: string]: unknown;
}

function sendProblem(reply: FastifyReply, { status, code, detail, ...extra }: Problem): FastifyReply {
	const title = STATUS_CODES[status] ?? "Error";
	const problem = { type: problemType(reply.server.rootPath, code), title, status, detail, code, ...extra };
	return reply.code(status).type("application/problem+json; charset=utf-8").send(JSON.stringify(problem));
}

/**
 * The address of the page about a code, without the host: what a server is called depends on who asks, and the page is
 * on the server that was asked. RFC 9457, 3.1.1 wants such a reference to have the full path.
 */
export function problemType(rootPath: string, code: ProblemCode): string {
	return `${rootPath}/docs/problems/${code}`;
}

function wantsProblem(request: FastifyRequest): boolean {
	return request.headers.accept?.includes("application/problem+json") ?? false;
}

/** Undefined for a bug: an error that nobody expected. */
function toKnownError(error: unknown, request: FastifyRequest): UserError | ValidationError | undefined {
	if (error instanceof UserError || error instanceof ValidationError) return error;
	if (error instanceof StorageUnavailable) return toStorageError(error);
	if (error instanceof NoTurn) return toTurnError(error);
	if (error instanceof ConditionTooSlow) return new UserError(400, "filter_too_slow", error.message);
	if (isHangUp(error) || error instanceof Abandoned)
		return new UserError(400, "aborted", "The connection ended before the request was complete.");
	if (isFrameworkError(error) && error.statusCode !== undefined && error.statusCode < 500) {
		return new UserError(
			error.statusCode,
			FRAMEWORK_CODES[error.code] ?? "bad_request",
			frameworkMessage(error, request),
			{ cause: error },
		);
	}
	return undefined;
}

function toTurnError(cause: NoTurn): UserError {
	const options = { cause, retryAfter: 2 };
	return cause.isOwn
		? new UserError(
				429,
				"too_many_searches",
				"Too many of your searches wait already; wait for their answers.",
				options,
			)
		: new UserError(503, "too_many_searches", "Too many searches wait at the moment; try again.", options);
}

interface StorageAnswer {
	readonly status: number;
	readonly code: ProblemCode;
	readonly message: string;
	/** Absent where waiting does not help. */
	readonly retryAfter?: number;
}

const TOO_SLOW: StorageAnswer = {
	status: 503,
	code: "storage_too_slow",
	message:
		"This takes longer, or more memory, than one request may; ask for less: a shorter time (start_time, end_time), or a filter such as name == '…'.",
};

const STORAGE_ANSWERS: Readonly<Record<WhyUnavailable, StorageAnswer>> = {
	full: { status: 507, code: "storage_full", message: STORAGE_FULL },
	read_only: {
		...{ status: 507, code: "storage_read_only" },
		message: "The database cannot be written: it is read-only, or its disk is.",
	},
	unreachable: {
		...{ status: 503, code: "database_unreachable", retryAfter: 2 },
		message: "The database cannot be reached; try again.",
	},
	busy: { status: 503, code: "database_connections_in_use", message: CONNECTIONS_IN_USE, retryAfter: 2 },
	failing: {
		...{ status: 503, code: "storage_failing", retryAfter: 5 },
		message: "The database does not answer; try again.",
	},
	traces_unreachable: {
		...{ status: 503, code: "storage_unreachable", retryAfter: 2 },
		message: "The database of traces cannot be reached; try again.",
	},
	traces_incomplete: {
		...{ status: 503, code: "storage_incomplete", retryAfter: 2 },
		message: "A part of the traces cannot be reached, so that this would not be complete; try again.",
	},
	traces_busy: {
		...{ status: 503, code: "storage_busy", retryAfter: 5 },
		message: "The database of traces cannot do this at the moment; try again.",
	},
	traces_behind: {
		...{ status: 503, code: "storage_behind", retryAfter: 5 },
		message: "The replicas of the database of traces are too far behind; try again.",
	},
	traces_refused: {
		...{ status: 503, code: "storage_refused", retryAfter: 30 },
		message: "The database of traces refuses this server; its log says why.",
	},
	too_slow: TOO_SLOW,
	too_large: TOO_SLOW,
};

function toStorageError(cause: StorageUnavailable): UserError {
	const { status, code, retryAfter, ...answer } = STORAGE_ANSWERS[cause.reason];
	const message =
		cause instanceof ShardUnavailable
			? `Shard ${cause.shard} of the traces cannot be reached, so that this would not be complete; try again.`
			: answer.message;
	return new UserError(status, code, message, { cause, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** Node's error for a sender that hung up. It counts as expected, or anybody could fill the log with it. */
function isHangUp(error: unknown): boolean {
	return error instanceof Error && error.message === "aborted" && "code" in error && error.code === "ECONNRESET";
}

function isFrameworkError(error: unknown): error is FastifyError {
	return error instanceof Error && "code" in error && String(error.code).startsWith("FST_");
}

const FRAMEWORK_CODES: Readonly<Record<string, ProblemCode>> = {
	FST_ERR_BAD_URL: "bad_url",
	FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
	FST_ERR_CTP_EMPTY_JSON_BODY: "ctp_empty_json_body",
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: "ctp_invalid_content_length",
	FST_ERR_CTP_INVALID_JSON_BODY: "ctp_invalid_json_body",
	FST_ERR_CTP_INVALID_MEDIA_TYPE: "ctp_invalid_media_type",
	FST_ERR_INVALID_URL: "invalid_url",
	FST_ERR_MAX_PARAM_LENGTH: "max_param_length",
	FST_ERR_NOT_FOUND: "not_found",
	FST_ERR_VALIDATION: "validation",
};

function frameworkMessage(error: FastifyError, request: FastifyRequest): string {
	return error.code === "FST_ERR_CTP_BODY_TOO_LARGE" ? bodyTooLarge(request) : error.message;
}
