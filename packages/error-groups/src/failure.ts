import { type Plain, readFacts, readRefusal, readSemantic, type Semantic, type SpanInput } from "@spanward/semconv";
import type { ErrorKind } from "./model.ts";
import { normalizeMessage } from "./normalize-message.ts";
import { shownLine } from "./shown-text.ts";

/** A span that failed, as far as its fingerprint and its group need it. */
export interface Failure {
	readonly kind: ErrorKind;
	readonly spanName: string;
	readonly semantic: Semantic;
	/** The type of the exception or error, at most 1,000 characters; empty if none was sent. */
	readonly type: string;
	/** As sent, without a Python traceback; empty if none was. */
	readonly message: string;
	readonly normalizedMessage: string;
	/** The normalized message that the message wraps, as in `Error in agent run: {'error': '…'}`. */
	readonly wrappedMessage?: string;
	/** Empty if none was sent. */
	readonly stack: string;
	/** Neither an exception nor a message says what happened here. */
	readonly saysNothing: boolean;
	/** Of a refusal: `content_filter`, …, `guardrail`. */
	readonly reason?: string;
	/** The span's attributes, then those of its exception, which ended it. */
	readonly attributes: readonly ReadonlyMap<string, Plain>[];
}

const MAX_TYPE = 1_000;
const STATUS_ERROR = 2;
const MODEL_CALLS: ReadonlySet<string> = new Set(["LLM", "EMBEDDING", "RERANKER"]);
const EXCEPTION_KEYS = ["exception.type", "exception.message", "exception.stacktrace"] as const;

/** A member of JSON, or of what Python prints for it. */
const WRAPPED = /(["'])(?:error|message|detail)\1:\s?(["'])(.{10,2000}?)\2(?=[,}])/;
/** Of a message, so much is looked at for another one in it. */
const MAX_READ = 4_096;

/** Why a span failed; undefined if it did not. Never throws. */
export function readFailure(span: SpanInput): Failure | undefined {
	if (span.statusCode !== STATUS_ERROR) return readRefusedAnswer(span);
	const semantic = readSemantic(span);
	const error = semantic.error ?? {};
	const refusal = readRefusal(span, semantic.kind);
	const reason = refusal?.reason ?? (semantic.kind === "GUARDRAIL" ? "guardrail" : undefined);
	const type = shownLine(error.type ?? "", MAX_TYPE);
	const stack = error.stacktrace ?? "";
	// An error's type stands in for a message that was not sent.
	const ownMessage = error.message === error.type && error.raw_status_message === undefined ? undefined : error.message;
	const hasException =
		error.exception_event === true || EXCEPTION_KEYS.some((key) => (span.attributes.get(key) ?? "") !== "");
	const message = ownMessage ?? refusal?.text ?? error.message ?? "";
	const wrapped = WRAPPED.exec(message.slice(0, MAX_READ))?.[3];
	return {
		kind: kindOf(semantic, reason, hasException),
		spanName: span.name,
		semantic,
		type,
		message,
		normalizedMessage: normalizeMessage(message),
		...(wrapped === undefined ? {} : { wrappedMessage: normalizeMessage(wrapped) }),
		stack,
		saysNothing: !hasException && ownMessage === undefined,
		...(reason === undefined ? {} : { reason }),
		attributes: attributesOf(span),
	};
}

function readRefusedAnswer(span: SpanInput): Failure | undefined {
	const refusal = readRefusal(span, readFacts(span.name, span.scopeName, span.attributes).kind);
	if (refusal === undefined) return undefined;
	const message = refusal.text ?? "";
	return {
		kind: "refusal",
		spanName: span.name,
		semantic: readSemantic(span),
		type: "",
		message,
		normalizedMessage: normalizeMessage(message),
		stack: "",
		saysNothing: message === "",
		reason: refusal.reason,
		attributes: attributesOf(span),
	};
}

function kindOf(semantic: Semantic, reason: string | undefined, hasException: boolean): ErrorKind {
	if (reason !== undefined) return "refusal";
	if (MODEL_CALLS.has(semantic.kind)) return "provider_error";
	if (semantic.kind === "TOOL") return "tool_failure";
	return hasException ? "exception" : "error";
}

function attributesOf(span: SpanInput): readonly ReadonlyMap<string, Plain>[] {
	const exception = span.events.findLast((event) => event.name === "exception");
	return exception === undefined ? [span.attributes] : [span.attributes, exception.attributes];
}

/** The first of the keys that was sent as a text that is not blank, or as a number. */
export function sentText({ attributes }: Failure, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		for (const map of attributes) {
			const value = map.get(key);
			const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
			if (typeof text === "string" && text.trim() !== "") return text.trim();
		}
	}
	return undefined;
}

/** `RateLimitError` of `openai.RateLimitError`, `Inner` of `com.acme.Outer$Inner`, `errorString` of `*errors.errorString`. */
export function lastPartOfType(type: string): string {
	return type.slice(Math.max(type.lastIndexOf("."), type.lastIndexOf("$"), type.lastIndexOf(":")) + 1);
}
