import { expect, test } from "vitest";
import type { Plain } from "./model.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { span } from "./testing/span.ts";

test.each<[string, Record<string, Plain>, Refusal | undefined]>([
	["GenAI's list", { "gen_ai.response.finish_reasons": ["stop", "content_filter"] }, { reason: "content_filter" }],
	["a list as JSON", { "gen_ai.response.finish_reasons": '["SAFETY"]' }, { reason: "safety" }],
	["the Vercel AI SDK", { "ai.response.finishReason": "content-filter" }, { reason: "content_filter" }],
	[
		"an enumeration of Google's",
		{ "llm.finish_reason": "FinishReason.PROHIBITED_CONTENT" },
		{ reason: "prohibited_content" },
	],
	["Bedrock's word", { "gen_ai.response.finish_reasons": ["content_filtered"] }, { reason: "content_filter" }],
	[
		"Traceloop's choice",
		{ "gen_ai.completion.1.finish_reason": "guardrail_intervened" },
		{ reason: "guardrail_intervened" },
	],
	["an ordinary end", { "gen_ai.response.finish_reasons": ["stop"], "llm.finish_reason": "length" }, undefined],
	[
		"a part of an output message",
		{ "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"refusal","content":"I cannot."}]}]' },
		{ reason: "refusal", text: "I cannot." },
	],
	[
		"OpenAI's answer",
		{ "output.value": '{"choices":[{"finish_reason":"stop","message":{"refusal":"I cannot help with that."}}]}' },
		{ reason: "refusal", text: "I cannot help with that." },
	],
	["Gemini's answer", { "output.value": '{"promptFeedback":{"blockReason":"SAFETY"}}' }, { reason: "safety" }],
	[
		"an answer without one",
		{ "output.value": '{"choices":[{"message":{"refusal":null,"content":"A refusal?"}}]}' },
		undefined,
	],
	["a text that speaks of it", { "output.value": "My refusal is content_filter" }, undefined],
	[
		"an OpenInference part",
		{
			"llm.output_messages.0.message.contents.0.message_content.type": "refusal",
			"llm.output_messages.0.message.contents.0.message_content.text": "No.",
		},
		{ reason: "refusal", text: "No." },
	],
])("reads %s", (_name, attributes, expected) => {
	expect(readRefusal(span(attributes), "LLM")).toEqual(expected);
});

test("the output of a span that calls no model is the application's own", () => {
	const output = span({ "output.value": '{"stop_reason":"refusal"}' });
	expect(readRefusal(output, "TOOL")).toBeUndefined();
	expect(readRefusal(output, "LLM")).toEqual({ reason: "refusal" });
});

test("reads the choice of an event", () => {
	const events = [
		{ name: "gen_ai.choice", attributes: { finish_reason: "content_filter", message: '{"content":""}' } },
	];
	expect(readRefusal(span({}, { events }), "LLM")).toEqual({ reason: "content_filter" });
});

test("wide, deep and broken JSON is no refusal", () => {
	const deep = `${'{"refusal":'.repeat(5_000)}1${"}".repeat(5_000)}`;
	const wide = JSON.stringify(Array(100_000).fill({ type: "text", text: "safety" }));
	for (const value of [deep, wide, '{"refusal": "', "\ud800 refusal \u0000"]) {
		expect(readRefusal(span({ "output.value": value, "gen_ai.output.messages": value }), "LLM")).toBeUndefined();
	}
});
