import { describe, expect, test } from "vitest";
import { findOccurrences } from "./find-occurrences.ts";
import { sharedFingerprint } from "./fingerprint.ts";
import type { GroupingOptions, Occurrence } from "./model.ts";
import { failed, type SpanDraft } from "./testing/trace.ts";

function occurrence(draft: SpanDraft, options?: GroupingOptions): Occurrence {
	const [found] = findOccurrences([failed(draft)], options);
	if (found === undefined) throw new Error("the span did not fail");
	return found;
}

function fingerprints(drafts: readonly SpanDraft[], options?: GroupingOptions): Set<string> {
	return new Set(drafts.map((draft) => occurrence(draft, options).fingerprint));
}

const rateLimit = (organization: string, used: number, wait: string): string =>
	`Rate limit reached for gpt-4o in organization ${organization} on tokens per min (TPM): Limit 30000, Used ${used}, Requested 512. Please try again in ${wait}.`;
const openAi = (message: string): SpanDraft => ({ kind: "LLM", message, attributes: { "llm.provider": "openai" } });
const python = (exception: { type?: string; message?: string; frames: string }): SpanDraft => ({
	exception: {
		type: exception.type ?? "ValueError",
		message: exception.message ?? "no rooms",
		stack: `Traceback (most recent call last):\n${exception.frames}\nValueError: no rooms`,
	},
});
const file = (path: string, line: number, name: string): string =>
	`  File "${path}", line ${line}, in ${name}\n    pass\n`;
const LIBRARY = "/venv/lib/python3.11/site-packages/langgraph/pregel/main.py";

describe("one group", () => {
	test.each<[string, readonly SpanDraft[]]>([
		[
			"a rate limit with other figures",
			[openAi(rateLimit("org-a1", 29871, "1.2s")), openAi(rateLimit("org-b7", 30000, "6m0s"))],
		],
		[
			"another port",
			[{ message: "Failed to fetch (127.0.0.1:56736)" }, { message: "Failed to fetch (127.0.0.1:61449)" }],
		],
		[
			"another column",
			[{ message: "expected value at line 1 column 190" }, { message: "expected value at line 1 column 300" }],
		],
		[
			"other lines, and other frames of libraries",
			[
				python({ frames: file(LIBRARY, 1, "stream") + file("/app/shop/orders.py", 12, "pay") }),
				python({ frames: file("/app/shop/orders.py", 40, "pay") + file(LIBRARY, 7, "tick") + file(LIBRARY, 8, "run") }),
			],
		],
		["another address in memory", [{ message: "<Tool object at 0x7f3a00>" }, { message: "<Tool object at 0x7f3bff>" }]],
		["another temporary file", [{ message: "open /tmp/tmpab12/x.json" }, { message: "open /tmp/tmpcd34/y.json" }]],
		[
			"another number in a span's name",
			[
				{ name: "step-75", message: "x" },
				{ name: "step-76", message: "x" },
			],
		],
	])("%s", (_name, drafts) => {
		expect(fingerprints(drafts).size).toBe(1);
	});
});

describe("two groups", () => {
	const ofLimit = (code: string): SpanDraft =>
		openAi(`Error code: 429 - {'error': {'message': 'm', 'type': 't', 'code': '${code}'}}`);
	const timeout = (provider: string): SpanDraft => ({
		kind: "LLM",
		message: "Request timed out.",
		attributes: { "llm.provider": provider },
	});
	const keyError = (key: string): SpanDraft => ({ exception: { type: "KeyError", message: `'${key}'` } });
	const refused = (reason: string): SpanDraft => ({
		kind: "LLM",
		status: 1,
		attributes: { "llm.finish_reason": reason },
	});
	test.each<[string, readonly SpanDraft[]]>([
		["429 for two reasons", [ofLimit("rate_limit_exceeded"), ofLimit("insufficient_quota")]],
		["KeyErrors without a stack", [keyError("city"), keyError("country")]],
		["timeouts of two providers", [timeout("a"), timeout("b")]],
		[
			"one message from two tools",
			[
				{ kind: "TOOL", message: "down", attributes: { "tool.name": "search" } },
				{ kind: "TOOL", message: "down", attributes: { "tool.name": "weather" } },
			],
		],
		["two reasons of refusals", [refused("content_filter"), refused("refusal")]],
		[
			"other own functions",
			[
				python({ frames: file("/app/shop/orders.py", 12, "pay") }),
				python({ frames: file("/app/shop/orders.py", 12, "cancel") }),
			],
		],
		[
			"two types",
			[
				python({ type: "A", frames: file("/app/a.py", 1, "f") }),
				python({ type: "B", frames: file("/app/a.py", 1, "f") }),
			],
		],
		[
			"two statuses of requests without a message",
			[{ attributes: { "error.type": "404" } }, { attributes: { "error.type": "502" } }],
		],
		[
			"two guards",
			[
				{ kind: "GUARDRAIL", name: "pii" },
				{ kind: "GUARDRAIL", name: "toxicity" },
			],
		],
	])("%s", (_name, drafts) => {
		expect(fingerprints(drafts).size).toBe(2);
	});
});

