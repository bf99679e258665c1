import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { BUILT_INS } from "./built-in/built-ins.ts";
import { EVALUATION_ERROR_CODES } from "./evaluation-result.ts";
import { EvaluatorVersionBody, EvaluatorVersionDefinition } from "./evaluator-version.ts";

const code = {
	kind: "CODE",
	inputs: [{ name: "output" }],
	outputs: [{ name: "x", type: "score" }],
	language: "javascript",
	source: "function evaluate() { return 1; }",
};

test("a version that is stored is read again as it is, and can be answered", () => {
	const builtIn = { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["a"] } } };
	for (const body of [code, builtIn]) {
		const stored = EvaluatorVersionBody.parse(body);
		const text = JSON.stringify(stored);
		expect(EvaluatorVersionBody.parse(JSON.parse(text))).toEqual(stored);
		expect(EvaluatorVersionDefinition.parse(JSON.parse(text))).toEqual(stored);
	}
});

describe("is refused, with the way to what is wrong:", () => {
	const score = { name: "x", type: "score" };
	const categorical = (...labels: string[]) => ({
		name: "x",
		type: "categorical",
		labels: labels.map((label) => ({ label })),
	});
	const judge = {
		kind: "LLM",
		inputs: [{ name: "output" }],
		outputs: [categorical("a", "b")],
		variant: { connection_id: "c", messages: [{ role: "user", content: "{{output}}" }] },
	};

	it.each<[string, object, string]>([
		["an input twice", { ...code, inputs: [{ name: "a" }, { name: "a" }] }, "inputs.1.name"],
		["an input that is no name", { ...code, inputs: [{ name: "a-b" }] }, "inputs.0.name"],
		["an output twice", { ...code, outputs: [score, { ...score, name: " X" }] }, "outputs.1.name"],
		["the name of notes", { ...code, outputs: [{ ...score, name: "note" }] }, "outputs.0.name"],
		[
			"labels that differ by case alone",
			{ ...code, outputs: [categorical("Yes", "yes ")] },
			"outputs.0.labels.1.label",
		],
		["one label", { ...code, outputs: [categorical("Yes")] }, "outputs.0.labels"],
		["bounds the wrong way round", { ...code, outputs: [{ ...score, minimum: 1, maximum: 0 }] }, "outputs.0.maximum"],
		[
			"thresholds that do not ascend",
			{
				...code,
				outputs: [
					{
						...score,
						thresholds: [
							{ from: 1, label: "a" },
							{ from: 1, label: "b" },
						],
					},
				],
			},
			"outputs.0.thresholds.1.from",
		],
		["six outputs", { ...code, outputs: "abcdef".split("").map((name) => ({ ...score, name })) }, "outputs"],
		["a score without bounds for a judge", { ...judge, outputs: [score] }, "outputs.0.minimum"],
		["source of 257 KiB", { ...code, source: "x".repeat(257 * 1_024) }, "source"],
		["a time that is too short", { ...code, timeout_ms: 49 }, "timeout_ms"],
		["too much memory", { ...code, memory_mib: 129 }, "memory_mib"],
		["no messages", { ...judge, variant: { connection_id: "c" } }, "variant.messages"],
		[
			"messages beside those of a prompt version",
			{ ...judge, variant: { ...judge.variant, prompt_version_id: "p" } },
			"variant.messages",
		],
		["a member that is not there", { ...code, prompt: "x" }, ""],
	])("%s", (_what, body, place) => {
		const { error } = EvaluatorVersionBody.safeParse(body);
		expect(error?.issues.map(({ path }) => path.join("."))).toContain(place);
	});
});

test("docs/evaluators.md has versions that are right, every built-in evaluator and every error", async () => {
	const page = await readFile(join(import.meta.dirname, "../../../../docs/evaluators.md"), "utf8");
	const blocks = Array.from(page.matchAll(/```json\n([\s\S]*?)```/g), ([, block = ""]) => block);
	const versions = blocks.filter((block) => block.includes('"kind"')).map((block) => JSON.parse(block));
	expect(versions.map((version) => EvaluatorVersionBody.parse(version).kind)).toEqual(["BUILT_IN", "LLM"]);
	for (const { key } of BUILT_INS) expect(page).toContain(`\`${key}\``);
	for (const errorCode of EVALUATION_ERROR_CODES) expect(page).toContain(`\`${errorCode}\``);
});
