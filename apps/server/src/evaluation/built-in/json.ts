import { z } from "zod";
import { builtIn, passOrFail, share } from "./built-in.ts";
import { compareJson, type JsonDifference } from "./compare-json.ts";
import { asJson, DATA, OUTPUT, OUTPUT_TEXT, quote } from "./input-values.ts";

const EXPECTED = { name: "expected", required: true, description: "What it should have been, as JSON." } as const;

export const validJson = builtIn({
	key: "valid_json",
	title: "Valid JSON",
	description: "The output is JSON.",
	parameters: z.strictObject({
		type: z.enum(["any", "object", "array"]).default("any").describe("What the JSON has to be."),
	}),
	inputs: [OUTPUT],
	mapping: OUTPUT_TEXT,
	output: passOrFail("valid_json"),
	prepare:
		({ type }) =>
		(inputs) => {
			const read = asJson(inputs["output"], "output");
			if ("problem" in read) return { passed: false, explanation: `The output is no JSON: ${read.problem}.` };
			const kind = kindOf(read.json);
			const passed = type === "any" || kind === type;
			return { passed, explanation: `The output is JSON: ${kind}${passed ? "" : `, but wanted is ${type}`}.` };
		},
});

function kindOf(json: unknown): string {
	if (json === null) return "null";
	if (Array.isArray(json)) return "array";
	return typeof json === "bigint" ? "number" : typeof json;
}

const comparing = {
	ignore_order: z.boolean().default(false).describe("Lists are the same in any order."),
	ignore_members: z
		.array(z.string().max(1_000))
		.max(1_000)
		.default([])
		.describe("Names of members that are not compared, wherever they are."),
};

export const jsonEquality = builtIn({
	key: "json_equality",
	title: "Equal JSON",
	description: "The output is the expected JSON, whatever the order of its members.",
	parameters: z.strictObject(comparing),
	inputs: [OUTPUT, EXPECTED],
	mapping: DATA,
	output: passOrFail("json_equality"),
	prepare: (options) => (inputs) => {
		const read = readBoth(inputs["output"], inputs["expected"]);
		if (typeof read === "string") return { passed: false, explanation: read };
		const { differences, first } = compareJson(read.output, read.expected, options);
		return { passed: differences === 0, explanation: explain(differences, first) };
	},
});

export const jsonDistance = builtIn({
	key: "json_distance",
	title: "Distance of JSON",
	description:
		"The share of values that differ between the output and the expected JSON: 0 when they are equal, 1 at most.",
	parameters: z.strictObject({
		at_most: z.number().min(0).max(1).default(0).describe("What counts as passed where the output has labels."),
		...comparing,
	}),
	inputs: [OUTPUT, EXPECTED],
	mapping: DATA,
	output: share("json_distance", "MINIMIZE"),
	prepare:
		({ at_most, ...options }) =>
		(inputs) => {
			const read = readBoth(inputs["output"], inputs["expected"]);
			if (typeof read === "string") return { passed: false, value: 1, explanation: read };
			const { differences, values, first } = compareJson(read.output, read.expected, options);
			const value = values === 0 ? 0 : differences / values;
			return {
				passed: value <= at_most,
				value,
				explanation: `${differences} of ${values} values differ. ${explain(differences, first)}`,
			};
		},
});

function readBoth(
	output: unknown,
	expected: unknown,
): { readonly output: unknown; readonly expected: unknown } | string {
	const readOutput = asJson(output, "output");
	if ("problem" in readOutput) return `The output is no JSON: ${readOutput.problem}.`;
	// What is expected may be a plain text, and then the output has to be that text in JSON.
	const readExpected = asJson(expected, "expected");
	return { output: readOutput.json, expected: "problem" in readExpected ? expected : readExpected.json };
}

function explain(differences: number, first: JsonDifference | undefined): string {
	if (first === undefined) return "The output and the expected JSON are equal.";
	const { path, output, expected } = first;
	const place = path === "" ? "The whole" : `First at ${path}: it`;
	const more = differences > 1 ? ` ${differences} values differ in all.` : "";
	return `${place} is ${quote(output)} where ${quote(expected)} is expected.${more}`;
}
