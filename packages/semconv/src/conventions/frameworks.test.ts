// Attributes as the named libraries export them (shortened), with real answers of models.
import { describe, expect, test } from "vitest";
import { readSemantic } from "../semantic.ts";
import { span } from "../testing/span.ts";

describe("Langfuse", () => {
	test("takes cached and reasoning tokens out of the input and the output that it sends (JS SDK, LangChain)", () => {
		const usage = { input: 27, output: 13, total: 45, input_cached_tokens: 3, output_reasoning_tokens: 2 };
		const semantic = readSemantic(
			span({
				"langfuse.observation.type": "generation",
				"langfuse.observation.usage_details": JSON.stringify(usage),
			}),
		);
		expect(semantic.tokens).toEqual({ prompt: 30, completion: 15, total: 45, cache_read: 3, reasoning: 2 });
	});

	test("output tokens that include reasoning stay unchanged", () => {
		const usage = { input: 10, output: 5, total: 15, output_reasoning: 2 };
		const semantic = readSemantic(
			span({
				"langfuse.observation.type": "generation",
				"langfuse.observation.usage_details": JSON.stringify(usage),
			}),
		);
		expect(semantic.tokens).toEqual({ prompt: 10, completion: 5, total: 15, reasoning: 2 });
	});

	test("a call of the responses API has the id to which its result refers", () => {
		const output = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: '{"a":1}' };
		const semantic = readSemantic(
			span({ "langfuse.observation.type": "generation", "langfuse.observation.output": JSON.stringify(output) }),
		);
		expect(semantic.output_messages).toEqual([
			{ role: "assistant", tool_calls: [{ id: "call_1", name: "f", arguments: { a: 1 } }] },
		]);
	});
});

describe("pydantic-ai", () => {
	test("separately sent instructions do not hide the user's question", () => {
		const messages = [
			{ role: "user", parts: [{ type: "text", content: "Which city?" }] },
			{ role: "assistant", parts: [{ type: "text", content: "Paris" }] },
		];
		const semantic = readSemantic(
			span({
				"gen_ai.operation.name": "invoke_agent",
				"gen_ai.system_instructions": '[{"type": "text", "content": "Give a city"}]',
				"pydantic_ai.all_messages": JSON.stringify(messages),
			}),
		);
		expect(semantic).toMatchObject({ kind: "AGENT", input_text: "Which city?", output_text: "Paris" });
	});
});

describe("OpenLLMetry for LangChain", () => {
	test("a task is a retriever by its operation, with documents and query", () => {
		const input = {
			query: "How?",
			tags: ["x"],
			metadata: { thread_id: "t" },
			kwargs: { name: "VectorStoreRetriever" },
		};
		const output = { documents: [{ page_content: "patch", metadata: { page: 3 } }], count: 1 };
		const semantic = readSemantic(
			span({
				"traceloop.span.kind": "task",
				"gen_ai.operation.name": "vector_db_retrieve",
				"traceloop.entity.input": JSON.stringify(input),
				"traceloop.entity.output": JSON.stringify(output),
			}),
		);
		expect(semantic).toMatchObject({
			kind: "RETRIEVER",
			kind_from: "gen_ai.operation.name=vector_db_retrieve",
			input_text: "How?",
			documents: [{ content: "patch", metadata: { page: 3 } }],
		});
	});

	test("a tool has its description and the call's id", () => {
		const semantic = readSemantic(
			span({
				"traceloop.span.kind": "tool",
				"traceloop.entity.name": "get_weather",
				"gen_ai.tool.description": "Weather of a city",
				"gen_ai.tool.call.id": "c1",
			}),
		);
		expect(semantic.tool).toEqual({ name: "get_weather", description: "Weather of a city", call_id: "c1" });
	});

	test("a chain's input may be a text; the input of a stream is absent", () => {
		const inputOf = (inputs: unknown): string | undefined =>
			readSemantic(
				span({
					"traceloop.span.kind": "workflow",
					"traceloop.entity.input": JSON.stringify({ inputs, tags: [], metadata: {}, kwargs: { name: "Sequence" } }),
				}),
			).input_text;
		expect(inputOf("How?")).toBe("How?");
		expect(inputOf({ input: "" })).toBeUndefined();
	});

	test("a model call of LlamaIndex is a task, too", () => {
		const messages = [{ role: "user", parts: [{ type: "text", content: "How?" }] }];
		const semantic = readSemantic(
			span({
				"traceloop.span.kind": "task",
				"traceloop.entity.input":
					'{"messages": [{"role": "user", "blocks": [{"block_type": "text", "text": "How?"}]}]}',
				"gen_ai.operation.name": "chat",
				"gen_ai.input.messages": JSON.stringify(messages),
				"gen_ai.response.model": "gpt-4o-mini",
				"gen_ai.usage.input_tokens": 9,
			}),
		);
		expect(semantic).toMatchObject({
			kind: "LLM",
			input: { attribute: "traceloop.entity.input" },
			input_messages: [{ role: "user", text: "How?" }],
			tokens: { prompt: 9 },
		});
	});

	test("a streamed answer with an unknown role is an answer", () => {
		const messages = [{ role: "unknown", parts: [{ type: "text", content: "Rain" }], finish_reason: "stop" }];
		const semantic = readSemantic(
			span({ "gen_ai.operation.name": "chat", "gen_ai.output.messages": JSON.stringify(messages) }),
		);
		expect(semantic.output_text).toBe("Rain");
	});
});

