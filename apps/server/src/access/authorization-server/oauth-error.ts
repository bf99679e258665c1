import type { FastifyReply, FastifyRequest } from "fastify";
import { UserError, ValidationError } from "#base/errors.ts";
import { sendError } from "#http/error-wire.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";

/** Codes of RFC 6749, 7009, 7591, 8628 and 8707. */
export type OAuthErrorCode =
	| "invalid_request"
	| "invalid_client"
	| "invalid_grant"
	| "unauthorized_client"
	| "unsupported_grant_type"
	| "unsupported_response_type"
	| "invalid_scope"
	| "invalid_target"
	| "access_denied"
	| "authorization_pending"
	| "slow_down"
	| "expired_token"
	| "invalid_redirect_uri"
	| "invalid_client_metadata"
	| "temporarily_unavailable";

/** What is wrong with a request of a program, on the wire of RFC 6749, 5.2. */
export class OAuthError extends Error {
	override readonly name = "OAuthError";
	readonly code: OAuthErrorCode;

	/** @param message printable ASCII without quotes and backslashes, as the RFC wants it */
	constructor(code: OAuthErrorCode, message: string) {
		super(message);
		this.code = code;
	}
}

/** Answers with the JSON of RFC 6749, 5.2 instead of the forms of the API. */
export function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	if (error instanceof OAuthError) return send(reply, 400, error.code, error.message);
	if (error instanceof ValidationError) return send(reply, 400, "invalid_request", error.message);
	if (error instanceof UserError && error.status < 500) {
		if (error.retryAfter !== undefined) void reply.header("retry-after", String(error.retryAfter));
		const code =
			error.status === 403 ? "access_denied" : error.status === 429 ? "temporarily_unavailable" : "invalid_request";
		return send(reply, error.status, code, error.message);
	}
	if (error instanceof StorageUnavailable || error instanceof UserError) {
		void reply.header("retry-after", "2");
		request.log.warn({ err: error, path: request.routeOptions.url }, "a program could not be answered");
		return send(reply, 503, "temporarily_unavailable", "Try again.");
	}
	if (isOfRequest(error)) return send(reply, error.statusCode, "invalid_request", error.message);
	return sendError(error, request, reply);
}

/** An error of the framework about the request itself, such as its media type. */
function isOfRequest(error: unknown): error is Error & { readonly statusCode: number } {
	if (!(error instanceof Error) || !("statusCode" in error)) return false;
	return typeof error.statusCode === "number" && error.statusCode >= 400 && error.statusCode < 500;
}

function send(reply: FastifyReply, status: number, error: string, text: string): FastifyReply {
	const description = text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
	return reply
		.code(status)
		.headers({ "cache-control": "no-store", pragma: "no-cache" })
		.type("application/json; charset=utf-8")
		.send(JSON.stringify({ error, error_description: description }));
}
