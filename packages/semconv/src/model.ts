/** What a span means, read from any of the conventions that instrumentation libraries use. */

export const SPAN_KINDS = [
	"LLM",
	"CHAIN",
	"AGENT",
	"TOOL",
	"RETRIEVER",
	"EMBEDDING",
	"RERANKER",
	"GUARDRAIL",
	"EVALUATOR",
	"PROMPT",
	"DECISION",
	"UNKNOWN",
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export type Convention =
	| "openinference"
	| "genai"
	| "genai-legacy-indexed"
	| "traceloop"
	| "vercel-ai-sdk"
	| "langfuse"
	| "mlflow"
	| "plain";

/** JSON-like data; objects may have no prototype. The same shape as `PlainValue` of the OTLP package. */
export type Plain =
	| null
	| string
	| boolean
	| number
	| bigint
	| Uint8Array
	| readonly Plain[]
	| { readonly [key: string]: Plain };

/** A span's attributes by key, as sent (dotted keys are not expanded). */
export type Attributes = ReadonlyMap<string, Plain>;

export interface TokenCounts {
	prompt?: number;
	completion?: number;
	/** As sent, else prompt + completion. */
	total?: number;
	cache_read?: number;
	cache_write?: number;
	reasoning?: number;
}

/** What lists, totals and filters need; read for every span on arrival, so it must be cheap. */
/** What sent a span. */
export interface Deployment {
	/** Its version, such as `2.14.0`. */
	release?: string;
	/** Where it runs, such as `production`. */
	environment?: string;
}

export interface SpanFacts extends Deployment {
	convention: Convention;
	kind: SpanKind;
	/** The responding model, else the requested one. */
	model?: string;
	provider?: string;
	tokens: TokenCounts;
	/** The span's tokens are the sum of its descendants' (by convention, e.g. the outer `ai.*` spans). */
	tokens_are_aggregate: boolean;
	/** Total cost in US dollars that the application sent itself. */
	cost_sent?: { total?: number; prompt?: number; completion?: number };
	session_id?: string;
	user_id?: string;
	/** The attribute the kind was read from, e.g. `gen_ai.operation.name=chat`. */
	kind_from?: string;
	/** The requested model, if it was sent separately. */
	request_model?: string;
	/** The attribute the session id was read from, when it is a conversation id. */
	session_from?: string;
}

export interface ToolCall {
	id?: string;
	name?: string;
	/** Parsed if it is JSON, else the text. */
	arguments?: Plain;
}

/** Audio, video or a file in a message. */
export interface Media {
	kind: "audio" | "video" | "file";
	mime?: string;
	/** data: or https:, if it was sent. */
	url?: string;
	name?: string;
	/** Under which the provider keeps it. */
	id?: string;
	/** What is said in it. */
	transcript?: string;
}

/** A piece of a message's content. */
export type MessagePart = { type: "text"; text: string } | { type: "image"; url?: string };

export interface Message {
	role: string;
	text?: string;
	/** Texts and images in their order, of `readRequest` alone, where there are several. */
	parts?: MessagePart[];
	tool_calls?: ToolCall[];
	tool_call_id?: string;
	/** Number of image parts. */
	images?: number;
	/** URLs of the image parts (data: or https:), in order, if they were sent. */
	image_urls?: string[];
	/** Audio, video and files, in order. */
	media?: Media[];
	/** The model's visible reasoning, if it was sent separately from the answer. */
	reasoning?: string;
	name?: string;
}

export interface RawValue {
	attribute: string;
	value: Plain;
	mime?: string;
}

/** The meaning of a span, as the wire object `semantic`. Absent members were not sent. */
export interface Semantic {
	convention: Convention;
	kind: SpanKind;
	/** The attribute the kind was read from, e.g. `gen_ai.operation.name=chat`. */
	kind_from?: string;
	model?: string;
	request_model?: string;
	provider?: string;
	tokens?: TokenCounts;
	tokens_are_aggregate?: boolean;
	/** An explicit sum over other spans, in addition to the span's own tokens. */
	aggregated_tokens?: TokenCounts;
	cost?: {
		total?: number;
		prompt?: number;
		completion?: number;
		cache_read?: number;
		cache_write?: number;
		reasoning?: number;
		source: "sent" | "table";
	};
	input?: RawValue;
	output?: RawValue;
	input_text?: string;
	output_text?: string;
	input_messages?: Message[];
	output_messages?: Message[];
	tool?: { name?: string; description?: string; call_id?: string; parameters?: Plain };
	/** Names of the tools offered to the model. */
	tool_definitions?: string[];
	/** The definitions of those tools as they were sent; in the same order if all of them have names. */
	tool_schemas?: Plain[];
	documents?: { id?: string; content?: string; score?: number; metadata?: Plain }[];
	embeddings?: { texts?: string[]; vectors?: number; dimension?: number };
	prompt_template?: { template?: string; version?: string; variables?: Plain };
	invocation_parameters?: Plain;
	conversation?: Message[];
	agent_name?: string;
	error?: {
		type?: string;
		message?: string;
		stacktrace?: string;
		exception_event?: boolean;
		raw_status_message?: string;
	};
	session_id?: string;
	session_from?: string;
	user_id?: string;
	metadata?: Plain;
	metadata_flattened?: Plain;
	tags?: string[];
	content_not_captured?: boolean;
	level?: string;
	status_message?: string;
	trace_name?: string;
	environment?: string;
	version?: string;
	release?: string;
	function_id?: string;
	finish_reason?: string;
}

/** The input of `readSemantic`. */
export interface SpanInput {
	name: string;
	scopeName: string;
	/** 0 unset, 1 ok, 2 error. */
	statusCode: number;
	statusMessage: string;
	attributes: Attributes;
	events: readonly { name: string; attributes: Attributes }[];
	/** Log records of this span (GenAI events sent to `/v1/logs`), in order of time. */
	logs: readonly { eventName: string; body: Plain; attributes: Attributes }[];
}
