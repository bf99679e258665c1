import { expect, test } from "vitest";
import { toOpenInference } from "./open-inference-keys.ts";
import { recordedSpans, SOURCES } from "./testing/recorded-spans.ts";
import { span } from "./testing/span.ts";

test("derives OpenInference keys from a GenAI call", () => {
	const derived = toOpenInference(
		span({
			"gen_ai.operation.name": "chat",
			"gen_ai.provider.name": "openai",
			"gen_ai.request.model": "gpt-4o",
			"gen_ai.request.temperature": 0.5,
			"gen_ai.conversation.id": "c1",
			"gen_ai.usage.input_tokens": 10,
			"gen_ai.usage.output_tokens": 5,
			"gen_ai.usage.cache_read.input_tokens": 4,
			"gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
			"gen_ai.output.messages":
				'[{"role":"assistant","parts":[{"type":"tool_call","id":"t1","name":"f","arguments":{"a":1}}]}]',
			"gen_ai.tool.definitions": '[{"type":"function","name":"f"}]',
		}),
	);
	expect(Object.fromEntries(derived)).toEqual({
		"session.id": "c1",
		"openinference.span.kind": "LLM",
		"llm.model_name": "gpt-4o",
		"llm.provider": "openai",
		"llm.system": "openai",
		"llm.invocation_parameters": '{"temperature": 0.5}',
		"llm.token_count.prompt": 10,
		"llm.token_count.completion": 5,
		"llm.token_count.total": 15,
		"llm.token_count.prompt_details.cache_read": 4,
		"input.value": "hi",
		"input.mime_type": "text/plain",
		"llm.input_messages.0.message.role": "user",
		"llm.input_messages.0.message.content": "hi",
		"llm.output_messages.0.message.role": "assistant",
		"llm.output_messages.0.message.tool_calls.0.tool_call.id": "t1",
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f",
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
		"llm.tools.0.tool.json_schema": '{"type": "function", "name": "f"}',
	});
});

test.each([
	["openai.chat", "openai", "openai"],
	["azure.ai.openai", "azure", "openai"],
	["aws.bedrock", "aws", undefined],
	["gcp.vertex_ai", "google", "vertexai"],
	["mistral_ai", "mistralai", "mistralai"],
	["my-gateway", "my-gateway", "my-gateway"],
])("names the provider %s in OpenInference's words", (sent, provider, system) => {
	const derived = toOpenInference(span({ "gen_ai.operation.name": "chat", "gen_ai.provider.name": sent }));
	expect([derived.get("llm.provider"), derived.get("llm.system")]).toEqual([provider, system]);
});

test("does not override what was sent, or lists of which a part was sent", () => {
	const derived = toOpenInference(
		span({
			"gen_ai.operation.name": "chat",
			"gen_ai.request.model": "gpt-4o",
			"llm.model_name": "mine",
			"llm.input_messages.0.message.role": "user",
			"gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
		}),
	);
	expect(derived.has("llm.model_name")).toBe(false);
	expect([...derived.keys()].filter((key) => key.startsWith("llm.input_messages"))).toEqual([]);
});

test.each(SOURCES)("adds to %s nothing that was sent", (source) => {
	for (const recorded of recordedSpans(source).values()) {
		const derived = toOpenInference(recorded);
		expect([...derived.keys()].filter((key) => recorded.attributes.has(key))).toEqual([]);
		const isOpenInference = recorded.attributes.has("openinference.span.kind");
		if (isOpenInference) expect([...derived.keys()].filter((key) => !/^(session|user)\.id$/.test(key))).toEqual([]);
	}
});
