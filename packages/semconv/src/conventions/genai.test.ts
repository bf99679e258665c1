import { describe, expect, test } from "vitest";
import { readSemantic } from "../semantic.ts";
import { span } from "../testing/span.ts";

const MODEL_CALL = {
	"gen_ai.operation.name": "chat",
	"gen_ai.provider.name": "openai",
	"gen_ai.request.model": "gpt-4o",
	"gen_ai.response.model": "gpt-4o-2024-08-06",
};

describe("a model call", () => {
	test("with messages as JSON of parts", () => {
		const semantic = readSemantic(
			span({
				...MODEL_CALL,
				"gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "You are brief." }]),
				"gen_ai.input.messages": JSON.stringify([
					{ role: "user", parts: [{ type: "text", content: "Weather in Paris?" }] },
					{
						role: "assistant",
						parts: [{ type: "tool_call", id: "call_1", name: "get_weather", arguments: { location: "Paris" } }],
					},
					{ role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "rainy, 57°F" }] },
				]),
				"gen_ai.output.messages": JSON.stringify([
					{
						role: "assistant",
						parts: [
							{ type: "reasoning", content: "Rain, so an umbrella." },
							{ type: "text", content: "Take an umbrella." },
						],
						finish_reason: "stop",
					},
				]),
				"gen_ai.response.finish_reasons": ["stop"],
				"gen_ai.usage.input_tokens": 97,
				"gen_ai.usage.output_tokens": 52,
				"gen_ai.usage.cache_read.input_tokens": 50,
				"gen_ai.usage.cache_creation.input_tokens": 20,
				"gen_ai.usage.reasoning.output_tokens": 7,
				"gen_ai.request.temperature": 0.5,
				"gen_ai.tool.definitions": [{ type: "function", name: "get_weather", parameters: {} }],
			}),
		);
		expect(semantic).toMatchObject({
			convention: "genai",
			kind: "LLM",
			kind_from: "gen_ai.operation.name=chat",
			model: "gpt-4o-2024-08-06",
			request_model: "gpt-4o",
			provider: "openai",
			tokens: { prompt: 97, completion: 52, total: 149, cache_read: 50, cache_write: 20, reasoning: 7 },
			input_messages: [
				{ role: "system", text: "You are brief." },
				{ role: "user", text: "Weather in Paris?" },
				{ role: "assistant", tool_calls: [{ id: "call_1", name: "get_weather", arguments: { location: "Paris" } }] },
				{ role: "tool", text: "rainy, 57°F", tool_call_id: "call_1" },
			],
			output_messages: [{ role: "assistant", text: "Take an umbrella.", reasoning: "Rain, so an umbrella." }],
			input_text: "rainy, 57°F",
			output_text: "Take an umbrella.",
			invocation_parameters: { temperature: 0.5 },
			tool_definitions: ["get_weather"],
			finish_reason: "stop",
		});
	});

	test("with messages as structured attributes, and images as blobs and addresses", () => {
		const { input_messages } = readSemantic(
			span({
				...MODEL_CALL,
				"gen_ai.input.messages": [
					{
						role: "user",
						parts: [
							{ type: "text", content: "What is this?" },
							{ type: "blob", modality: "image", mime_type: "image/png", content: "iVBORw0KGgoAAAANSUhEUg==" },
							{ type: "uri", modality: "image", uri: "https://example.org/a.png" },
							{ type: "file", modality: "audio", file_id: "f1" },
						],
					},
				],
			}),
		);
		expect(input_messages).toEqual([
			{
				role: "user",
				text: "What is this?",
				images: 2,
				image_urls: ["data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==", "https://example.org/a.png"],
				media: [{ kind: "audio", id: "f1" }],
			},
		]);
	});

	test("with messages under indexed keys, with gaps", () => {
		const semantic = readSemantic(
			span({
				"llm.request.type": "chat",
				"gen_ai.system": "OpenAI",
				"gen_ai.request.model": "gpt-4o",
				"gen_ai.usage.prompt_tokens": 5,
				"gen_ai.usage.completion_tokens": 3,
				"llm.usage.total_tokens": 8,
				"gen_ai.prompt.1.role": "user",
				"gen_ai.prompt.1.content": JSON.stringify([
					{ type: "text", text: "Look" },
					{ type: "image_url", image_url: { url: "https://example.org/b.png" } },
				]),
				"gen_ai.prompt.3.role": "tool",
				"gen_ai.prompt.3.content": "found",
				"gen_ai.prompt.3.tool_call_id": "c9",
				"gen_ai.completion.0.role": "assistant",
				"gen_ai.completion.0.finish_reason": "tool_calls",
				"gen_ai.completion.0.tool_calls.0.id": "c10",
				"gen_ai.completion.0.tool_calls.0.name": "search",
				"gen_ai.completion.0.tool_calls.0.arguments": '{"q":"x"}',
				"llm.request.functions.0.name": "search",
			}),
		);
		expect(semantic).toMatchObject({
			convention: "genai-legacy-indexed",
			kind: "LLM",
			kind_from: "llm.request.type=chat",
			provider: "OpenAI",
			tokens: { prompt: 5, completion: 3, total: 8 },
			input_messages: [
				{ role: "user", text: "Look", images: 1, image_urls: ["https://example.org/b.png"] },
				{ role: "tool", text: "found", tool_call_id: "c9" },
			],
			output_messages: [{ role: "assistant", tool_calls: [{ id: "c10", name: "search", arguments: { q: "x" } }] }],
			tool_definitions: ["search"],
			finish_reason: "tool_calls",
		});
		expect(semantic.output_text).toBeUndefined();
	});

	test("with messages in the span's events, as JSON in an attribute or in attributes", () => {
		const azure = readSemantic(
			span(MODEL_CALL, {
				events: [
					{ name: "gen_ai.user.message", attributes: { "gen_ai.event.content": '{"role":"user","content":"hi"}' } },
					{
						name: "gen_ai.choice",
						attributes: {
							"gen_ai.event.content":
								'{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hello"}}',
						},
					},
				],
			}),
		);
		expect([azure.input_text, azure.output_text, azure.finish_reason]).toEqual(["hi", "hello", "stop"]);
		const strands = readSemantic(
			span(MODEL_CALL, {
				events: [
					{ name: "gen_ai.user.message", attributes: { content: '[{"text":"hi"}]' } },
					{
						name: "gen_ai.choice",
						attributes: {
							message: '[{"toolUse":{"toolUseId":"t1","name":"add","input":{"a":1}}},{"text":"adding"}]',
							finish_reason: "tool_use",
						},
					},
				],
			}),
		);
		expect(strands.input_messages).toEqual([{ role: "user", text: "hi" }]);
		expect(strands.output_messages).toEqual([
			{ role: "assistant", text: "adding", tool_calls: [{ id: "t1", name: "add", arguments: { a: 1 } }] },
		]);
		expect(strands.finish_reason).toBe("tool_use");
		const details = readSemantic(
			span(MODEL_CALL, {
				events: [
					{
						name: "gen_ai.client.inference.operation.details",
						attributes: {
							"gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
							"gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
							"gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"hello"}]}]',
						},
					},
				],
			}),
		);
		expect(details.input_messages).toEqual([
			{ role: "system", text: "Be brief." },
			{ role: "user", text: "hi" },
		]);
		expect(details.output_text).toBe("hello");
	});

	test("with messages in log records, also of Gemini's shape", () => {
		const semantic = readSemantic(
			span(
				{
					"gen_ai.system": "gcp.gemini",
					"gen_ai.operation.name": "generate_content",
					"gen_ai.request.model": "gemini-2.5-pro",
				},
				{
					logs: [
						{ eventName: "gen_ai.system.message", body: { content: "Be brief." } },
						{ eventName: "gen_ai.user.message", body: { content: { role: "user", parts: [{ text: "hi" }] } } },
						{
							eventName: "gen_ai.choice",
							body: {
								index: 0,
								finish_reason: "STOP",
								content: {
									role: "model",
									parts: [{ text: "hello" }, { function_call: { name: "add", args: { a: 1 } } }],
								},
							},
						},
					],
				},
			),
		);
		expect(semantic).toMatchObject({
			kind: "LLM",
			provider: "gcp.gemini",
			input_messages: [
				{ role: "system", text: "Be brief." },
				{ role: "user", text: "hi" },
			],
			output_messages: [{ role: "assistant", text: "hello", tool_calls: [{ name: "add", arguments: { a: 1 } }] }],
			finish_reason: "STOP",
		});
	});

	test("with OpenLIT's transcript, and the call it asks for beside it", () => {
		const semantic = readSemantic(
			span({
				...MODEL_CALL,
				"gen_ai.prompt": "system: Be brief.\nuser: Weather?\nIn Paris.",
				"gen_ai.completion": "",
				"gen_ai.tool.name": "get_weather",
				"gen_ai.tool.call.id": "c1",
				"gen_ai.tool.args": '{"city": "Paris"}',
			}),
		);
		expect(semantic).toMatchObject({
			input_messages: [
				{ role: "system", text: "Be brief." },
				{ role: "user", text: "Weather?\nIn Paris." },
			],
			output_messages: [
				{ role: "assistant", tool_calls: [{ id: "c1", name: "get_weather", arguments: { city: "Paris" } }] },
			],
		});
	});

	test("without content is marked as such", () => {
		expect(readSemantic(span(MODEL_CALL)).content_not_captured).toBe(true);
	});
});