test("JavaScript stacks that differ in lines, columns and libraries are one group, in own frames two", () => {
	const javaScript = (frames: string): SpanDraft => ({
		exception: { type: "TypeError", message: "x is undefined", stack: `TypeError: x is undefined\n${frames}` },
	});
	const first = javaScript("    at pay (/app/shop/orders.js:1:2)\n    at run (/app/node_modules/ai/dist/index.js:3:4)");
	const same = javaScript("    at async pay (/srv/shop/orders.js:9:9)\n    at fn (/app/node_modules/koa/index.js:3:4)");
	const other = javaScript("    at cancel (/app/shop/orders.js:1:2)");
	expect(fingerprints([first, same]).size).toBe(1);
	expect(fingerprints([first, other]).size).toBe(2);
});

test("five innermost frames of own code count; all of them where none is own", () => {
	const called = (outer: string): SpanDraft =>
		python({
			frames:
				file("/app/x.py", 1, outer) +
				"abcde"
					.split("")
					.map((name) => file("/app/x.py", 1, name))
					.join(""),
		});
	expect(fingerprints([called("main"), called("handler")]).size).toBe(1);
	const inLibrary = (name: string): SpanDraft => python({ frames: file(LIBRARY, 1, name) });
	expect(fingerprints([inLibrary("stream"), inLibrary("tick")]).size).toBe(2);
	expect(occurrence(inLibrary("stream")).grouping).toMatchObject({
		rule: "stack",
		frames: [{ module: "langgraph.pregel.main", function: "stream", is_own: false }],
	});
});

test("paths of own code count as own", () => {
	const drafts = ["stream", "tick"].map((name) =>
		python({ frames: file("/app/a.py", 1, "f") + file(LIBRARY, 1, name) }),
	);
	expect(fingerprints(drafts).size).toBe(1);
	expect(fingerprints(drafts, { ownCode: ["/site-packages/langgraph/"] }).size).toBe(2);
});

describe("an explicit fingerprint", () => {
	test("alone decides", () => {
		const own = { "error.fingerprint": "payment-declined" };
		const drafts: SpanDraft[] = [
			{ message: "a", attributes: own },
			{ kind: "TOOL", message: "b", attributes: own },
			{ kind: "LLM", message: "c", attributes: { "spanward.fingerprint": " payment-declined " } },
			{ exception: { type: "E", message: "d", fingerprint: "payment-declined" } },
			{ message: "e", attributes: { "error.fingerprint": ["payment-declined"] } },
		];
		expect(fingerprints(drafts).size).toBe(1);
		expect(occurrence(drafts[1] ?? {})).toMatchObject({
			kind: "tool_failure",
			grouping: { rule: "explicit", parts: [{ name: "fingerprint", value: "payment-declined" }] },
		});
	});

	test("that is blank is none", () => {
		expect(occurrence({ message: "a", attributes: { "error.fingerprint": " " } }).fingerprint).toBe(
			occurrence({ message: "a" }).fingerprint,
		);
	});
});

test("parts do not run into each other", () => {
	const drafts = [
		{ name: "ab", message: "c" },
		{ name: "a", message: "bc" },
		{ attributes: { "error.fingerprint": ["a", "b"] } },
		{ attributes: { "error.fingerprint": ["a,b"] } },
		{ attributes: { "error.fingerprint": '["a","b"]' } },
		{ attributes: { "error.fingerprint": "\ud800" } },
		{ attributes: { "error.fingerprint": "\udc00" } },
	];
	expect(fingerprints(drafts).size).toBe(drafts.length);
});

test("a fingerprint stays what it was in this version", () => {
	const sent = openAi("Error code: 429 - {'error': {'message': 'm', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}");
	expect(occurrence(sent)).toMatchObject({ fingerprint: "445c773b4e1b6ad0902dc17e9faf7643", version: 1 });
	expect(sharedFingerprint("exception", "KeyError")).toMatch(/^[0-9a-f]{32}$/);
	expect(sharedFingerprint("exception", "KeyError")).not.toBe(sharedFingerprint("exception", "ValueError"));
});

test.each<[string, SpanDraft, string, object]>([
	[
		"a provider's error",
		{
			kind: "LLM",
			name: "chat",
			message: "Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}",
			attributes: { "llm.provider": "openai", "llm.model_name": "gpt-4o" },
		},
		"openai 429 rate_limit_exceeded",
		{ span_name: "chat", provider: "openai", model: "gpt-4o", status: "429", code: "rate_limit_exceeded" },
	],
	[
		"a provider's error without a code",
		{ kind: "LLM", name: "chat", message: "It\nbroke", attributes: { "llm.provider": "openai" } },
		"openai: It broke",
		{ span_name: "chat", provider: "openai" },
	],
	[
		"a tool's failure",
		{
			kind: "TOOL",
			name: "s",
			attributes: { "tool.name": "search" },
			exception: { type: "a.ValueError", message: "ValueError: x" },
		},
		"search: ValueError: x",
		{ span_name: "s", tool: "search" },
	],
	[
		"a refusal",
		{ kind: "LLM", status: 1, attributes: { "llm.finish_reason": "SAFETY" } },
		"safety",
		{ span_name: "work", code: "safety" },
	],
	["a guard", { kind: "GUARDRAIL", name: "pii" }, "guardrail: pii", { span_name: "pii", code: "guardrail" }],
	[
		"an exception",
		{ exception: { type: "com.acme.Late", message: "too late" } },
		"Late: too late",
		{ span_name: "work" },
	],
	["an error", { message: "went wrong" }, "work: went wrong", { span_name: "work" }],
	["an error without a word", {}, "work", { span_name: "work" }],
])("the group of %s has a title and a culprit", (_name, draft, title, culprit) => {
	const found = occurrence(draft);
	expect(found.title).toBe(title);
	expect(found.culprit).toEqual(culprit);
});
