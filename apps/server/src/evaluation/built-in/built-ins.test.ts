import { describe, expect, it, test } from "vitest";
import { EvaluatorVersionBody } from "../evaluator-version.ts";
import { BUILT_INS, parametersSchema } from "./built-ins.ts";
import { evaluateBuiltIn } from "./evaluate-built-in.ts";
import { schemaProblem } from "./json-schema.ts";

type Inputs = Readonly<Record<string, unknown>>;

function run(key: string, parameters: Inputs, inputs: Inputs, outputs?: unknown) {
	const version = EvaluatorVersionBody.parse({
		kind: "BUILT_IN",
		builtin: { key, parameters },
		...(outputs === undefined ? {} : { outputs }),
	});
	const [output] = version.outputs;
	if (version.kind !== "BUILT_IN" || output === undefined) throw new Error("no built-in");
	return evaluateBuiltIn(version.builtin, output, inputs);
}

const calls = [
	{ name: "find", arguments: { q: "x", n: 1 } },
	{ name: "send", arguments: '{"to": "a"}' },
];

describe("E40: golden cases of built-in evaluators", () => {
	it.each<[key: string, parameters: Inputs, inputs: Inputs, label: "pass" | "fail"]>([
		["exact_match", {}, { output: " Paris ", expected: "Paris" }, "pass"],
		["exact_match", {}, { output: "paris", expected: "Paris" }, "fail"],
		["exact_match", { ignore_case: true }, { output: "PARIS", expected: "Paris" }, "pass"],
		["exact_match", { whitespace: "keep" }, { output: "Paris ", expected: "Paris" }, "fail"],
		["exact_match", { whitespace: "collapse" }, { output: "a\n\t b", expected: "a b" }, "pass"],
		["exact_match", {}, { output: "cafe\u0301", expected: "café" }, "pass"],
		["exact_match", { normalize_unicode: false }, { output: "cafe\u0301", expected: "café" }, "fail"],
		["exact_match", {}, { output: { a: 1 }, expected: '{"a":1}' }, "pass"],
		["contains", { texts: ["a", "b"] }, { output: "xaxb" }, "pass"],
		["contains", { texts: ["a", "b"] }, { output: "xa" }, "fail"],
		["contains", { texts: ["a", "b"], mode: "any" }, { output: "xb" }, "pass"],
		["contains", { texts: ["a", "b"], mode: "any" }, { output: "x" }, "fail"],
		["contains", { texts: ["sorry"], mode: "none", ignore_case: true }, { output: "Sorry!" }, "fail"],
		["contains", { texts: ["sorry"], mode: "none" }, { output: "Sure!" }, "pass"],
		["contains", {}, { output: "one and two", expected: ["one", "two"] }, "pass"],
		["contains", {}, { output: "one", expected: "two" }, "fail"],
		["regex", { pattern: "\\d{3}-\\d{4}" }, { output: "call 555-1234 now" }, "pass"],
		["regex", { pattern: "\\d{3}-\\d{4}", mode: "whole" }, { output: "call 555-1234 now" }, "fail"],
		["regex", { pattern: "\\d{3}-\\d{4}", mode: "whole" }, { output: "555-1234" }, "pass"],
		[
			"regex",
			{ pattern: "^sorry", mode: "nowhere", ignore_case: true, multiline: true },
			{ output: "a\nSORRY" },
			"fail",
		],
		["one_of", { values: ["yes", "no"] }, { output: "yes" }, "pass"],
		["one_of", { values: ["yes", "no"] }, { output: "maybe" }, "fail"],
		["number_within", { absolute: 0.1 }, { output: "0.3", expected: 0.2 }, "pass"],
		["number_within", { absolute: 0.1 }, { output: "0.31", expected: 0.2 }, "fail"],
		["number_within", { relative: 0.01 }, { output: 101, expected: 100 }, "pass"],
		["number_within", { relative: 0.01 }, { output: 102, expected: 100 }, "fail"],
		["number_within", { number: "last" }, { output: "first 3, then 1,234.5.", expected: "1234.5" }, "pass"],
		["number_within", { number: "first" }, { output: "-7 degrees", expected: -7 }, "pass"],
		["number_within", {}, { output: "about 5", expected: 5 }, "fail"],
		["length", { maximum: 3 }, { output: "abc" }, "pass"],
		["length", { maximum: 3 }, { output: "abcd" }, "fail"],
		["length", { maximum: 1 }, { output: "😀" }, "pass"],
		["length", { unit: "words", minimum: 2 }, { output: "one" }, "fail"],
		["length", { unit: "lines", maximum: 2 }, { output: "a\nb" }, "pass"],
		["valid_json", {}, { output: '{"a": [1]}' }, "pass"],
		["valid_json", {}, { output: "{a: 1}" }, "fail"],
		["valid_json", { type: "object" }, { output: "[1]" }, "fail"],
		["json_schema", { schema: { type: "object", required: ["a"] } }, { output: '{"a": 1}' }, "pass"],
		["json_schema", { schema: { type: "object", required: ["a"] } }, { output: { b: 1 } }, "fail"],
		["json_schema", { schema: { prefixItems: [{ const: 1 }], items: false } }, { output: "[1]" }, "pass"],
		["json_schema", { schema: { prefixItems: [{ const: 1 }], items: false } }, { output: "[1, 2]" }, "fail"],
		["json_schema", { schema: { enum: [{ a: [1] }, 2] } }, { output: '{"a":[1]}' }, "pass"],
		["json_schema", { schema: { uniqueItems: true } }, { output: '[{"a":1,"b":2},{"b":2,"a":1}]' }, "fail"],
		["json_schema", { schema: { pattern: "^a+$" } }, { output: '"aaa"' }, "pass"],
		[
			"json_schema",
			{ schema: { $ref: "#/$defs/list", $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } } } },
			{ output: "[[],[[]]]" },
			"pass",
		],
		["json_equality", {}, { output: '{"a":1,"b":[1,2]}', expected: { b: [1, 2], a: 1 } }, "pass"],
		["json_equality", {}, { output: "[2,1]", expected: [1, 2] }, "fail"],
		["json_equality", { ignore_order: true }, { output: "[2,1,1]", expected: [1, 2, 1] }, "pass"],
		["json_equality", { ignore_order: true }, { output: "[2,1,1]", expected: [1, 2, 2] }, "fail"],
		["json_equality", { ignore_members: ["id"] }, { output: { id: 1, a: 1 }, expected: { id: 2, a: 1 } }, "pass"],
		["json_equality", {}, { output: "12345678901234567890", expected: "12345678901234567891" }, "fail"],
		["json_equality", {}, { output: "not json", expected: {} }, "fail"],
		["tool_calls_match", {}, { tool_calls: calls, expected: calls }, "pass"],
		["tool_calls_match", {}, { tool_calls: calls, expected: calls.toReversed() }, "fail"],
		["tool_calls_match", { order: "any" }, { tool_calls: calls, expected: calls.toReversed() }, "pass"],
		["tool_calls_match", {}, { tool_calls: calls, expected: calls.slice(0, 1) }, "fail"],
		["tool_calls_match", { allow_more: true }, { tool_calls: calls, expected: calls.slice(1) }, "pass"],
		["tool_calls_match", { arguments: "ignore" }, { tool_calls: calls, expected: ["find", "send"] }, "pass"],
		[
			"tool_calls_match",
			{ arguments: "include" },
			{ tool_calls: calls, expected: [{ name: "find", arguments: { q: "x" } }, calls[1]] },
			"pass",
		],
		["tool_calls_match", {}, { tool_calls: [], expected: [] }, "pass"],
		[
			"tool_calls_match",
			{ order: "any", arguments: "include" },
			{ tool_calls: [calls[0], { name: "find", arguments: {} }], expected: [{ name: "find" }, calls[0]] },
			"pass",
		],
		["latency_below", { milliseconds: 100 }, { latency_ms: 99.9 }, "pass"],
		["latency_below", { milliseconds: 100 }, { latency_ms: 100 }, "fail"],
		["cost_below", { dollars: 0.01 }, { cost: 0.001 }, "pass"],
		["cost_below", { dollars: 0.01 }, { cost: 0.1 }, "fail"],
		["tokens_below", { tokens: 10 }, { tokens: 9 }, "pass"],
		["tokens_below", { tokens: 10 }, { tokens: 11 }, "fail"],
		["no_error", {}, { error: null }, "pass"],
		["no_error", {}, { error: { type: "Timeout", message: "late" } }, "fail"],
	])("%s %j of %j is %s", (key, parameters, inputs, label) => {
		const result = run(key, parameters, inputs);
		expect(result).toMatchObject({ label, score: label === "pass" ? 1 : 0, error: null });
		expect(result.explanation).not.toBe("");
	});

	it.each<[key: string, parameters: Inputs, inputs: Inputs, score: number]>([
		["levenshtein", {}, { output: "kitten", expected: "sitting" }, 1 - 3 / 7],
		["levenshtein", {}, { output: "", expected: "" }, 1],
		["levenshtein", { ignore_case: true }, { output: "ABC", expected: "abc" }, 1],
		["json_distance", {}, { output: { a: 1, b: 2 }, expected: { a: 1, b: 3 } }, 0.5],
		["json_distance", {}, { output: "{}", expected: {} }, 0],
		["json_distance", {}, { output: "x", expected: {} }, 1],
	])("%s %j of %j is %d", (key, parameters, inputs, score) => {
		expect(run(key, parameters, inputs).score).toBeCloseTo(score, 12);
	});

	it("covers every built-in evaluator, each of which describes itself", () => {
		for (const { key, inputs, mapping, output } of BUILT_INS) {
			expect(parametersSchema(BUILT_INS.find((each) => each.key === key) ?? never())).toMatchObject({ type: "object" });
			expect(inputs.length).toBeGreaterThan(0);
			expect(Object.keys(mapping)).toContain("run");
			expect(output.name).toMatch(/^[a-z_]+$/);
		}
		expect(new Set(BUILT_INS.map(({ key }) => key)).size).toBe(16);
	});
});

