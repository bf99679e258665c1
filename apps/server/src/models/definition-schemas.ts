import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { jsonObject, jsonValue } from "#http/json-values.ts";
import { storedText } from "#http/stored-text.ts";

/** The content of a prompt version. Unknown keys are refused, as they would be lost. */

const text = storedText(1_000_000);
const shortText = storedText(1_000);

export const MODEL_PROVIDERS = [
	"OPENAI",
	"AZURE_OPENAI",
	"ANTHROPIC",
	"GOOGLE",
	"DEEPSEEK",
	"XAI",
	"OLLAMA",
	"AWS",
	"CEREBRAS",
	"FIREWORKS",
	"GROQ",
	"MOONSHOT",
	"MINIMAX",
	"PERPLEXITY",
	"TOGETHER",
	"ZAI",
	"META",
] as const;

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

const TextContentPart = z.strictObject({ type: z.literal("text"), text }).meta({ id: "TextContentPart" });

const ToolCallContentPart = z
	.strictObject({
		type: z.literal("tool_call"),
		tool_call_id: shortText,
		tool_call: z.strictObject({
			type: z.literal("function"),
			name: shortText,
			arguments: text.describe("JSON"),
		}),
	})
	.meta({ id: "ToolCallContentPart" });

const ToolResultContentPart = z
	.strictObject({
		type: z.literal("tool_result"),
		tool_call_id: shortText,
		tool_result: jsonValue.describe("Any JSON."),
	})
	.meta({ id: "ToolResultContentPart" });

export const ContentPart = z.discriminatedUnion("type", [TextContentPart, ToolCallContentPart, ToolResultContentPart]);

export const MESSAGE_ROLES = ["user", "assistant", "model", "ai", "tool", "system", "developer"] as const;
export const MAX_PARTS = 1_000;

export const PromptMessage = z
	.strictObject({
		role: z.enum(MESSAGE_ROLES),
		content: z.union([text, bodyList(ContentPart, { min: 1, max: MAX_PARTS })]),
	})
	.meta({ id: "PromptMessage" });

/** How variables are written in the texts of messages. */
export const TemplateFormat = z.enum(["MUSTACHE", "F_STRING", "NONE"]);

export const PromptChatTemplate = z
	.strictObject({ type: z.literal("chat"), messages: bodyList(PromptMessage, { max: 1_000 }) })
	.meta({ id: "PromptChatTemplate" });

export const PromptStringTemplate = z
	.strictObject({ type: z.literal("string"), template: text })
	.meta({ id: "PromptStringTemplate" });

const PromptTool = z.discriminatedUnion("type", [
	z.strictObject({
		type: z.literal("function"),
		function: z.strictObject({
			name: shortText,
			description: text.optional(),
			parameters: jsonObject.optional().describe("JSON Schema"),
			strict: z.boolean().optional(),
		}),
	}),
	z.strictObject({ type: z.literal("raw"), raw: jsonObject }),
]);

export const PromptTools = z
	.strictObject({
		type: z.literal("tools"),
		tools: z.array(PromptTool).min(1).max(1_000),
		tool_choice: z
			.discriminatedUnion("type", [
				z.strictObject({ type: z.literal("none") }),
				z.strictObject({ type: z.literal("zero_or_more") }),
				z.strictObject({ type: z.literal("one_or_more") }),
				z.strictObject({ type: z.literal("specific_function"), function_name: shortText }),
			])
			.optional(),
		disable_parallel_tool_calls: z.boolean().optional(),
	})
	.meta({ id: "PromptTools" });

export const PromptResponseFormat = z
	.strictObject({
		type: z.literal("json_schema"),
		json_schema: z.strictObject({
			name: shortText,
			description: text.optional(),
			schema: jsonObject.optional(),
			strict: z.boolean().optional(),
		}),
	})
	.meta({ id: "PromptResponseFormat" });

const stopTexts = z.array(shortText).max(1_000).optional();

