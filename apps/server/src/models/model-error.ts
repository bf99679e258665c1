import type { PartialAnswer } from "./model-request.ts";

/** Why a call of a model failed; the same words in answers, spans, metrics and docs. */
export const MODEL_ERROR_CODES = [
	"authentication",
	"quota",
	"rate_limited",
	"budget_exhausted",
	"price_unknown",
	"model_not_found",
	"unsupported_parameter",
	"content_filtered",
	"context_too_long",
	"bad_request",
	"bad_response",
	"interrupted",
	"timeout",
	"unreachable",
	"forbidden_address",
	"untrusted_certificate",
	"proxy",
	"cancelled",
	"connection_off",
	"connection_unconfirmed",
	"calls_off",
] as const;
export type ModelErrorCode = (typeof MODEL_ERROR_CODES)[number];

export interface ModelErrorDetails extends ErrorOptions {
	/** HTTP status of the provider, when it answered. */
	readonly status?: number;
	/** The parameter that the provider refused, as it is named in invocation parameters. */
	readonly parameter?: string;
	/** What the provider asked to wait, in milliseconds. */
	readonly retryAfterMs?: number;
	/** Whether the same call may succeed later: 408, 409, 429, 5xx, timeouts, resets, answers that are not of the protocol. */
	readonly isPassing?: boolean;
	/** Key of the budget that is exhausted. */
	readonly scope?: string;
	/** What came before the call failed, where anything did. */
	readonly partial?: PartialAnswer;
}

/**
 * A call of a model failed. The message says what to change, quotes at most 500 characters of the provider, and has no
 * credential in it.
 */
export class ModelError extends Error {
	override readonly name = "ModelError";
	readonly code: ModelErrorCode;
	readonly status: number | undefined;
	readonly parameter: string | undefined;
	readonly retryAfterMs: number | undefined;
	readonly isPassing: boolean;
	readonly scope: string | undefined;
	readonly partial: PartialAnswer | undefined;

	constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
		super(message, details.cause === undefined ? undefined : { cause: details.cause });
		this.code = code;
		this.status = details.status;
		this.parameter = details.parameter;
		this.retryAfterMs = details.retryAfterMs;
		this.isPassing = details.isPassing ?? false;
		this.scope = details.scope;
		this.partial = details.partial;
	}
}