test("LiteLLM: calls of one answer, each with its own index, are one message", () => {
	const semantic = readSemantic(
		span({
			"gen_ai.operation.name": "chat",
			"gen_ai.completion.0.function_call.name": "f",
			"gen_ai.completion.0.function_call.arguments": '{"city":"Paris"}',
			"gen_ai.completion.1.function_call.name": "f",
			"gen_ai.completion.1.function_call.arguments": '{"city":"Rome"}',
		}),
	);
	expect(semantic.output_messages).toEqual([
		{
			role: "assistant",
			tool_calls: [
				{ name: "f", arguments: { city: "Paris" } },
				{ name: "f", arguments: { city: "Rome" } },
			],
		},
	]);
});

test("OpenLIT: several calls are separated by commas", () => {
	const semantic = readSemantic(
		span({
			"gen_ai.operation.name": "chat",
			"gen_ai.tool.name": "f, f",
			"gen_ai.tool.call.id": "c1, c2",
			"gen_ai.tool.args": '{"city":"Paris"}, {"city":"Rome"}',
		}),
	);
	expect(semantic.output_messages).toEqual([
		{
			role: "assistant",
			tool_calls: [
				{ id: "c1", name: "f", arguments: { city: "Paris" } },
				{ id: "c2", name: "f", arguments: { city: "Rome" } },
			],
		},
	]);
});

describe("Strands", () => {
	test("reads an agent's prompt and tags", () => {
		const semantic = readSemantic(
			span(
				{ "gen_ai.operation.name": "invoke_agent", system_prompt: "Be brief.", tags: ["a", "b"] },
				{ events: [{ name: "gen_ai.user.message", attributes: { content: "Hi" } }] },
			),
		);
		expect(semantic).toMatchObject({
			kind: "AGENT",
			tags: ["a", "b"],
			input_messages: [
				{ role: "system", text: "Be brief." },
				{ role: "user", text: "Hi" },
			],
		});
	});

	test("a turn of the agent has its messages in events", () => {
		const semantic = readSemantic(
			span(
				{ "event_loop.cycle_id": "1e2d" },
				{
					events: [
						{ name: "gen_ai.user.message", attributes: { content: '[{"text": "Hi"}]' } },
						{ name: "gen_ai.choice", attributes: { message: '[{"text": "Hello"}]' } },
					],
				},
			),
		);
		expect(semantic).toMatchObject({ convention: "genai", kind: "CHAIN", input_text: "Hi", output_text: "Hello" });
	});
});

