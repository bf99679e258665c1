import { describe, expect, test } from "vitest";
import { findOccurrences } from "./find-occurrences.ts";
import type { ErrorKind, TraceSpan } from "./model.ts";
import { failed, randomNumbers, type SpanDraft, shuffled } from "./testing/trace.ts";

/** Spans from the root downwards, each the parent of the next. */
function chain(...drafts: readonly SpanDraft[]): TraceSpan[] {
	return drafts.map((draft, depth) =>
		failed({ id: idOf(depth), ...(depth === 0 ? {} : { parent: idOf(depth - 1) }), start: BigInt(depth), ...draft }),
	);
}

function idOf(number: number): string {
	return number.toString(16).padStart(16, "0");
}

function found(spans: readonly TraceSpan[]): string[] {
	return findOccurrences(spans).map(({ spanId, kind }) => `${Number.parseInt(spanId, 16)} ${kind}`);
}

const FAILED_CALL = "Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}";
const FOUR_LEVELS = chain(
	{ kind: "CHAIN" },
	{ kind: "AGENT", message: `Agent stopped: ${FAILED_CALL}` },
	{ kind: "CHAIN", exception: { type: "shop.RateLimitError", message: "gave up" } },
	{ kind: "LLM", exception: { type: "openai.RateLimitError", message: FAILED_CALL } },
);

describe("one failure is one occurrence", () => {
	test("a failing call and its failing parent", () => {
		expect(found(chain({ kind: "CHAIN", message: "boom" }, { kind: "TOOL", message: "boom" }))).toEqual([
			"1 tool_failure",
		]);
	});

	test("of the deepest span, in every order", () => {
		const random = randomNumbers(1);
		for (let round = 0; round < 50; round++) expect(found(shuffled(FOUR_LEVELS, random))).toEqual(["3 provider_error"]);
	});

	test("also over spans between that did not fail", () => {
		expect(found(chain({ message: "x" }, { status: 1 }, { status: 0 }, { kind: "TOOL", message: "x" }))).toEqual([
			"3 tool_failure",
		]);
	});

	test("also where a span between was never sent, in a trace with one root", () => {
		const [root, , child] = chain({ message: "x" }, { status: 1 }, { kind: "TOOL", message: "x" });
		if (root === undefined || child === undefined) throw new Error("the chain is too short");
		expect(found([child, root])).toEqual(["2 tool_failure"]);
		expect(found([child, root, failed({ id: idOf(9), status: 1 })])).toEqual(["0 error", "2 tool_failure"]);
	});

	test("also where each level wraps the message in words of its own", () => {
		const [outer, inner] = ["Error in agent run", "Error getting response"].map(
			(words) => `${words}: {'error': 'Error code: 500 - The server had an error'}`,
		);
		expect(found(chain({ kind: "AGENT", message: outer ?? "" }, { kind: "LLM", message: inner ?? "" }))).toEqual([
			"1 provider_error",
		]);
	});

	test("of a model call, and not of the HTTP request that knows only the status", () => {
		const request: SpanDraft = { name: "POST", attributes: { "error.type": "429" } };
		const call: SpanDraft = { kind: "LLM", message: FAILED_CALL };
		expect(found(chain({ kind: "AGENT" }, call, { status: 1 }, request, request))).toEqual(["1 provider_error"]);
		expect(found(chain({ kind: "LLM", status: 1 }, request))).toEqual(["1 error"]);
		expect(found(chain({ kind: "TOOL", message: "x" }, request))).toEqual(["0 tool_failure", "1 error"]);
	});

	test("with other figures in the message", () => {
		expect(found(chain({ message: "after 3 tries: limit of 10 reached" }, { message: "limit of 12 reached" }))).toEqual(
			["1 error"],
		);
	});
});

describe("an ancestor counts", () => {
	test("with another exception and another message", () => {
		const spans = chain({ exception: { type: "A", message: "x" } }, { exception: { type: "B", message: "y" } });
		expect(found(spans)).toEqual(["0 exception", "1 exception"]);
	});

	test("with a message in which there is only punctuation of the one below", () => {
		expect(found(chain({ message: "a {x} failed" }, { message: "{" }))).toEqual(["0 error", "1 error"]);
	});

	test("when nothing below it failed, though it says nothing itself", () => {
		expect(found(chain({}, { status: 1 }))).toEqual(["0 error"]);
	});

	test("beside another branch that failed with its message", () => {
		const spans = [
			failed({ id: idOf(0), start: 0n, status: 0 }),
			failed({ id: idOf(1), parent: idOf(0), start: 1n, message: "x" }),
			failed({ id: idOf(2), parent: idOf(0), start: 2n, message: "x" }),
		];
		expect(found(spans)).toEqual(["1 error", "2 error"]);
	});
});

test("a child that comes later takes the place of its parents", () => {
	const before = FOUR_LEVELS.slice(0, 3);
	expect(found(before)).toEqual(["1 error", "2 exception"]);
	expect(found([...before, ...FOUR_LEVELS.slice(3)])).toEqual(["3 provider_error"]);
});

