import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { ContextTooLarge } from "./context.ts";
import { readableText, runContext } from "./run-context.ts";
import { sessionContext } from "./session-context.ts";
import { spanContext } from "./span-context.ts";
import { traceContext } from "./trace-context.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
	await server.send(agentTrace("a"), "shop");
	await server.send(agentTrace("b", 60), "shop");
});
afterAll(() => server[Symbol.asyncDispose]());

const LONG = `Where is my order? ${"x".repeat(5_000)}`;
const traceId = (name: string) => name.repeat(32);
const spanId = (name: string, at: number) => `${name.repeat(14)}${String(at).padStart(2, "0")}`;

function kind(value: string, more: object = {}) {
	return { "openinference.span.kind": text(value), ...more };
}

function span(name: string, at: number, parent: number | undefined, more: object) {
	return {
		traceId: traceId(name),
		spanId: spanId(name, at),
		...(parent === undefined ? {} : { parentSpanId: spanId(name, parent) }),
		startTimeUnixNano: `${T0 + at}000000000`,
		endTimeUnixNano: `${T0 + at}500000000`,
		...more,
	};
}

/** An agent that asks a model, calls a tool, searches, and answers. */
function agentTrace(name: string, later = 0) {
	const answer = name === "a" ? "It is on its way." : "It arrived.";
	return [
		span(name, later, undefined, {
			name: "agent",
			attributes: kind("AGENT", {
				"input.value": text(LONG),
				"output.value": text(answer),
				"session.id": text("s1"),
				metadata: text('{"tier": "gold"}'),
			}),
		}),
		span(name, later + 1, later, {
			name: "chat",
			attributes: kind("LLM", {
				"llm.model_name": text("gpt-4o"),
				"llm.input_messages.0.message.role": text("user"),
				"llm.input_messages.0.message.content": text(LONG),
				"llm.output_messages.0.message.role": text("assistant"),
				"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": text("find_order"),
				"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": text('{"id": 7}'),
				"llm.token_count.prompt": { intValue: "10" },
				"llm.token_count.completion": { intValue: "5" },
				"llm.tools.0.tool.json_schema": text('{"type":"function","function":{"name":"find_order"}}'),
			}),
		}),
		span(name, later + 2, later, {
			name: "find_order",
			attributes: kind("TOOL", {
				"tool.name": text("find_order"),
				"input.value": text('{"id": 7}'),
				"output.value": text('{"state": "sent"}'),
			}),
		}),
		span(name, later + 3, later, {
			name: "search",
			attributes: kind("RETRIEVER", {
				"input.value": text("shipping"),
				"retrieval.documents.0.document.id": text("d1"),
				"retrieval.documents.0.document.content": text("Three days."),
			}),
		}),
		span(name, later + 4, later, {
			name: "notify",
			status: { code: 2, message: "no mail server" },
			attributes: kind("TOOL", { "tool.name": text("notify"), "input.value": text("{}") }),
		}),
	];
}

async function spanOf(name: string, at: number) {
	const [stored] = await server.context.traces.findSpansBySpanId(spanId(name, at));
	if (stored === undefined) throw new Error("it was sent");
	return await spanContext(server.context, stored);
}

async function traceOf(name: string) {
	const [trace] = await server.context.traces.findTracesByTraceIds([traceId(name)]);
	if (trace === undefined) throw new Error("it was sent");
	return (await traceContext(server.context, trace)) ?? {};
}

describe("the context of a span", () => {
	it("has messages, calls and tools of a model's call, and its trace's root", async () => {
		expect(await spanOf("a", 1)).toMatchObject({
			input_text: LONG,
			input_messages: [{ role: "user", content: LONG }],
			output_messages: [{ role: "assistant", tool_calls: [{ name: "find_order", arguments: { id: 7 } }] }],
			tool_calls: [{ name: "find_order", arguments: { id: 7 } }],
			tools: [{ type: "function", function: { name: "find_order" } }],
			kind: "LLM",
			model: "gpt-4o",
			status: "UNSET",
			error: null,
			latency_ms: 500,
			tokens: { prompt: 10, completion: 5, total: 15 },
			annotations: [],
			root: { input: LONG, output: "It is on its way.", name: "agent" },
		});
	});

	it("has parsed values, whole texts, metadata, attributes and annotations", async () => {
		const annotation = { name: "quality", annotator_kind: "HUMAN", span_id: spanId("a", 0), result: { score: 1 } };
		const written = await server.call("POST", "/v1/span_annotations?sync=true", { data: [annotation] });
		expect(written.status).toBe(200);
		expect(await spanOf("a", 0)).toMatchObject({
			input: LONG,
			metadata: { tier: "gold" },
			attributes: { "session.id": "s1", "input.value": LONG },
			annotations: [{ name: "quality", label: null, score: 1, explanation: null, annotator_kind: "HUMAN" }],
		});
		expect(await spanOf("a", 2)).toMatchObject({
			input: { id: 7 },
			output: { state: "sent" },
			tool_calls: [{ name: "find_order", arguments: { id: 7 }, result: { state: "sent" }, error: null }],
		});
		expect(await spanOf("a", 3)).toMatchObject({ documents: [{ id: "d1", content: "Three days." }] });
		expect(await spanOf("a", 4)).toMatchObject({ status: "ERROR", error: { message: "no mail server" } });
	});
});

