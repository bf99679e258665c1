import { expect, test } from "vitest";
import { parameterFields, readParameters } from "./rule-parameters.ts";

const FIELDS = parameterFields({
	type: "object",
	required: ["pattern"],
	properties: {
		pattern: { type: "string", description: "What is looked for." },
		mode: { type: "string", enum: ["whole", "anywhere"], default: "anywhere" },
		ignore_case: { type: "boolean", default: false },
		most: { type: "integer" },
		texts: { type: "array", items: { type: "string" } },
		schema: { type: "object" },
	},
});

test("parameters are fields by their schema", () => {
	expect(FIELDS.map(({ name, kind }) => [name, kind])).toEqual([
		["pattern", "text"],
		["mode", "choice"],
		["ignore_case", "boolean"],
		["most", "number"],
		["texts", "lines"],
		["schema", "json"],
	]);
	expect(FIELDS.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(["pattern"]);
});

test("what is written is read as what the schema asks for, and what is empty is left out", () => {
	const written = { pattern: "a+", mode: "", ignore_case: "false", most: "3", texts: "one\n\ntwo", schema: '{"a":1}' };
	expect(readParameters(FIELDS, written)).toEqual({
		parameters: { pattern: "a+", ignore_case: false, most: 3, texts: ["one", "two"], schema: { a: 1 } },
		problems: {},
	});
	const { problems } = readParameters(FIELDS, { most: "many", schema: "{" });
	expect(Object.keys(problems)).toEqual(["most", "schema"]);
});
