import { describe, expect, test } from "vitest";
import { readSemantic } from "../semantic.ts";
import { span } from "../testing/span.ts";

describe("the AI SDK", () => {
	test("of version 4: its names of usage, tools and results", () => {
		const semantic = readSemantic(
			span({
				"operation.name": "ai.generateText.doGenerate my-function",
				"ai.operationId": "ai.generateText.doGenerate",
				"ai.model.id": "gpt-4o",
				"ai.model.provider": "openai.chat",
				"ai.prompt.messages": JSON.stringify([
					{
						role: "user",
						content: [
							{ type: "text", text: "Look" },
							{ type: "image", image: "https://example.org/a.png" },
						],
					},
					{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "f", args: { a: 1 } }] },
					{
						role: "tool",
						content: [
							{ type: "tool-result", toolCallId: "c1", toolName: "f", result: { b: 2 } },
							{ type: "tool-result", toolCallId: "c2", toolName: "g", output: { type: "text", value: "done" } },
						],
					},
				]),
				"ai.response.toolCalls": '[{"toolCallType":"function","toolCallId":"c3","toolName":"f","args":"{\\"a\\":2}"}]',
				"ai.usage.promptTokens": 10,
				"ai.usage.completionTokens": 5,
			}),
		);
		expect(semantic).toMatchObject({
			kind: "LLM",
			tokens: { prompt: 10, completion: 5, total: 15 },
			tokens_are_aggregate: false,
			input_messages: [
				{ role: "user", text: "Look", images: 1, image_urls: ["https://example.org/a.png"] },
				{ role: "assistant", tool_calls: [{ id: "c1", name: "f", arguments: { a: 1 } }] },
				{ role: "tool", text: '{"b": 2}', tool_call_id: "c1" },
				{ role: "tool", text: "done", tool_call_id: "c2" },
			],
			output_messages: [{ role: "assistant", tool_calls: [{ id: "c3", name: "f", arguments: { a: 2 } }] }],
		});
	});

	test("the outer span's tokens are a sum; without an operation id the span name decides", () => {
		const semantic = readSemantic(span({ "operation.name": "ai.streamText chat", "ai.usage.inputTokens": 3 }));
		expect(semantic).toMatchObject({ convention: "vercel-ai-sdk", kind: "AGENT", tokens_are_aggregate: true });
	});

	test("counts that are not numbers are unknown", () => {
		const semantic = readSemantic(
			span({ "ai.operationId": "ai.generateText.doGenerate", "ai.usage.promptTokens": Number.NaN }),
		);
		expect(semantic.tokens).toBeUndefined();
	});
});

describe("Traceloop", () => {
	test("a LangChain callback's inputs and outputs", () => {
		const semantic = readSemantic(
			span({
				"traceloop.span.kind": "workflow",
				"traceloop.entity.name": "chain",
				"traceloop.entity.input":
					'{"inputs": {"question": "hi"}, "tags": [], "metadata": {}, "kwargs": {"name": "chain"}}',
				"traceloop.entity.output": '{"outputs": {"answer": "hello"}, "kwargs": {"tags": []}}',
				"traceloop.association.properties.thread_id": "t1",
				"traceloop.association.properties.plan": "pro",
			}),
		);
		expect(semantic).toMatchObject({
			convention: "traceloop",
			kind: "CHAIN",
			input_text: "hi",
			output_text: "hello",
			session_id: "t1",
			metadata: { thread_id: "t1", plan: "pro" },
		});
	});
});

describe("Langfuse", () => {
	test("adds cached tokens to an input that was counted without them", () => {
		const usage = (details: unknown): unknown =>
			readSemantic(
				span({
					"langfuse.observation.type": "generation",
					"langfuse.observation.usage_details": JSON.stringify(details),
				}),
			).tokens;
		expect(usage({ input: 10, output: 5, cache_read_input_tokens: 90 })).toEqual({
			prompt: 100,
			completion: 5,
			total: 105,
			cache_read: 90,
		});
		expect(usage({ prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 90 } })).toEqual({
			prompt: 100,
			completion: 5,
			total: 105,
			cache_read: 90,
		});
		expect(usage({ input: 100, output: 5, total: 105, input_cached_tokens: 90 })).toMatchObject({
			prompt: 100,
			total: 105,
		});
		expect(usage("nonsense")).toBeUndefined();
	});

	test("metadata of the trace under that of the observation, each as JSON or plain", () => {
		const semantic = readSemantic(
			span({
				"langfuse.observation.type": "generation",
				"langfuse.trace.metadata": '{"a":1,"b":1}',
				"langfuse.observation.metadata.b": "2",
				"langfuse.observation.metadata.c": '{"d":3}',
				"langfuse.observation.model.parameters": '{"temperature":0.7}',
				"langfuse.observation.prompt.name": "greeting",
				"langfuse.observation.prompt.version": 3,
				"langfuse.session.id": "s",
				"langfuse.user.id": "u",
			}),
		);
		expect(semantic).toMatchObject({
			metadata: { a: 1, b: "2", c: { d: 3 } },
			invocation_parameters: { temperature: 0.7 },
			prompt_template: { template: "greeting", version: "3" },
			session_id: "s",
			user_id: "u",
		});
	});
});

describe("MLflow", () => {
	test("Anthropic's request and response, tools and cost", () => {
		const semantic = readSemantic(
			span({
				"mlflow.spanType": '"CHAT_MODEL"',
				"mlflow.llm.provider": '"anthropic"',
				"mlflow.spanInputs": JSON.stringify({
					model: "claude-sonnet-4-5",
					max_tokens: 100,
					system: "Be brief.",
					messages: [{ role: "user", content: "hi" }],
				}),
				"mlflow.spanOutputs": JSON.stringify({
					role: "assistant",
					type: "message",
					content: [
						{ type: "text", text: "hello" },
						{ type: "tool_use", id: "t", name: "f", input: {} },
					],
				}),
				"mlflow.chat.tools": JSON.stringify([{ type: "function", function: { name: "f" } }]),
				"mlflow.chat.tokenUsage": JSON.stringify({
					input_tokens: 3,
					output_tokens: 4,
					total_tokens: 7,
					cache_creation_input_tokens: 1,
				}),
				"mlflow.llm.cost": JSON.stringify({ input_cost: 0.1, output_cost: 0.2, total_cost: 0.3 }),
			}),
		);
		expect(semantic).toMatchObject({
			kind: "LLM",
			provider: "anthropic",
			tokens: { prompt: 3, completion: 4, total: 7, cache_write: 1 },
			cost: { total: 0.3, source: "sent" },
			input_messages: [
				{ role: "system", text: "Be brief." },
				{ role: "user", text: "hi" },
			],
			output_messages: [{ role: "assistant", text: "hello", tool_calls: [{ id: "t", name: "f", arguments: {} }] }],
			tool_definitions: ["f"],
			invocation_parameters: { max_tokens: 100 },
		});
	});
});

test("spans of web services have their session, and nothing else is derived", () => {
	const semantic = readSemantic(
		span(
			{ "http.request.method": "GET", "db.system": "postgresql", "enduser.id": "u1" },
			{ statusCode: 2, statusMessage: "bad" },
		),
	);
	expect(semantic).toEqual({
		convention: "plain",
		kind: "UNKNOWN",
		kind_from: "no LLM attributes",
		user_id: "u1",
		error: { message: "bad", exception_event: false, raw_status_message: "bad" },
	});
});
