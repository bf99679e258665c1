import { expect, test } from "vitest";
import { configBody, configDraft, configProblems, NEW_CONFIG } from "./config-draft.ts";

test("a config with labels needs one, and each only once", () => {
	const draft = { ...NEW_CONFIG, name: "quality" };
	expect(configProblems(draft)).toEqual({});
	expect(configProblems({ ...draft, values: [{ label: " ", score: "" }] })).toEqual({
		values: "At least one label is needed.",
	});
	const twice = [
		{ label: "a", score: "" },
		{ label: "a ", score: "" },
	];
	expect(configProblems({ ...draft, values: twice })).toEqual({ values: "a appears twice." });
	expect(configProblems({ ...draft, name: "" })).toEqual({ name: "Write a name." });
});

test("the bounds of a number have to be numbers in order, or empty", () => {
	const draft = { ...NEW_CONFIG, name: "relevance", type: "CONTINUOUS" as const };
	expect(configProblems({ ...draft, lower: "", upper: "" })).toEqual({});
	expect(configProblems({ ...draft, lower: "x" })).toHaveProperty("lower_bound");
	expect(configProblems({ ...draft, lower: "1", upper: "1" })).toHaveProperty("upper_bound");
});

test("what is read and sent back is the same", () => {
	const config = {
		id: "1",
		name: "quality",
		type: "CATEGORICAL" as const,
		description: null,
		optimization_direction: "NONE" as const,
		values: [
			{ label: "good", score: 1 },
			{ label: "unclear", score: null },
		],
	};
	const { id: _id, ...body } = config;
	expect(configBody(configDraft(config))).toEqual(body);
});
