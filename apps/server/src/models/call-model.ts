import type { SpanProject } from "./caller/own-sender.ts";
import type { ModelError } from "./model-error.ts";
import type { ModelAnswer, ModelDelta, ModelRequest, PartialAnswer } from "./model-request.ts";

/** What a call is made for: it decides who waits for whom, what is retried, and what the span says. */
export type CallPurpose = "playground" | "experiment" | "evaluator" | "chat_completions" | "test";

export interface CallUse {
	readonly purpose: CallPurpose;
	/** A person waits: nothing is retried, and a quarter of the connection's places is kept for these. */
	readonly isInteractive: boolean;
	/** Gets the spans of the attempts. */
	readonly project: SpanProject;
	/** Budgets beside that of the connection, such as that of a job. */
	readonly budgets: readonly {
		readonly scope: string;
		readonly limitNanos: number | undefined;
		readonly what: string;
	}[];
	/** The global id of the prompt version whose messages these are. */
	readonly promptVersionId?: string;
	/** The attempts are children of this span. */
	readonly parent?: { readonly traceId: string; readonly spanId: string };
	/** Names the span; the model's name where absent. */
	readonly name?: string;
	/** Whoever asks is an admin, or background work that an admin allowed. Decides about `use_by`. */
	readonly isAdmin: boolean;
}

export interface CallOptions {
	readonly signal: AbortSignal;
	/** Called for each piece of a streamed answer; the answer is not streamed where absent. */
	readonly onDelta?: (delta: ModelDelta) => void;
}

export interface CallResult {
	readonly answer: ModelAnswer;
	/** Dollars; undefined where the model has no price. */
	readonly costUsd: number | undefined;
	readonly latencyMs: number;
	/** Until the first piece; of streamed answers only. */
	readonly firstTokenMs: number | undefined;
	/** Of the attempt that succeeded: 32 and 16 hex digits. */
	readonly traceId: string;
	readonly spanId: string;
	/** Those of the provider, and what was left out because the model refuses it. */
	readonly warnings: readonly string[];
	readonly attempts: number;
}

/** A failed call with what came before and where its span is. */
export interface CallFailure {
	readonly error: ModelError;
	readonly partial: PartialAnswer | undefined;
	readonly costUsd: number | undefined;
	readonly latencyMs: number;
	/** Absent where nothing was sent. */
	readonly trace: { readonly traceId: string; readonly spanId: string } | undefined;
	readonly attempts: number;
}

/** Calls models within the limits of their connections, over all servers, and records each attempt as a span. */
export interface ModelCaller {
	/** Never rejects for what a provider, a limit or a setting does: that is a {@link CallFailure}. */
	call(
		connectionId: number,
		request: ModelRequest,
		use: CallUse,
		options: CallOptions,
	): Promise<CallResult | CallFailure>;
}