export const OpenAIInvocationParameters = z
	.strictObject({
		temperature: z.number().optional(),
		max_tokens: z.int().optional(),
		max_completion_tokens: z.int().optional(),
		frequency_penalty: z.number().optional(),
		presence_penalty: z.number().optional(),
		top_p: z.number().optional(),
		seed: z.int().optional(),
		stop: stopTexts,
		reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
		extra_body: jsonObject.optional(),
	})
	.meta({ id: "PromptOpenAIInvocationParametersContent" });

const display = z.enum(["summarized", "omitted"]).optional();

const AnthropicInvocationParameters = z
	.strictObject({
		max_tokens: z.int(),
		temperature: z.number().optional(),
		top_p: z.number().optional(),
		stop_sequences: stopTexts,
		output_config: z.strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional() }).optional(),
		thinking: z
			.discriminatedUnion("type", [
				z.strictObject({ type: z.literal("disabled") }),
				z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024), display }),
				z.strictObject({ type: z.literal("adaptive"), display }),
			])
			.optional(),
		extra_body: jsonObject.optional(),
	})
	.superRefine(({ thinking, max_tokens }, context) => {
		if (thinking?.type !== "enabled" || thinking.budget_tokens < max_tokens) return;
		const path = ["thinking", "budget_tokens"];
		context.addIssue({ code: "custom", path, message: "budget_tokens must be less than max_tokens" });
	})
	.meta({ id: "PromptAnthropicInvocationParametersContent" });

const GoogleInvocationParameters = z
	.strictObject({
		temperature: z.number().optional(),
		max_output_tokens: z.int().optional(),
		stop_sequences: stopTexts,
		presence_penalty: z.number().optional(),
		frequency_penalty: z.number().optional(),
		top_p: z.number().optional(),
		top_k: z.int().optional(),
		thinking_config: z
			.strictObject({
				thinking_budget: z.int().optional(),
				thinking_level: z.enum(["minimal", "low", "medium", "high"]).optional(),
				include_thoughts: z.boolean().optional(),
			})
			.optional(),
	})
	.meta({ id: "PromptGoogleInvocationParametersContent" });

const AwsInvocationParameters = z
	.strictObject({
		max_tokens: z.int().optional(),
		temperature: z.number().optional(),
		top_p: z.number().optional(),
		stop_sequences: stopTexts,
	})
	.meta({ id: "PromptAwsInvocationParametersContent" });

/** `{type: "openai", openai: {…}}` */
function variant<const Type extends string, Content extends z.ZodType>(type: Type, content: Content) {
	return z.strictObject({ type: z.literal(type), [type]: content } as { type: z.ZodLiteral<Type> } & {
		[Key in Type]: Content;
	});
}

/** The stored form, which is also answered. */
export const StoredInvocationParameters = z.discriminatedUnion("type", [
	variant("openai", OpenAIInvocationParameters),
	variant("anthropic", AnthropicInvocationParameters),
	variant("google", GoogleInvocationParameters),
	variant("aws", AwsInvocationParameters),
]);

export const InvocationParameters = z.discriminatedUnion("type", [
	variant("openai", OpenAIInvocationParameters),
	variant("azure_openai", OpenAIInvocationParameters),
	variant("deepseek", OpenAIInvocationParameters),
	variant("xai", OpenAIInvocationParameters),
	variant("ollama", OpenAIInvocationParameters),
	variant("cerebras", OpenAIInvocationParameters),
	variant("fireworks", OpenAIInvocationParameters),
	variant("groq", OpenAIInvocationParameters),
	variant("moonshot", OpenAIInvocationParameters),
	variant("perplexity", OpenAIInvocationParameters),
	variant("together", OpenAIInvocationParameters),
	variant("zai", OpenAIInvocationParameters),
	variant("meta", OpenAIInvocationParameters),
	variant("anthropic", AnthropicInvocationParameters),
	variant("google", GoogleInvocationParameters),
	variant("aws", AwsInvocationParameters),
]);