describe("refusals", () => {
	test("fail with the status OK", () => {
		const answer = (reason: string): TraceSpan[] =>
			chain({ kind: "LLM", status: 1, attributes: { "llm.finish_reason": reason } });
		expect(found(answer("content_filter"))).toEqual(["0 refusal"]);
		expect(found(answer("stop"))).toEqual([]);
	});

	test("of the AI SDK's inner and outer span are one", () => {
		const attributes = { "ai.response.finishReason": "content-filter" };
		const spans = chain(
			{ status: 0, attributes: { ...attributes, "ai.operationId": "ai.generateText" } },
			{ status: 0, attributes: { ...attributes, "ai.operationId": "ai.generateText.doGenerate" } },
		);
		expect(found(spans)).toEqual(["1 refusal"]);
	});

	test("come before any other kind", () => {
		expect(found(chain({ kind: "GUARDRAIL", exception: { type: "E", message: "x" } }))).toEqual(["0 refusal"]);
	});
});

test.each<[ErrorKind, SpanDraft]>([
	["provider_error", { kind: "EMBEDDING", exception: { type: "E" } }],
	["provider_error", { kind: "RERANKER" }],
	["tool_failure", { kind: "TOOL", exception: { type: "E" } }],
	["exception", { kind: "CHAIN", exception: { message: "x" } }],
	["exception", { attributes: { "exception.stacktrace": "x" } }],
	["error", { message: "x" }],
	["error", { attributes: { "error.type": "500" } }],
])("%s: %o", (kind, draft) => {
	expect(found(chain(draft))).toEqual([`0 ${kind}`]);
});

test("only the kinds that a project collects are told, and what was handed on from others is not", () => {
	const spans = chain({ message: "x" }, { kind: "TOOL", message: "x" });
	expect(findOccurrences(spans, { kinds: new Set(["error"]) })).toEqual([]);
	expect(findOccurrences(spans, { kinds: new Set(["tool_failure"]) })).toHaveLength(1);
});

test("spans that come twice change nothing", () => {
	expect(findOccurrences([...FOUR_LEVELS, ...FOUR_LEVELS.toReversed()])).toEqual(findOccurrences(FOUR_LEVELS));
});

const MESSAGES = ["", "", "boom", "again boom", "limit 3", "limit 4", "x: {'error': 'limit 99 reached'}", "other"];
const TYPES = [undefined, undefined, "a.ValueError", "b.ValueError", "KeyError"];
const KINDS = ["LLM", "TOOL", "CHAIN", "AGENT", "GUARDRAIL"];

/** Trees with gaps, circles, spans with one id, and spans that fail in every way. */
function randomTrace(random: () => number): TraceSpan[] {
	const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
	const count = 1 + Math.floor(random() * 25);
	return Array.from({ length: count }, (_, number) => {
		const type = pick(TYPES);
		return failed({
			id: idOf(random() < 0.1 ? Math.floor(random() * count) : number),
			parent: random() < 0.1 ? "" : idOf(Math.floor(random() * (random() < 0.1 ? count + 3 : number))),
			start: BigInt(Math.floor(random() * 10)),
			kind: pick(KINDS) ?? "",
			status: random() < 0.6 ? 2 : 1,
			message: pick(MESSAGES) ?? "",
			...(type === undefined ? {} : { exception: { type, message: pick(MESSAGES) ?? "" } }),
		});
	});
}

test("the order of the spans never matters", () => {
	const random = randomNumbers(42);
	for (let round = 0; round < 500; round++) {
		const trace = randomTrace(random);
		const expected = findOccurrences(trace);
		for (let again = 0; again < 3; again++) expect(findOccurrences(shuffled(trace, random))).toEqual(expected);
	}
});

/** Straight from the words of the contract, comparing everything with everything. */
function slowly(trace: readonly TraceSpan[]): string[] {
	const counted = new Set<TraceSpan>();
	const below = (span: TraceSpan): TraceSpan[] =>
		trace.filter(({ parentSpanId }) => parentSpanId === span.spanId).flatMap((child) => [child, ...below(child)]);
	for (const span of trace.toReversed()) {
		const says = (of: TraceSpan): string => of.statusMessage;
		if (span.statusCode !== 2) continue;
		const failures = below(span).filter((other) => counted.has(other));
		const isHandedOn = failures.some(
			(other) =>
				says(span) === "" ||
				(says(other) !== "" && (says(other).includes(says(span)) || says(span).includes(says(other)))),
		);
		if (!isHandedOn) counted.add(span);
	}
	return trace.filter((span) => counted.has(span)).map(({ spanId }) => spanId);
}

test("random trees have the occurrences that comparing all with all finds", () => {
	const random = randomNumbers(7);
	for (let round = 0; round < 300; round++) {
		const trace = Array.from({ length: 1 + Math.floor(random() * 15) }, (_, number) =>
			failed({
				id: idOf(number),
				parent: number === 0 ? "" : idOf(Math.floor(random() * number)),
				start: BigInt(number),
				status: random() < 0.6 ? 2 : 1,
				message: ["", "boom", "again boom", "other", "yet other"][Math.floor(random() * 5)] ?? "",
			}),
		);
		expect(findOccurrences(trace).map(({ spanId }) => spanId)).toEqual(slowly(trace));
	}
});
