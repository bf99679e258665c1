import type { Plain } from "@spanward/semconv";
import { describe, expect, test } from "vitest";
import { findOccurrences } from "./find-occurrences.ts";
import type { Occurrence, TraceSpan } from "./model.ts";
import { failed, randomNumbers, shuffled } from "./testing/trace.ts";

const COUNT = 100_000;

function idOf(number: number): string {
	return number.toString(16).padStart(16, "0");
}

/** Every text of an occurrence, at any depth. */
function texts(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

function expectStorable(occurrences: readonly Occurrence[]): void {
	for (const text of texts(occurrences)) {
		expect(text.length).toBeLessThanOrEqual(2_000);
		expect(text.isWellFormed()).toBe(true);
		expect(text).not.toContain("\u0000");
	}
}

const PIECES = ["\ud800", "\udfff\u0000", "x", "😀", "'", '{"error": "', "at a.b (", "\n", "<script>"];

describe.each(PIECES)("texts of 16 MB of %j", (piece) => {
	const text = piece.repeat(16_000_000 / piece.length);
	const attributes: Record<string, Plain> = {
		"tool.name": text,
		"llm.provider": text,
		"llm.model_name": text,
		"llm.finish_reason": text,
		"error.type": text,
		"error.code": text,
		"guardrail.name": text,
	};
	test.each(["LLM", "TOOL", "GUARDRAIL", "CHAIN"])("of a span of the kind %s", (kind) => {
		const span = failed({
			kind,
			name: text,
			message: text,
			attributes,
			exception: { type: text, message: text, stack: text },
		});
		const occurrences = findOccurrences([span]);
		expect(occurrences).toHaveLength(1);
		expectStorable(occurrences);
	});

	test("as an explicit fingerprint", () => {
		const occurrences = findOccurrences([failed({ attributes: { "error.fingerprint": text } })]);
		expect(occurrences[0]?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
		expectStorable(occurrences);
	});
});

test("attributes of any type are read or left out", () => {
	const values: Plain[] = [null, true, 1.5, 2n ** 70n, new Uint8Array([1]), [], [null, [{}]], { a: [] }, Number.NaN];
	const keys = [
		"error.type",
		"error.fingerprint",
		"error.code",
		"http.status_code",
		"exception.type",
		"gen_ai.response.finish_reasons",
	];
	for (const value of values) {
		const attributes = Object.fromEntries(keys.map((key) => [key, value]));
		for (const kind of ["LLM", "CHAIN"]) {
			const span: TraceSpan = {
				...failed({ kind, attributes }),
				events: [{ name: "exception", attributes: new Map(Object.entries(attributes)) }],
			};
			expect(findOccurrences([span])).toHaveLength(1);
		}
	}
});

describe("a trace of 100,000 spans that fail", () => {
	const random = randomNumbers(3);

	test("in one chain, with one message", () => {
		const spans = Array.from({ length: COUNT }, (_, number) =>
			failed({
				id: idOf(number),
				parent: number === 0 ? "" : idOf(number - 1),
				start: BigInt(number),
				message: "boom",
			}),
		);
		expect(findOccurrences(shuffled(spans, random)).map(({ spanId }) => spanId)).toEqual([idOf(COUNT - 1)]);
	});

	test("in one chain, each with a message of its own", () => {
		const words = (number: number): string => number.toString(2).replaceAll("0", "no ").replaceAll("1", "yes ");
		const spans = Array.from({ length: COUNT }, (_, number) =>
			failed({
				id: idOf(number),
				parent: number === 0 ? "" : idOf(number - 1),
				start: BigInt(number),
				message: `.${words(number)}.`,
			}),
		);
		expect(findOccurrences(spans)).toHaveLength(COUNT);
	});

	test("in one circle", () => {
		const spans = Array.from({ length: COUNT }, (_, number) =>
			failed({ id: idOf(number), parent: idOf((number + COUNT - 1) % COUNT), start: BigInt(number), message: "boom" }),
		);
		expect(findOccurrences(shuffled(spans, random)).map(({ spanId }) => spanId)).toEqual([idOf(COUNT - 1)]);
	});

	test("below one span, with one id", () => {
		const spans = Array.from({ length: COUNT / 10 }, (_, number) =>
			failed({ id: "a", parent: "b", start: BigInt(number) }),
		);
		expect(findOccurrences([failed({ id: "b", start: 0n }), ...spans])).toHaveLength(COUNT / 10);
	});
});

test("a span that is its own parent, and two that are each other's", () => {
	const own = failed({ id: "a", parent: "a", message: "x" });
	expect(findOccurrences([own])).toHaveLength(1);
	const each = [
		failed({ id: "a", parent: "b", start: 2n, message: "x" }),
		failed({ id: "b", parent: "a", start: 1n, message: "x" }),
	];
	expect(findOccurrences(each).map(({ spanId }) => spanId)).toEqual(["a"]);
});
