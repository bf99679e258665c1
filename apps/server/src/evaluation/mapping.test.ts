import { describe, expect, it, test } from "vitest";
import { EvaluatorVersionBody } from "./evaluator-version.ts";
import { mapInputs, mappingProblems, pathProblem } from "./mapping.ts";

const inputs = [
	{ name: "question", required: true },
	{ name: "policy", required: false },
];

const context = {
	input: { question: "why?" },
	attributes: { "llm.model_name": "m" },
	spans: Array.from({ length: 2_000 }, (_, at) => ({ name: `s${at}`, kind: at % 2 === 0 ? "TOOL" : "LLM" })),
	id: JSON.rawJSON("12345678901234567890"),
};

test("inputs come from paths and literals", () => {
	const mapping = { question: { path: "input.question" }, policy: { literal: { be: "kind" } } };
	const { values, missing } = mapInputs(inputs, mapping, context);
	expect([{ ...values }, missing]).toEqual([{ question: "why?", policy: { be: "kind" } }, undefined]);
});

test("a required input without a value is named, with the reason", () => {
	const problem = (path: string) => mapInputs(inputs, { question: { path } }, context).missing;
	expect(problem("output.answer")).toEqual({
		name: "question",
		message: "the input question is missing: output.answer yields nothing",
	});
	expect(problem("sum(input.question)")?.message).toMatch(
		/sum\(\) was given a value of the wrong type, as happens when/,
	);
	expect(mapInputs(inputs, {}, context).missing?.message).toMatch(/the mapping does not name it/);
	expect(mapInputs(inputs, { question: { path: "@" } }, context).values["policy"]).toBeNull();
});

test("paths look into large contexts, and keep all digits of numbers", () => {
	const value = (path: string) => mapInputs(inputs, { question: { path } }, context).values["question"];
	expect(value("spans[?kind == 'TOOL'] | length(@)")).toBe(1_000);
	expect(value('attributes."llm.model_name"')).toBe("m");
	expect(JSON.stringify(value("id"))).toBe("12345678901234567890");
	expect(value("spans[?$.spans[?$.spans[?name == 'x']]]")).toBeNull();
	expect(value("constructor")).toBeNull();
});

describe("a mapping is checked when it is saved:", () => {
	it.each([
		["input.", /not complete/],
		["shout(input)", /shout\(\), which is not a JMESPath function/],
		["attributes.llm-name", /attributes\."llm.model_name"/],
		["input == `x`", /single quotes/],
	])("%s", (path, message) => {
		expect(pathProblem(path)).toMatch(message);
	});

	it("with the way to what is wrong", () => {
		const places = (mapping: unknown) => {
			const { error } = EvaluatorVersionBody.safeParse({
				kind: "CODE",
				inputs: [{ name: "output" }],
				outputs: [{ name: "x", type: "score" }],
				language: "javascript",
				source: "function evaluate() {}",
				mapping,
			});
			return error?.issues.map(({ path }) => path.join(".")) ?? [];
		};
		expect(places({ span: { output: { path: "output_text" } }, run: {} })).toEqual([]);
		expect(places({ span: { output: { path: "output[" } } })).toEqual(["mapping.span.output.path"]);
		expect(places({ span: { other: { path: "output" } } })).toEqual(["mapping.span.other"]);
		expect(places({ span: { output: { path: "output", literal: 1 } } })).toEqual(["mapping.span.output"]);
		expect(places({ row: {} })).toEqual(["mapping"]);
	});

	it("and when an evaluator is used", () => {
		expect(mappingProblems(inputs, { other: { literal: 1 } })).toEqual([
			{ path: ["other"], message: "the evaluator has no input other" },
			{ path: [], message: "it does not say where the input question comes from" },
		]);
	});
});