test("Microsoft's Agent Framework sums its calls on the agent's span", () => {
	const semantic = readSemantic(
		span(
			{ "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 71, "gen_ai.usage.output_tokens": 30 },
			{ scopeName: "agent_framework" },
		),
	);
	expect(semantic).toMatchObject({ kind: "AGENT", tokens_are_aggregate: true });
});

test("Logfire: reads the embedded texts from the request", () => {
	const semantic = readSemantic(
		span({
			"gen_ai.operation.name": "embeddings",
			"gen_ai.request.model": "text-embedding-3-small",
			request_data: '{"input": ["puncture", "repair"], "model": "text-embedding-3-small"}',
		}),
	);
	expect(semantic.input_text).toBe("puncture\nrepair");
});

test("the Anthropic SDK's own spans: reads the finish reason", () => {
	const semantic = readSemantic(span({ "gen_ai.operation.name": "chat", "anthropic.message.stop_reason": "end_turn" }));
	expect(semantic.finish_reason).toBe("end_turn");
});

test("the OpenAI Agents SDK: a guardrail beside the agent's name", () => {
	const semantic = readSemantic(span({ "gen_ai.operation.name": "guardrail_check", "gen_ai.agent.name": "Agent" }));
	expect(semantic.kind).toBe("GUARDRAIL");
});

test.each([
	["invocation", "CHAIN"],
	["agent_run [weather]", "AGENT"],
	["call_llm", "LLM"],
	["other", "UNKNOWN"],
])("the Agent Development Kit sends no attributes: %s is %s", (name, kind) => {
	expect(readSemantic(span({}, { name, scopeName: "gcp.vertex.agent" })).kind).toBe(kind);
	expect(readSemantic(span({}, { name })).kind).toBe("UNKNOWN");
});

describe("OpenInference", () => {
	test("smolagents: a tool's result is a tool's message", () => {
		const semantic = readSemantic(
			span({
				"openinference.span.kind": "LLM",
				"llm.input_messages.0.message.role": "tool-call",
				"llm.input_messages.0.message.content": "Calling tools",
				"llm.input_messages.1.message.role": "tool-response",
				"llm.input_messages.1.message.content": "21 degrees",
			}),
		);
		expect(semantic.input_messages?.map(({ role }) => role)).toEqual(["assistant", "tool"]);
		expect(semantic.input_text).toBe("21 degrees");
	});

	test("Mistral: reads the tools from the request", () => {
		const tools = [{ type: "function", function: { name: "get_weather", parameters: {} } }];
		const semantic = readSemantic(
			span({
				"openinference.span.kind": "LLM",
				"llm.invocation_parameters": '{"temperature": 0.2}',
				"input.value": JSON.stringify({ messages: [], tools }),
			}),
		);
		expect(semantic.tool_definitions).toEqual(["get_weather"]);
	});

	test("LlamaIndex: the text in a tool's blocks; tools that are no definitions", () => {
		const output = { blocks: [{ text: "21 degrees" }], tool_name: "get_weather", raw_output: "21", is_error: false };
		expect(
			readSemantic(span({ "openinference.span.kind": "TOOL", "output.value": JSON.stringify(output) })).output_text,
		).toBe("21 degrees");
		const llm = span({ "openinference.span.kind": "LLM", "input.value": '{"tools": ["<FunctionTool object>"]}' });
		expect(readSemantic(llm).tool_definitions).toBeUndefined();
	});

	test("the OpenAI Agents SDK for JS: items with names of their own", () => {
		const items = [
			{ type: "message", role: "user", content: "Weather?" },
			{ type: "function_call", id: "fc_1", callId: "c1", name: "get_weather", arguments: '{"city":"Paris"}' },
			{ type: "function_call_result", name: "get_weather", callId: "c1", output: { type: "text", text: "21 degrees" } },
		];
		const semantic = readSemantic(
			span({ "openinference.span.kind": "LLM", "llm.input_messages": JSON.stringify(items) }),
		);
		expect(semantic.input_messages).toEqual([
			{ role: "user", text: "Weather?" },
			{ role: "assistant", tool_calls: [{ id: "c1", name: "get_weather", arguments: { city: "Paris" } }] },
			{ role: "tool", text: "21 degrees", tool_call_id: "c1" },
		]);
	});

	test("DSPy: the question in a module's arguments", () => {
		const semantic = readSemantic(
			span({ "openinference.span.kind": "CHAIN", "input.value": '{"input_args": {"question": "Hello?"}}' }),
		);
		expect(semantic.input_text).toBe("Hello?");
	});
});

describe("names of their own, on spans of other conventions or none", () => {
	test("Laminar: input, output, session and user", () => {
		const own = {
			"lmnr.span.input": '{"question": "hi"}',
			"lmnr.span.output": '"hello"',
			"lmnr.association.properties.session_id": "s",
			"lmnr.association.properties.user_id": "u",
		};
		const read = { input_text: "hi", output_text: "hello", session_id: "s", user_id: "u" };
		expect(readSemantic(span(own))).toMatchObject({ convention: "plain", ...read });
		const call = readSemantic(span({ ...own, "gen_ai.operation.name": "chat" }));
		expect(call).toMatchObject({ convention: "genai", ...read });
		expect(call.content_not_captured).toBeUndefined();
	});

	test("Logfire: the message of a span that is about nothing else", () => {
		const message = { "logfire.msg": "order 7 was placed" };
		expect(readSemantic(span(message))).toMatchObject({
			input: { attribute: "logfire.msg", value: "order 7 was placed" },
			input_text: "order 7 was placed",
		});
		const call = readSemantic(span({ ...message, "gen_ai.operation.name": "chat" }));
		expect(call.input_text).toBeUndefined();
		expect(call.content_not_captured).toBe(true);
	});

	test.each([
		["named by the request", { "litellm.trace_id": "chat-7" }, "chat-7"],
		["a random id of the request", { "litellm.trace_id": "78934c00-601f-424f-8b43-cb76c25ebc53" }, undefined],
		["in the metadata of a caller", { "metadata.requester_metadata": "{'session_id': 'chat-8'}" }, "chat-8"],
		["beside the session's own name", { "litellm.trace_id": "chat-7", "session.id": "s" }, "s"],
	])("LiteLLM: the session, %s", (_case, attributes, session) => {
		const read = readSemantic(span({ "openinference.span.kind": "LLM", ...attributes }));
		expect(read.session_id).toBe(session);
	});
});

test("tags and metadata of a span without a convention", () => {
	const semantic = readSemantic(span({ "logfire.tags": ["a", "b"], metadata: '{"tier": "gold"}' }));
	expect(semantic).toMatchObject({ convention: "plain", tags: ["a", "b"], metadata: { tier: "gold" } });
});
