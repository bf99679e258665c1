import type { Message, Plain } from "../model.ts";

/** A tool that a model was offered. */
export type SentTool =
	| {
			readonly name: string;
			readonly description?: string;
			/** Its JSON Schema. */
			readonly parameters?: { readonly [key: string]: Plain };
			readonly strict?: boolean;
			/** Nothing else was recorded. */
			readonly isNameOnly?: true;
	  }
	/** Of a provider, such as a search: as it was sent. */
	| { readonly raw: { readonly [key: string]: Plain } };

export type SentToolChoice =
	| { readonly type: "none" | "zero_or_more" | "one_or_more" }
	| { readonly type: "specific_function"; readonly function_name: string };

/** How the answer was to be formed; without a schema, any JSON. */
export interface SentResponseFormat {
	readonly name?: string;
	readonly description?: string;
	readonly schema?: { readonly [key: string]: Plain };
	readonly strict?: boolean;
}

/** Parameters of a call by one name each, whatever the provider calls them. */
export interface SentParameters {
	temperature?: number;
	top_p?: number;
	top_k?: number;
	max_tokens?: number;
	/** The same limit under the name that OpenAI's reasoning models want. */
	max_completion_tokens?: number;
	stop?: string[];
	seed?: number;
	frequency_penalty?: number;
	presence_penalty?: number;
	reasoning_effort?: string;
	/** Anthropic's. */
	thinking?: { readonly [key: string]: Plain };
	/** Google's. */
	thinking_config?: { readonly [key: string]: Plain };
	/** Others that a request can be sent with, by the name that was recorded. */
	others?: { [key: string]: Plain };
	/** Names of what was recorded besides, whose meaning is not known. */
	unknown?: string[];
}

/** What a model was asked, as far as a span tells. Absent members were not recorded. */
export interface SentRequest {
	/** The requested model, else the one that answered. */
	model?: string;
	provider?: string;
	/** With `parts`. */
	messages?: Message[];
	/** What the span was given, as text, where no messages were recorded. */
	input?: string;
	tools?: SentTool[];
	tool_choice?: SentToolChoice;
	disable_parallel_tool_calls?: boolean;
	response_format?: SentResponseFormat;
	parameters?: SentParameters;
	/** The parameters of the request were recorded as a whole: what is absent was not sent. */
	isWhole: boolean;
	template?: { text?: string; variables?: Plain };
}
