import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { pageSchema } from "#http/cursors.ts";
import { jsonObject } from "#http/json-values.ts";
import { storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { MODEL_PROVIDERS } from "#models/definition-schemas.ts";

const text = storedText(1_000_000);
const shortText = storedText(1_000);

const TextPart = z.object({ type: z.literal("text"), text });

const ImagePart = z.object({
	type: z.literal("image_url"),
	image_url: z.object({
		url: z.string().describe("A data URL of a PNG, JPEG, WebP or GIF; addresses are not fetched."),
		detail: z.enum(["auto", "low", "high"]).optional(),
	}),
});

const texts = z.union([text, bodyList(TextPart, { min: 1, max: 1_000 })]);

const ToolCall = z.object({
	id: shortText,
	type: z.literal("function"),
	function: z.object({ name: shortText, arguments: text.describe("JSON") }),
});

const ChatMessage = z
	.discriminatedUnion("role", [
		z.object({ role: z.enum(["system", "developer"]), content: texts, name: shortText.optional() }),
		z.object({
			role: z.literal("user"),
			content: z.union([text, bodyList(z.discriminatedUnion("type", [TextPart, ImagePart]), { min: 1, max: 1_000 })]),
			name: shortText.optional(),
		}),
		z.object({
			role: z.literal("assistant"),
			content: texts.nullish(),
			tool_calls: z.array(ToolCall).max(1_000).nullish(),
			name: shortText.optional(),
		}),
		z.object({ role: z.literal("tool"), tool_call_id: shortText, content: texts }),
	])
	.meta({ id: "ChatMessage" });

const Tool = z.object({
	type: z.literal("function"),
	function: z.strictObject({
		name: shortText.min(1),
		description: text.nullish(),
		parameters: jsonObject.nullish().describe("JSON Schema"),
		strict: z.boolean().nullish(),
	}),
});

const ToolChoice = z.union([
	z.enum(["none", "auto", "required"]),
	z.object({ type: z.literal("function"), function: z.object({ name: shortText }) }),
]);

const ResponseFormat = z.discriminatedUnion("type", [
	z.object({ type: z.literal("text") }),
	z.object({
		type: z.literal("json_schema"),
		json_schema: z.strictObject({
			name: shortText.min(1),
			description: text.nullish(),
			schema: jsonObject.nullish(),
			strict: z.boolean().nullish(),
		}),
	}),
]);

/** Members that are not here are refused: what a model is not told must not be lost in silence. */
export const ChatCompletionBody = z
	.strictObject({
		model: z
			.string()
			.min(1)
			.max(2_000)
			.describe("`<connection>:<model>`, `<provider>:<model>`, or `custom:<id of the connection>:<model>`."),
		messages: bodyList(ChatMessage, { min: 1, max: 1_000 }),
		stream: z.boolean().nullish(),
		stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
		temperature: z.number().nullish(),
		top_p: z.number().nullish(),
		max_tokens: z.int().min(1).nullish(),
		max_completion_tokens: z.int().min(1).nullish(),
		stop: z.union([shortText, z.array(shortText).max(1_000)]).nullish(),
		frequency_penalty: z.number().nullish(),
		presence_penalty: z.number().nullish(),
		seed: z.int().nullish(),
		n: z.int().nullish().describe("1"),
		reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullish(),
		tools: z.array(Tool).max(128).nullish(),
		tool_choice: ToolChoice.nullish(),
		parallel_tool_calls: z.boolean().nullish(),
		response_format: ResponseFormat.nullish(),
		user: z.string().nullish().describe("Not sent to the provider."),
	})
	.meta({ id: "ChatCompletionBody" });

export type GivenChat = z.output<typeof ChatCompletionBody>;
export type GivenMessage = z.output<typeof ChatMessage>;

const Usage = z
	.object({
		prompt_tokens: z.int(),
		completion_tokens: z.int(),
		total_tokens: z.int(),
		prompt_tokens_details: z.object({ cached_tokens: z.int() }),
		completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
	})
	.meta({ id: "ChatCompletionUsage" });

const AnsweredToolCall = z.object({
	id: z.string(),
	type: z.literal("function"),
	function: z.object({ name: z.string(), arguments: z.string() }),
});

export const ChatCompletion = z
	.object({
		id: z.string(),
		object: z.literal("chat.completion"),
		created: z.int().describe("Seconds since 1970."),
		model: z.string().describe("The model that answered, as the provider names it."),
		choices: z.array(
			z.object({
				index: z.int(),
				message: z.object({
					role: z.literal("assistant"),
					content: z.string().nullable(),
					reasoning_content: z.string().optional(),
					refusal: z.null(),
					tool_calls: z.array(AnsweredToolCall).optional(),
				}),
				logprobs: z.null(),
				finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
			}),
		),
		usage: Usage.optional().describe("Absent when the provider counted none."),
		warnings: z.array(z.string()).optional().describe("What the provider could not be told."),
	})
	.meta({ id: "ChatCompletion" });

const ChatCompletionError = z
	.object({
		error: z.object({
			message: z.string(),
			type: z.enum(["invalid_request_error", "api_error"]),
			param: z.null(),
			code: z.string().nullable(),
		}),
	})
	.describe("An error as OpenAI's clients read it.")
	.meta({ id: "ChatCompletionError" });

/** What other routes do not answer; other errors have the same form. */
export const CHAT_ERRORS = { 402: ChatCompletionError, 502: ChatCompletionError, 504: ChatCompletionError } as const;

const ModelProviderName = z.enum(MODEL_PROVIDERS);

export const ModelProviders = z.object({
	data: z.array(z.object({ provider: ModelProviderName, name: z.string() }).meta({ id: "BuiltInModelProvider" })),
});

const CustomModelProvider = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		provider: z.string(),
		sdk: z.enum(["openai", "azure_openai", "anthropic", "aws_bedrock", "google_genai"]),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "CustomModelProvider" });

export const CustomModelProviderPage = pageSchema(CustomModelProvider).meta({ id: "CustomModelProviderPage" });
