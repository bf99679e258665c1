import type { ModelRequest } from "../model-request.ts";

const IMAGE = Buffer.from("\x89PNG\r\n\x1a\nnot really", "latin1").toString("base64");
const SCHEMA = {
	type: "object",
	properties: { city: { type: "string" } },
	required: ["city"],
	additionalProperties: false,
} as const;

/** A conversation with everything in it. */
export const CONVERSATION: Omit<ModelRequest, "model"> = {
	messages: [
		{ role: "system", content: "Be brief." },
		{
			role: "user",
			content: [
				{ type: "text", text: "What is this?" },
				{ type: "image", media_type: "image/png", data: IMAGE },
			],
		},
		{
			role: "assistant",
			content: [
				{ type: "text", text: "I look." },
				{
					type: "tool_call",
					tool_call_id: "call_0",
					tool_call: { type: "function", name: "get_weather", arguments: '{"city": "Rome"}' },
				},
			],
		},
		{ role: "tool", content: [{ type: "tool_result", tool_call_id: "call_0", tool_result: "Rain" }] },
	],
	tools: {
		type: "tools",
		tools: [{ type: "function", function: { name: "get_weather", description: "Looks.", parameters: SCHEMA } }],
		tool_choice: { type: "specific_function", function_name: "get_weather" },
	},
	invocation_parameters: { type: "openai", openai: { temperature: 0.2, max_tokens: 64, top_p: 0.9 } },
};

/** What each wire has to receive for it. */
const CHAT_BODY = {
	messages: [
		{ role: "system", content: "Be brief." },
		{
			role: "user",
			content: [
				{ type: "text", text: "What is this?" },
				{ type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } },
			],
		},
		{
			role: "assistant",
			content: "I look.",
			tool_calls: [
				{ id: "call_0", type: "function", function: { name: "get_weather", arguments: '{"city": "Rome"}' } },
			],
		},
		{ role: "tool", tool_call_id: "call_0", content: "Rain" },
	],
	tools: [{ type: "function", function: { name: "get_weather", description: "Looks.", parameters: SCHEMA } }],
	tool_choice: { type: "function", function: { name: "get_weather" } },
	temperature: 0.2,
	max_tokens: 64,
	top_p: 0.9,
};

const GEMINI_BODY = {
	systemInstruction: { parts: [{ text: "Be brief." }] },
	contents: [
		{
			role: "user",
			parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: IMAGE } }],
		},
		{
			role: "model",
			parts: [{ text: "I look." }, { functionCall: { name: "get_weather", args: { city: "Rome" } } }],
		},
		{
			role: "user",
			parts: [{ functionResponse: { name: "get_weather", response: { content: "Rain" } } }],
		},
	],
	tools: [{ functionDeclarations: [{ name: "get_weather", description: "Looks.", parametersJsonSchema: SCHEMA }] }],
	toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
	generationConfig: { temperature: 0.2, maxOutputTokens: 64, topP: 0.9 },
};

export const WIRE_BODIES: Readonly<Record<string, object>> = {
	"openai, Chat Completions": CHAT_BODY,
	openai_compatible: CHAT_BODY,
	azure_openai: CHAT_BODY,
	"openai, Responses": {
		input: [
			{ role: "system", content: "Be brief." },
			{
				role: "user",
				content: [
					{ type: "input_text", text: "What is this?" },
					{ type: "input_image", image_url: `data:image/png;base64,${IMAGE}` },
				],
			},
			{ role: "assistant", content: "I look." },
			{ type: "function_call", call_id: "call_0", name: "get_weather", arguments: '{"city": "Rome"}' },
			{ type: "function_call_output", call_id: "call_0", output: "Rain" },
		],
		tools: [{ type: "function", name: "get_weather", description: "Looks.", parameters: SCHEMA }],
		tool_choice: { type: "function", name: "get_weather" },
		...{ temperature: 0.2, max_output_tokens: 64, top_p: 0.9, store: false },
	},
	anthropic: {
		system: [{ type: "text", text: "Be brief." }],
		messages: [
			{
				role: "user",
				content: [
					{ type: "text", text: "What is this?" },
					{ type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } },
				],
			},
			{
				role: "assistant",
				content: [
					{ type: "text", text: "I look." },
					{ type: "tool_use", id: "call_0", name: "get_weather", input: { city: "Rome" } },
				],
			},
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: "Rain" }] },
		],
		tools: [{ name: "get_weather", description: "Looks.", input_schema: SCHEMA }],
		tool_choice: { type: "tool", name: "get_weather" },
		...{ temperature: 0.2, max_tokens: 64, top_p: 0.9 },
	},
	google: GEMINI_BODY,
	google_vertex: GEMINI_BODY,
	aws_bedrock: {
		system: [{ text: "Be brief." }],
		messages: [
			{
				role: "user",
				content: [{ text: "What is this?" }, { image: { format: "png", source: { bytes: IMAGE } } }],
			},
			{
				role: "assistant",
				content: [
					{ text: "I look." },
					{ toolUse: { toolUseId: "call_0", name: "get_weather", input: { city: "Rome" } } },
				],
			},
			{ role: "user", content: [{ toolResult: { toolUseId: "call_0", content: [{ text: "Rain" }] } }] },
		],
		toolConfig: {
			tools: [{ toolSpec: { name: "get_weather", description: "Looks.", inputSchema: { json: SCHEMA } } }],
			toolChoice: { tool: { name: "get_weather" } },
		},
		inferenceConfig: { temperature: 0.2, maxTokens: 64, topP: 0.9 },
	},
};
