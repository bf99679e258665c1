import { describe, expect, test } from "vitest";
import { FACT_KEYS, readFacts } from "./facts.ts";
import type { Attributes, Plain, SpanInput } from "./model.ts";
import { toOpenInference } from "./open-inference-keys.ts";
import { readSemantic, readTexts } from "./semantic.ts";
import { span } from "./testing/span.ts";

const KINDS: readonly Record<string, Plain>[] = [
	{ "openinference.span.kind": "LLM" },
	{ "openinference.span.kind": "RETRIEVER" },
	{ "gen_ai.operation.name": "chat" },
	{ "gen_ai.operation.name": "execute_tool" },
	{ "gen_ai.prompt.0.role": "user" },
	{ "ai.operationId": "ai.generateText.doGenerate" },
	{ "traceloop.span.kind": "workflow" },
	{ "langfuse.observation.type": "generation" },
	{ "langfuse.observation.type": "retriever" },
	{ "mlflow.spanType": '"CHAT_MODEL"' },
	{ "mlflow.spanType": '"RETRIEVER"' },
	{},
];

/** Kinds of which each key is also tried alone. */
const ALONE = [KINDS[0], KINDS[2], KINDS[3], KINDS.at(-1)];

/** Every key that a reader names, and the prefixes of indexed lists. */
const KEYS = [
	...FACT_KEYS,
	..."input.value output.value metadata tag.tags llm.input_messages llm.output_messages llm.tools llm.invocation_parameters".split(
		" ",
	),
	..."llm.input_messages.0.message.role llm.input_messages.0.message.content llm.input_messages.0.message.contents".split(
		" ",
	),
	..."llm.input_messages.999999999999.message.content llm.input_messages.x.message.role llm.input_messages..".split(
		" ",
	),
	..."llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments retrieval.documents retrieval.documents.0.document.score".split(
		" ",
	),
	..."embedding.embeddings.0.embedding.vector gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions".split(
		" ",
	),
	..."gen_ai.prompt gen_ai.completion gen_ai.prompt.0.content gen_ai.tool.definitions gen_ai.response.finish_reasons events".split(
		" ",
	),
	..."gen_ai.tool.call.arguments gen_ai.retrieval.documents pydantic_ai.all_messages model_request_parameters".split(
		" ",
	),
	..."ai.prompt ai.prompt.messages ai.prompt.tools ai.response.toolCalls ai.response.text ai.values ai.embeddings ai.ranking".split(
		" ",
	),
	..."traceloop.entity.input traceloop.entity.output langfuse.observation.input langfuse.observation.output".split(" "),
	..."langfuse.observation.metadata langfuse.trace.tags mlflow.spanInputs mlflow.spanOutputs mlflow.chat.tools".split(
		" ",
	),
	..."metadata.__proto__ ai.telemetry.metadata.__proto__ langfuse.observation.metadata.constructor".split(" "),
	..."__proto__ constructor.prototype toString a..b .".split(" "),
];

const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const DEEP_OBJECT = `${'{"messages":'.repeat(5_000)}1${"}".repeat(5_000)}`;

function deepValue(depth: number): Plain {
	let value: Plain = "end";
	for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { messages: value };
	return value;
}

function deepResult(depth: number): Plain {
	let value: Plain = "end";
	for (let i = 0; i < depth; i++) value = [{ type: "tool_result", content: value }];
	return [{ role: "tool", content: value }];
}

const VALUES: readonly (readonly [string, Plain])[] = [
	["nothing", null],
	["an empty text", ""],
	["broken JSON", '{"messages": [{"role": "user", "content": '],
	["the word null in JSON", "null"],
	["deep JSON", DEEP],
	["deep objects in JSON", DEEP_OBJECT],
	["a deep value", deepValue(2_000)],
	["deep tool results", deepResult(3_000)],
	["a number", -1.5],
	["not a number", Number.NaN],
	["a big integer", 2n ** 63n],
	["a truth", true],
	["bytes", new Uint8Array([1, 2, 3])],
	["an empty list", []],
	["a list of anything", [null, 1, "a", [], {}, { role: null }, { role: 1, content: 2 }, { type: "text" }]],
	[
		"prototype keys",
		'{"__proto__": {"role": "user"}, "constructor": 1, "messages": [{"role": "__proto__", "content": "x"}]}',
	],
	[
		"messages that lie about themselves",
		'[{"role":"user","content":[{"type":"image_url","image_url":5},{"type":"tool_use"},7,null]}]',
	],
	[
		"choices without messages",
		'{"choices": [null, {"message": 1}, {"message": {"tool_calls": [1, {"function": "x"}]}}]}',
	],
];

