import type { z } from "zod";
import type {
	PromptMessage,
	PromptResponseFormat,
	PromptTools,
	StoredInvocationParameters,
} from "./definition-schemas.ts";

/** An image in a message: its bytes in base64. The server never fetches the address of an image. */
export interface ImagePart {
	readonly type: "image";
	/** `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
	readonly media_type: string;
	readonly data: string;
}

type PromptPart = Exclude<z.output<typeof PromptMessage>["content"], string>[number];

/** Whose thoughts can be sent back. */
export const REASONING_PROVIDERS = ["anthropic", "google", "aws_bedrock"] as const;

/** What a model thought before it called tools, as its provider wants it back when the conversation goes on. */
export interface ReasoningPart {
	readonly type: "reasoning";
	/** Empty where the provider does not tell. */
	readonly text: string;
	/** Nobody else can read it. */
	readonly provider: (typeof REASONING_PROVIDERS)[number];
	/** The provider's proof that these thoughts are the model's own. */
	readonly signature?: string | undefined;
	/** Thoughts that only the provider can read, in place of a text. */
	readonly redacted?: string | undefined;
	/** The call that the signature belongs to, where it is one. */
	readonly tool_call_id?: string | undefined;
}

export type MessagePart = PromptPart | ImagePart | ReasoningPart;

/** As messages of prompt versions are, with images. */
export interface ModelMessage {
	readonly role: z.output<typeof PromptMessage>["role"];
	readonly content: string | readonly MessagePart[];
}

/** One request to a model, as it goes out: variables are filled in. */
export interface ModelRequest {
	readonly model: string;
	readonly messages: readonly ModelMessage[];
	/** Of any provider: what the connection's kind calls otherwise is translated, what it cannot say is a warning. */
	readonly invocation_parameters?: z.output<typeof StoredInvocationParameters>;
	readonly tools?: z.output<typeof PromptTools>;
	readonly response_format?: z.output<typeof PromptResponseFormat>;
}

export interface ToolCall {
	readonly id: string;
	readonly name: string;
	/** JSON, as the model wrote it. */
	readonly arguments: string;
}

/** Tokens as the provider counted them; `input` includes what was read from and written to caches, `output` includes reasoning. */
export interface ModelUsage {
	readonly input: number;
	readonly output: number;
	readonly cache_read?: number;
	readonly cache_write?: number;
	readonly reasoning?: number;
}

/** What arrives while a model answers. */
export type ModelDelta =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "reasoning"; readonly text: string }
	| { readonly type: "tool_call"; readonly tool_call: ToolCall };

export interface ModelAnswer {
	readonly text: string;
	readonly reasoning: string;
	readonly tool_calls: readonly ToolCall[];
	/** To be sent back before the calls of tools when the conversation goes on; absent where there is none. */
	readonly signed_reasoning?: readonly ReasoningPart[];
	/** `stop`, `length`, `tool_calls`, `content_filter`, or the provider's own word. */
	readonly finish_reason: string;
	/** Absent when the provider counted none. */
	readonly usage?: ModelUsage;
	/** The model that answered, as the provider names it. */
	readonly model: string;
	/** Sentences about what the provider could not be told, such as a parameter that it does not have. */
	readonly warnings: readonly string[];
}

/** What came before a call failed. */
export type PartialAnswer = Pick<ModelAnswer, "text" | "reasoning" | "tool_calls"> & { readonly usage?: ModelUsage };
