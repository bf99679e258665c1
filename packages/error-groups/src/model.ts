import type { SpanInput } from "@spanward/semconv";

/** Kinds of failures; a failure has the first that fits. */
export const ERROR_KINDS = ["refusal", "provider_error", "tool_failure", "exception", "error"] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** A span with its place in the trace. */
export interface TraceSpan extends SpanInput {
	/** 16 lower-case hex digits. */
	readonly spanId: string;
	/** Empty for a root. */
	readonly parentSpanId: string;
	readonly startTimeUnixNano: bigint;
}

/** What a project sets. */
export interface GroupingOptions {
	/**
	 * Code of one's own besides what is no library: parts of paths (`/site-packages/acme/`), or beginnings of modules
	 * (`com.acme.`).
	 */
	readonly ownCode?: readonly string[];
	/** The kinds of failures to collect; all of them by default. */
	readonly kinds?: ReadonlySet<ErrorKind>;
}

/** A call on a stack, without its line. */
export interface Frame {
	/** The file or class: `langgraph.pregel.main`, `apps/checkout`, `com.acme.Orders`. */
	readonly module: string;
	readonly function: string;
	readonly is_own: boolean;
}

/** By what occurrences are compared. */
export type GroupingRule = "explicit" | "provider" | "refusal" | "stack" | "message";

/** Something that a fingerprint is made of, e.g. `{name: "status", value: "429"}`. */
export interface GroupingPart {
	readonly name: string;
	readonly value: string;
}

/** Why occurrences are together. */
export interface Grouping {
	readonly rule: GroupingRule;
	/** Values are cut to 1,000 characters; the fingerprint is of the whole. */
	readonly parts: readonly GroupingPart[];
	readonly normalized_message: string;
	/** The innermost calls, at most 50, innermost first; empty without a readable stack. */
	readonly frames: readonly Frame[];
}

/** Where it happened. Absent members were not sent. */
export interface Culprit {
	span_name: string;
	tool?: string;
	provider?: string;
	model?: string;
	/** An HTTP status, `timeout` or `connection`. */
	status?: string;
	/** The provider's code or type of the error, or the reason of a refusal. */
	code?: string;
}

/** One failure, counted once however many spans above it failed with it. Texts are well formed and without NUL. */
export interface Occurrence {
	readonly spanId: string;
	readonly startTimeUnixNano: bigint;
	readonly kind: ErrorKind;
	/** 32 hex digits. */
	readonly fingerprint: string;
	readonly version: number;
	/** At most 200 characters, on one line. */
	readonly title: string;
	/** As sent, at most 2,000 characters; may be empty. */
	readonly message: string;
	/** The type of the exception, at most 200 characters. */
	readonly type?: string;
	readonly culprit: Culprit;
	readonly grouping: Grouping;
}