function never(): never {
	throw new Error("it is there");
}

test("an output with labels of one's own gets the first for what passed; a score gets what was measured", () => {
	const labels = [
		{ label: "short", score: 2 },
		{ label: "long", score: null },
	];
	const outputs = [{ name: "size", type: "categorical", labels }];
	expect(run("length", { maximum: 2 }, { output: "ab" }, outputs)).toMatchObject({ label: "short", score: 2 });
	expect(run("length", { maximum: 2 }, { output: "abc" }, outputs)).toMatchObject({ label: "long", score: null });
	const score = [{ name: "size", type: "score", thresholds: [{ from: 3, label: "long" }] }];
	expect(run("length", {}, { output: "abc" }, score)).toMatchObject({ label: "long", score: 3 });
	const bounded = [{ name: "size", type: "score", maximum: 2 }];
	expect(run("length", {}, { output: "abc" }, bounded).error?.message).toMatch(/greater than 2/);
});

describe("E40: parameters outside their schema are refused, with the way to them:", () => {
	it.each<[string, unknown, string]>([
		["regex", { pattern: "(?=a)" }, "builtin.parameters.pattern"],
		["regex", { pattern: "(" }, "builtin.parameters.pattern"],
		["regex", { pattern: "(a{1000}){3}" }, "builtin.parameters.pattern"],
		["regex", {}, "builtin.parameters.pattern"],
		["one_of", { values: [] }, "builtin.parameters.values"],
		["contains", { texts: ["a", 1] }, "builtin.parameters.texts.1"],
		["length", { minimum: 3, maximum: 2 }, "builtin.parameters.maximum"],
		["latency_below", { milliseconds: -1 }, "builtin.parameters.milliseconds"],
		["exact_match", { case: true }, "builtin.parameters"],
		["json_schema", { schema: { type: "objekt" } }, "builtin.parameters.schema"],
		["json_schema", { schema: { $ref: "https://schemas.example/a.json" } }, "builtin.parameters.schema"],
		["json_schema", { schema: { pattern: "(?<a>x)\\1" } }, "builtin.parameters.schema"],
		["shout", {}, "builtin.key"],
	])("%s %j at %s", (key, parameters, place) => {
		const { error } = EvaluatorVersionBody.safeParse({ kind: "BUILT_IN", builtin: { key, parameters } });
		expect(error?.issues.map(({ path }) => path.join("."))).toContain(place);
	});
});

