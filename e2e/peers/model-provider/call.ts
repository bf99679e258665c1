import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json.ts";

/** What providers sign thoughts with, and check when these come back. */
export const THOUGHT_SIGNATURE = "c2lnbmF0dXJl";

/** What a request asks of a model, whatever wire it came by. */
export interface ModelCall {
	readonly model: string;
	readonly isStreamed: boolean;
	readonly messages: readonly CallMessage[];
	readonly tools: readonly CallTool[];
	readonly toolChoice: ToolChoice;
	/** JSON Schema that the answer has to fit; "any object" where the request asks for JSON without saying which. */
	readonly schema: JsonObject | "any object" | undefined;
	readonly maxTokens: number | undefined;
	readonly wantsReasoning: boolean;
	/** What the request says of sampling and the like: names that OpenAI's Chat Completions have, with those of this wire. */
	readonly parameters: ReadonlyMap<string, string>;
	/** Whether a stream ends with usage; answers that are not streamed always have it. */
	readonly streamsUsage: boolean;
	/** Of answers: the same for the same request. */
	readonly id: string;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export interface CallMessage {
	readonly role: "system" | "user" | "assistant" | "tool";
	readonly text: string;
	readonly images: readonly CallImage[];
	readonly toolCalls: readonly ToolCall[];
	/** Ids, or where a wire has none names, of the calls that this message has results of. */
	readonly toolResults: readonly string[];
}

export interface CallImage {
	readonly mediaType: string;
	readonly bytes: number;
}

export interface CallTool {
	readonly name: string;
	readonly schema: JsonObject;
}

export interface ToolCall {
	readonly id: string;
	readonly name: string;
	/** JSON. */
	readonly arguments: string;
}

/** `input` has what was read from and written to caches in it, `output` the reasoning. */
export interface Usage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly reasoning: number;
}

export type Finish = "stop" | "length" | "tool_calls" | "content_filter";

export interface Answer {
	readonly text: string;
	readonly reasoning: string;
	readonly toolCalls: readonly ToolCall[];
	readonly finish: Finish;
	/** What a stream sends the text in; the wire cuts it where absent. */
	readonly pieces?: Iterable<string>;
	/** The text is one in which the model refuses. */
	readonly isRefusal: boolean;
	readonly usage: Usage | undefined;
	/** The model that says it answered. */
	readonly model: string;
}

export interface IncomingCall {
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: IncomingHttpHeaders;
	readonly body: JsonObject;
	/** The same for the same body. */
	readonly id: string;
}

/** One event of a streamed answer, as it goes over the wire. */
export interface StreamEvent {
	readonly bytes: string | Buffer;
	/** "final" tells that the answer is whole, "done" comes behind it on wires that have such an event. */
	readonly part?: "final" | "done";
}

/** Reads requests of one provider's API, and writes its answers. */
export interface Wire {
	/** As in the record of requests. */
	readonly name: string;
	/** Content type of a streamed answer. */
	readonly streamType: string;
	/** @throws ProviderError when the provider would refuse the request */
	read(incoming: IncomingCall): ModelCall;
	writeWhole(call: ModelCall, answer: Answer): JsonObject;
	writeStream(call: ModelCall, answer: Answer): Iterable<StreamEvent>;
	/** An event of a stream that does not parse. */
	readonly brokenEvent: string | Buffer;
	/** An event that says that the rest will not come. */
	writeErrorEvent(error: ProviderError): string | Buffer;
	/** What the provider says in such a case; undefined where it answers none the less, as some do to what they filter. */
	refuse(kind: ErrorKind, model: string, parameter?: string): ProviderError | undefined;
	writeError(error: ProviderError, incoming: Pick<IncomingCall, "path" | "headers">): ErrorAnswer;
	/** The key or token of a request, or "" where it has none. */
	keyOf(incoming: Pick<IncomingCall, "query" | "headers">): string;
}

export interface ErrorAnswer {
	/** That of the error where absent. */
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: JsonObject;
}

export type ErrorKind =
	| "authentication"
	| "permission"
	| "not_found"
	| "quota"
	| "rate_limit"
	| "overloaded"
	| "server"
	| "context"
	| "unsupported"
	| "filter"
	| "invalid";

/** What a provider refuses a request with; each wire has its own form for it. */
export class ProviderError extends Error {
	override readonly name = "ProviderError";
	readonly kind: ErrorKind;
	readonly status: number;
	/** The member of the request that is to blame. */
	readonly parameter: string | undefined;

	constructor(kind: ErrorKind, status: number, message: string, parameter?: string) {
		super(message);
		this.kind = kind;
		this.status = status;
		this.parameter = parameter;
	}
}

export function invalid(message: string, parameter?: string): ProviderError {
	return new ProviderError("invalid", 400, message, parameter);
}