describe("other spans", () => {
	test("a tool's call, with its arguments encoded twice", () => {
		const semantic = readSemantic(
			span({
				"gen_ai.operation.name": "execute_tool",
				"gen_ai.tool.name": "get_weather",
				"gen_ai.tool.description": "Weather of a city",
				"gen_ai.tool.call.id": "c1",
				"gen_ai.tool.call.arguments": { city: "Paris" },
				"gen_ai.tool.call.result": '{"temp": 18}',
			}),
		);
		expect(semantic).toMatchObject({
			kind: "TOOL",
			tool: { name: "get_weather", description: "Weather of a city", call_id: "c1" },
			input_text: '{"city": "Paris"}',
			output_text: '{"temp": 18}',
		});
	});

	test("an agent's run has its conversation as session", () => {
		const semantic = readSemantic(
			span({
				"gen_ai.operation.name": "invoke_agent",
				"gen_ai.agent.name": "Math Tutor",
				"gen_ai.conversation.id": "conv_1",
				"gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"1+1?"}]}]',
				"gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"2"}]}]',
			}),
		);
		expect(semantic).toMatchObject({
			kind: "AGENT",
			agent_name: "Math Tutor",
			session_id: "conv_1",
			session_from: "gen_ai.conversation.id",
			input_text: "1+1?",
			output_text: "2",
		});
	});

	test("a run of pydantic-ai has a separate sum, and its messages as a conversation", () => {
		const semantic = readSemantic(
			span(
				{
					"gen_ai.operation.name": "invoke_agent",
					agent_name: "weather_agent",
					model_name: "gpt-4o",
					final_result: "sunny",
					"pydantic_ai.all_messages": JSON.stringify([
						{ role: "user", parts: [{ type: "text", content: "Weather?" }] },
						{ role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "get", arguments: '{"a": 1}' }] },
						{ role: "user", parts: [{ type: "tool_call_response", id: "c1", name: "get", result: "sunny" }] },
						{ role: "assistant", parts: [{ type: "text", content: "sunny" }] },
					]),
					"gen_ai.aggregated_usage.input_tokens": 100,
					"gen_ai.aggregated_usage.output_tokens": 20,
				},
				{ scopeName: "pydantic-ai" },
			),
		);
		expect(semantic).toMatchObject({
			kind: "AGENT",
			model: "gpt-4o",
			agent_name: "weather_agent",
			aggregated_tokens: { prompt: 100, completion: 20, total: 120 },
			conversation: [
				{ role: "user", text: "Weather?" },
				{ role: "assistant", tool_calls: [{ id: "c1", name: "get", arguments: { a: 1 } }] },
				{ role: "tool", text: "sunny", tool_call_id: "c1" },
				{ role: "assistant", text: "sunny" },
			],
			input_text: "Weather?",
			output_text: "sunny",
		});
		expect(semantic.tokens).toBeUndefined();
	});

	test("embeddings, retrieval, and kinds by the attributes present", () => {
		expect(
			readSemantic(span({ "gen_ai.operation.name": "embeddings", "gen_ai.embeddings.dimension.count": 8 })),
		).toMatchObject({
			kind: "EMBEDDING",
			embeddings: { dimension: 8 },
		});
		expect(
			readSemantic(
				span({
					"gen_ai.operation.name": "retrieval",
					"gen_ai.retrieval.query.text": "returns",
					"gen_ai.retrieval.documents": '[{"id":"d1","score":0.9,"content":"30 days"},{"id":2,"score":"0.5"}]',
				}),
			),
		).toMatchObject({
			kind: "RETRIEVER",
			input_text: "returns",
			documents: [
				{ id: "d1", score: 0.9, content: "30 days" },
				{ id: "2", score: 0.5 },
			],
		});
		expect(readSemantic(span({ "gen_ai.tool.name": "x" })).kind).toBe("TOOL");
		expect(readSemantic(span({ "gen_ai.request.model": "x" })).kind).toBe("LLM");
		expect(readSemantic(span({ "gen_ai.agent.name": "x" })).kind).toBe("AGENT");
		expect(readSemantic(span({ "gen_ai.system": "x", "gen_ai.operation.name": "something_new" })).kind).toBe("UNKNOWN");
	});

	test("LangSmith's spans around a model call repeat its usage, and their kind is LangSmith's", () => {
		const semantic = readSemantic(
			span(
				{
					"langsmith.span.kind": "prompt",
					"gen_ai.operation.name": "chat",
					"gen_ai.prompt": '{"question":"hi"}',
					"gen_ai.usage.input_tokens": 5,
				},
				{ scopeName: "langsmith" },
			),
		);
		expect(semantic).toMatchObject({ kind: "PROMPT", tokens_are_aggregate: true, input_text: "hi" });
	});

	test("usage objects fill in what the attributes leave out", () => {
		const { tokens } = readSemantic(
			span({
				...MODEL_CALL,
				"gen_ai.usage.input_tokens": 50,
				"gen_ai.usage.output_tokens": 10,
				"gen_ai.usage.raw": '{"prompt_tokens":50,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":20}}',
			}),
		);
		expect(tokens).toEqual({ prompt: 50, completion: 10, total: 60, cache_read: 20 });
	});

	test("Strands' tools carry their arguments and results in events", () => {
		const semantic = readSemantic(
			span(
				{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f" },
				{
					events: [
						{ name: "gen_ai.tool.message", attributes: { content: '{"a": 1}', id: "c1" } },
						{ name: "gen_ai.choice", attributes: { message: '[{"text": "done"}]' } },
					],
				},
			),
		);
		expect(semantic).toMatchObject({
			input: { attribute: "gen_ai.tool.message", value: '{"a": 1}' },
			output: { attribute: "gen_ai.choice", value: '[{"text": "done"}]' },
			input_text: '{"a": 1}',
			output_text: "done",
		});
	});

	test("LangSmith's kinds and its request and response", () => {
		const semantic = readSemantic(
			span({
				"langsmith.span.kind": "llm",
				"gen_ai.system": "openai",
				"gen_ai.prompt": '{"messages":[{"role":"user","content":"hi"}]}',
				"gen_ai.completion": '{"choices":[{"message":{"role":"assistant","content":"hello"}}]}',
				"langsmith.metadata.session_id": "s1",
				"langsmith.span.tags": "a, b",
			}),
		);
		expect(semantic).toMatchObject({
			kind: "LLM",
			input_text: "hi",
			output_text: "hello",
			session_id: "s1",
			tags: ["a", "b"],
		});
	});
});
