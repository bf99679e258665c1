import { encodeSpan, fromPlain } from "@spanward/otlp";
import type { Plain } from "@spanward/semconv";
import { expect, test } from "vitest";
import { findOccurrences } from "./find-occurrences.ts";
import { mayHaveFailed } from "./may-have-failed.ts";
import type { TraceSpan } from "./model.ts";
import { recordedTraces, SOURCES } from "./testing/recorded-traces.ts";
import { failed } from "./testing/trace.ts";

function bytesOf({ statusCode, statusMessage, attributes, events, name }: TraceSpan): Uint8Array {
	const keyValues = (of: ReadonlyMap<string, Plain>) =>
		[...of].map(([key, value]) => ({ key, value: fromPlain(value) }));
	return encodeSpan({
		traceId: "0123456789abcdef0123456789abcdef",
		spanId: "0123456789abcdef",
		parentSpanId: "",
		traceState: "",
		flags: 0,
		name,
		kind: 1,
		startTimeUnixNano: 1n,
		endTimeUnixNano: 2n,
		attributes: keyValues(attributes),
		droppedAttributesCount: 0,
		events: events.map((event) => ({
			timeUnixNano: 1n,
			name: event.name,
			attributes: keyValues(event.attributes),
			droppedAttributesCount: 0,
		})),
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: { code: statusCode, message: statusMessage },
	});
}

test.each<[string, Record<string, Plain>]>([
	["a list", { "gen_ai.response.finish_reasons": ["stop", "stop", "content_filter"] }],
	["a list as JSON", { "gen_ai.response.finish_reasons": '["SAFETY"]' }],
	["the Vercel AI SDK", { "ai.response.finishReason": "content-filter" }],
	["an enumeration", { "llm.finish_reason": "FinishReason.PROHIBITED_CONTENT" }],
	["Traceloop", { "gen_ai.completion.0.finish_reason": "guardrail_intervened" }],
	["Traceloop's text", { "gen_ai.completion.0.refusal": "No." }],
	["a part", { "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"refusal","content":"I cannot."}]}]' }],
	["a part that is no JSON", { "gen_ai.output.messages": [{ parts: [{ type: "refusal", content: "No." }] }] }],
	["OpenAI's answer", { "output.value": '{"choices":[{"message":{"refusal": "I cannot."}}]}' }],
	["Gemini's answer", { "output.value": '{"promptFeedback":{"blockReason":"SAFETY"}}' }],
	["Anthropic's answer", { "output.value": '{"stop_reason": "refusal"}' }],
	["an OpenInference part", { "llm.output_messages.0.message.contents.0.message_content.type": "refusal" }],
])("a refusal in the words of %s is seen", (_name, attributes) => {
	const span = failed({ kind: "LLM", status: 1, attributes });
	expect(findOccurrences([span])).toHaveLength(1);
	expect(mayHaveFailed(1, bytesOf(span))).toBe(true);
});

test("the choice of an event is seen", () => {
	const attributes = new Map<string, Plain>([["finish_reason", "content_filter"]]);
	const span: TraceSpan = { ...failed({ kind: "LLM", status: 1 }), events: [{ name: "gen_ai.choice", attributes }] };
	expect(findOccurrences([span])).toHaveLength(1);
	expect(mayHaveFailed(1, bytesOf(span))).toBe(true);
});

test("of recorded spans, those that fail, and hardly another", () => {
	const spans = SOURCES.flatMap((source) => [...recordedTraces(source).values()].flat());
	const seen = spans.filter((span) => mayHaveFailed(span.statusCode, bytesOf(span)));
	const failing = spans.filter((span) => findOccurrences([span]).length > 0);
	expect(failing.length).toBeGreaterThan(40);
	expect(failing.filter((span) => !seen.includes(span))).toEqual([]);
	expect(seen.length - failing.length).toBeLessThanOrEqual(1);
});

test("bytes that are no text, and very many, are searched once", () => {
	expect(mayHaveFailed(0, new Uint8Array(16_000_000).fill(0xff))).toBe(false);
	expect(mayHaveFailed(0, Buffer.from("finish_reason".repeat(1_000_000)))).toBe(false);
	expect(mayHaveFailed(0, Buffer.from(`"refusal" : ${"\\".repeat(1_000_000)}`))).toBe(false);
});
