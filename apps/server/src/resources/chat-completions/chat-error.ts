import type { FastifyReply, FastifyRequest } from "fastify";
import type { ModelError, ModelErrorCode } from "#models/model-error.ts";

/** An error in the form of OpenAI's API, which its clients read. */
export interface ChatErrorBody {
	readonly error: {
		readonly message: string;
		readonly type: "invalid_request_error" | "api_error";
		readonly param: null;
		readonly code: string | null;
	};
}

/** What a request asks for cannot be done; the answer to it. */
export class ChatError extends Error {
	override readonly name = "ChatError";
	readonly status: number;
	readonly code: string;

	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** Of errors that have no status of a provider. */
const STATUS: Readonly<Record<ModelErrorCode, number>> = {
	authentication: 401,
	quota: 402,
	rate_limited: 429,
	budget_exhausted: 402,
	price_unknown: 400,
	model_not_found: 404,
	unsupported_parameter: 400,
	content_filtered: 400,
	context_too_long: 400,
	bad_request: 400,
	bad_response: 502,
	interrupted: 502,
	timeout: 504,
	unreachable: 502,
	forbidden_address: 502,
	untrusted_certificate: 502,
	proxy: 502,
	cancelled: 503,
	connection_off: 403,
	connection_unconfirmed: 403,
	calls_off: 403,
};

export function statusOf({ code, status }: ModelError): number {
	return status !== undefined && status >= 400 ? status : STATUS[code];
}

export function errorBody(status: number, code: string | null, message: string): ChatErrorBody {
	const type = status < 500 ? "invalid_request_error" : "api_error";
	return { error: { message, type, param: null, code } };
}

export function sendChatError(reply: FastifyReply, error: ChatError | ModelError): FastifyReply {
	const status = error instanceof ChatError ? error.status : statusOf(error);
	return reply
		.code(status)
		.type("application/json; charset=utf-8")
		.send(JSON.stringify(errorBody(status, error.code, error.message)));
}

/** Codes of errors that are answered before the handler runs, as OpenAI's API has them. */
const CODES: Readonly<Record<number, string>> = {
	401: "invalid_api_key",
	403: "permission_denied",
	422: "validation_failed",
	429: "rate_limit_exceeded",
};

/** Gives the errors of the service itself the same form: the body, unless it has that already. */
export async function asChatError(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
	const { statusCode } = reply;
	if (statusCode < 400 || typeof payload !== "string" || payload.startsWith('{"error":')) return payload;
	void reply.type("application/json; charset=utf-8").removeHeader("content-length");
	return JSON.stringify(errorBody(statusCode, CODES[statusCode] ?? null, messageOf(payload)));
}

/** A text, or what does not validate. */
function messageOf(payload: string): string {
	if (!payload.startsWith("{")) return payload;
	const { detail } = JSON.parse(payload) as { detail?: string | { loc: unknown[]; msg: string }[] };
	if (typeof detail === "string" || detail === undefined) return detail ?? payload;
	return detail.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ");
}