describe("E49: what explodes elsewhere ends", () => {
	const long = "a".repeat(20_000);

	it.each(["(a+)+$", "(a|aa)+$", "(.*a){25}$", "^(([a-z])+.)+[A-Z]([a-z])+$"])("the pattern %s", (pattern) => {
		expect(run("regex", { pattern }, { output: `${long}!` }).label).toMatch(/pass|fail/);
		expect(run("json_schema", { schema: { pattern } }, { output: JSON.stringify(`${long}!`) }).label).toMatch(
			/pass|fail/,
		);
	});

	it("a text that is too long for its pattern is an error, not a wait", () => {
		const { error } = run("regex", { pattern: "(ab{1,50}){1,10}" }, { output: "ab".repeat(400_000) });
		expect(error).toMatchObject({ code: "too_long" });
	});

	it("schemas that refer to themselves more than once", () => {
		let defs: Record<string, unknown> = { d0: {} };
		for (let at = 1; at <= 40; at += 1) {
			defs = { ...defs, [`d${at}`]: { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] } };
		}
		expect(run("json_schema", { schema: { $ref: "#/$defs/d40", $defs: defs } }, { output: "1" }).error).toMatchObject({
			code: "too_long",
		});
		const twice = { allOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }] };
		const deep = `${"[".repeat(60)}1${"]".repeat(60)}`;
		expect(run("json_schema", { schema: twice }, { output: deep }).error).toMatchObject({ code: "too_long" });
		expect(run("json_schema", { schema: { $ref: "#" } }, { output: "1" }).error).toMatchObject({ code: "too_long" });
	});

	it("a reference into what is no schema finds nothing to run", () => {
		const hidden = { allOf: [{ $ref: "#/const" }, { $ref: "#/const" }] };
		expect(schemaProblem({ const: hidden, $ref: "#/const" })).toBeDefined();
	});

	it("unique items are looked for once each", () => {
		const items = Array.from({ length: 50_000 }, (_, at) => ({ at }));
		expect(run("json_schema", { schema: { uniqueItems: true } }, { output: items }).label).toBe("pass");
	});

	it("JSON that nests deeper than the stack", () => {
		const output = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
		for (const ignore_order of [false, true]) {
			const { error } = run("json_equality", { ignore_order }, { output, expected: "[1]" });
			expect(error).toMatchObject({ code: "too_long" });
		}
	});

	it("texts that are too long to be compared letter by letter", () => {
		expect(run("levenshtein", {}, { output: "a".repeat(20_001), expected: "b" }).error).toMatchObject({
			code: "too_long",
		});
	});
});