describe("the context of a trace", () => {
	it("has its root's values, its spans in order, and its steps as text", async () => {
		const context = await traceOf("a");
		expect(context).toMatchObject({
			input_text: LONG,
			output_text: "It is on its way.",
			name: "agent",
			latency_ms: 4_500,
			tokens: { prompt: 10, completion: 5, total: 15 },
			documents: [{ content: "Three days." }],
			conversation: `user: ${LONG}\n\nassistant: It is on its way.`,
			tool_calls: [{ name: "find_order" }, { name: "notify", error: "no mail server" }],
		});
		expect(
			(context["spans"] as object[]).map((each) => [Reflect.get(each, "name"), Reflect.get(each, "depth")]),
		).toEqual([
			["agent", 0],
			["chat", 1],
			["find_order", 1],
			["search", 1],
			["notify", 1],
		]);
		expect(context["trajectory"]).toBe(
			[
				'1. model gpt-4o: → find_order({"id":7})',
				'2. tool find_order({"id":7}) → {"state":"sent"}',
				"3. retriever search: shipping → 1 documents",
				"   [d1] Three days.",
				"4. tool notify({}) failed: no mail server",
			].join("\n"),
		);
	});

	it("is too large with more than 2,000 spans or 16 MiB, and is not a part of it", async () => {
		const many = Array.from({ length: 2_001 }, (_, at) => ({
			traceId: traceId("c"),
			spanId: (at + 1).toString(16).padStart(16, "0"),
		}));
		await server.send(many, "large");
		await expect(traceOf("c")).rejects.toThrow(ContextTooLarge);
		const value = "y".repeat(1_000_000);
		for (let at = 0; at < 9; at += 1) {
			const parts = [0, 1].map((part) =>
				span("d", at * 2 + part, undefined, { attributes: kind("CHAIN", { "input.value": text(value) }) }),
			);
			await server.send(parts, "large");
		}
		await expect(traceOf("d")).rejects.toThrow(/more than 16777216 bytes/);
	});
});

it("the context of a session has its traces as turns", async () => {
	const [session] = await server.context.traces.findSessionsBySessionId("s1");
	if (session === undefined) throw new Error("it was sent");
	const context = await sessionContext(server.context, session);
	expect(context).toMatchObject({
		turns: [
			{ input: LONG, output: "It is on its way.", error: null, trace_id: traceId("a") },
			{ input: LONG, output: "It arrived.", trace_id: traceId("b") },
		],
		first_input: LONG,
		last_output: "It arrived.",
	});
	expect(context["conversation"]).toMatch(
		/^user: Where[\s\S]*assistant: It is on its way.[\s\S]*assistant: It arrived.$/,
	);
	expect(context["trajectory"]).toMatch(/^Turn 1\n1\. model[\s\S]*Turn 2\n1\. model/);
});

describe("the context of an experiment's run", () => {
	it("has the example, the output, and what a person reads of them", () => {
		const run = { latency_ms: 3, error: null, tokens: 4, cost: 0.1 };
		expect(
			runContext({ input: { question: "why?" }, expected: { answer: "so" }, metadata: {}, output: "because", run }),
		).toEqual({
			input: { question: "why?" },
			expected: { answer: "so" },
			reference: { answer: "so" },
			metadata: {},
			output: "because",
			input_text: "why?",
			expected_text: "so",
			output_text: "because",
			run,
		});
	});

	it.each([
		[null, null],
		[{ text: "hi", finish_reason: "stop" }, "hi"],
		[
			{ text: "", tool_calls: [], finish_reason: "tool_calls" },
			'{"text":"","tool_calls":[],"finish_reason":"tool_calls"}',
		],
		[{ a: 1, b: 2 }, '{"a":1,"b":2}'],
		[{ messages: [{ role: "assistant", content: "hello" }] }, "hello"],
	])("reads %j", (value, readable) => {
		expect(readableText(value, "output")).toBe(readable);
	});
});