function read(input: SpanInput): void {
	const facts = readFacts(input.name, input.scopeName, input.attributes);
	const semantic = readSemantic(input);
	expect(semantic.kind).toBe(facts.kind);
	readTexts(input);
	toOpenInference(input, () => semantic);
}

describe.each(VALUES)("%s", (_name, value) => {
	test.each(KINDS)("in every attribute, event and log of a span with %o", (kind) => {
		if (ALONE.includes(kind)) for (const key of KEYS) if (!(key in kind)) read(span({ [key]: value, ...kind }));
		read(span({ ...Object.fromEntries(KEYS.map((key) => [key, value])), ...kind }, { statusCode: 2 }));
		const names = ["exception", "gen_ai.user.message", "gen_ai.choice", "gen_ai.client.inference.operation.details"];
		const attributes = {
			content: value,
			message: value,
			"gen_ai.event.content": value,
			"gen_ai.input.messages": value,
			"exception.message": value,
		};
		read(
			span(kind, {
				statusCode: 2,
				events: names.map((name) => ({ name, attributes })),
				logs: names.map((eventName) => ({ eventName, body: value, attributes })),
			}),
		);
	});
});

const LONG: readonly (readonly [string, string])[] = [
	["a long text", "x".repeat(1_000_000)],
	["many tool calls", JSON.stringify([{ role: "assistant", tool_calls: Array(30_000).fill({ name: "f" }) }])],
	["many messages in a list of lists", JSON.stringify([Array(150_000).fill({ role: "user", content: "x" })])],
	["many documents", JSON.stringify(Array(50_000).fill({ text: "x" }))],
];

const CONTENT: readonly (readonly [string, Record<string, Plain>])[] = [
	["llm.input_messages", { "openinference.span.kind": "LLM" }],
	["gen_ai.output.messages", { "gen_ai.operation.name": "chat" }],
	["ai.prompt.messages", { "ai.operationId": "ai.generateText.doGenerate" }],
	["langfuse.observation.output", { "langfuse.observation.type": "retriever" }],
];

test.each(LONG)("%s as the content of a span", (_name, value) => {
	for (const [key, kind] of CONTENT) read(span({ [key]: value, ...kind }));
});

test("JSON that is nested too deeply stays text", () => {
	for (const text of [DEEP, DEEP_OBJECT]) {
		const { metadata, invocation_parameters } = readSemantic(
			span({ "openinference.span.kind": "LLM", metadata: text, "llm.invocation_parameters": text }),
		);
		expect([metadata, invocation_parameters]).toEqual([text, text]);
	}
});

test("the prototype of objects stays unchanged", () => {
	readSemantic(
		span({
			"openinference.span.kind": "LLM",
			metadata: '{"__proto__": {"polluted": true}}',
			"metadata.__proto__": "x",
		}),
	);
	expect({}).not.toHaveProperty("polluted");
});

test("facts depend on promoted keys only", () => {
	const promoted = new Set(FACT_KEYS);
	const asked = new Set<string>();
	class Recording extends Map<string, Plain> {
		override get(key: string): Plain | undefined {
			asked.add(key);
			return super.get(key);
		}
		override has(key: string): boolean {
			asked.add(key);
			return super.has(key);
		}
	}
	for (const kind of KINDS)
		readFacts("name", "scope", new Recording(Object.entries({ ...kind, other: 1 })) satisfies Attributes);
	expect([...asked].filter((key) => !promoted.has(key))).toEqual([]);
});
