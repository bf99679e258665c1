import type { ModelAnswer } from "#models/model-request.ts";
import {
	byName,
	findLabel,
	labelOfScore,
	type OutputResult,
	scoreProblem,
	storedExplanation,
} from "../evaluation-result.ts";
import type { EvaluatorOutput } from "../outputs.ts";
import { findJson, withoutReasoning } from "./find-json.ts";
import { verdictMembers } from "./verdict-form.ts";

/** Reads what a judge answered, strictly: a verdict is what it says, or it is none. */

type Members = Readonly<Record<string, unknown>>;

export type ReadVerdict =
	| { readonly outputs: Readonly<Record<string, OutputResult>>; readonly warnings: readonly string[] }
	/** A sentence for the judge, which it may mend its answer by. */
	| { readonly problem: string };

export function readVerdict(outputs: readonly EvaluatorOutput[], answer: ModelAnswer): ReadVerdict {
	const members = verdictMembers(outputs);
	const wanted = members.map(({ key, output }) => key ?? verdictKey(output));
	const found = findVerdict(answer, (object) => wanted.every((key) => Object.hasOwn(object, key)));
	const [first] = members;
	if (found === undefined) {
		const bare = first !== undefined && first.key === undefined ? readBare(first.output, answer.text) : undefined;
		return bare ?? { problem: noVerdict(answer) };
	}
	const results: [string, OutputResult][] = [];
	const warnings: string[] = [];
	for (const { key, output } of members) {
		const part = key === undefined ? found : Object.hasOwn(found, key) ? found[key] : undefined;
		const place = key === undefined ? "" : `${JSON.stringify(key)}: `;
		if (!isMembers(part)) return { problem: `${place}the object for it is missing` };
		const read = readMember(output, part);
		if ("problem" in read) return { problem: `${place}${read.problem}` };
		results.push([output.name, read.result]);
		warnings.push(...read.warnings.map((warning) => `${place}${warning}`));
	}
	return { outputs: byName(results), warnings };
}

/** From the call of the tool, else from the text. */
function findVerdict({ tool_calls, text }: ModelAnswer, isWanted: (object: Members) => boolean): Members | undefined {
	for (const { arguments: given } of tool_calls) {
		const found = findJson(given, isWanted);
		if (found !== undefined) return found;
	}
	return findJson(text, isWanted);
}

function readMember(
	output: EvaluatorOutput,
	part: Members,
): { readonly result: OutputResult; readonly warnings: readonly string[] } | { readonly problem: string } {
	const key = verdictKey(output);
	if (!Object.hasOwn(part, key)) return { problem: `there is no member "${key}"` };
	const verdict = part[key];
	const given = Object.hasOwn(part, "explanation") ? part["explanation"] : undefined;
	const { explanation, warnings } = readExplanation(output, given);
	if (output.type === "categorical") {
		const found = typeof verdict === "string" ? findLabel(output, verdict) : undefined;
		if (found === undefined)
			return { problem: `the label is ${shown(verdict)}; it has to be one of ${labelsOf(output)}` };
		return { result: { ...found, explanation, error: null }, warnings };
	}
	if (typeof verdict !== "number") return { problem: `the score is ${shown(verdict)}; it has to be a number` };
	const problem = scoreProblem(output, verdict);
	if (problem !== undefined) return { problem };
	return { result: { label: labelOfScore(output, verdict), score: verdict, explanation, error: null }, warnings };
}

function readExplanation(
	output: EvaluatorOutput,
	given: unknown,
): { readonly explanation: string | null; readonly warnings: readonly string[] } {
	if (output.explanation === "none") return { explanation: null, warnings: [] };
	if (typeof given !== "string" || given.trim() === "") {
		return { explanation: null, warnings: ["the judge gave no explanation"] };
	}
	const { explanation, isCut } = storedExplanation(given);
	return { explanation, warnings: isCut ? ["the explanation was too long and was cut"] : [] };
}

/** A label that is all the judge wrote. */
function readBare(output: EvaluatorOutput, text: string): ReadVerdict | undefined {
	if (output.type !== "categorical") return undefined;
	const found = findLabel(output, withoutReasoning(text).replace(/^["'`]([^"'`]*)["'`]\.?$/, "$1"));
	if (found === undefined) return undefined;
	const { warnings } = readExplanation(output, undefined);
	return { outputs: byName([[output.name, { ...found, explanation: null, error: null }]]), warnings };
}

function noVerdict({ text, tool_calls, finish_reason }: ModelAnswer): string {
	if (finish_reason === "length") return "the answer was cut off before the verdict was complete";
	return text.trim() === "" && tool_calls.length === 0
		? "the answer is empty"
		: "the answer has no JSON object with the verdict";
}

function verdictKey({ type }: EvaluatorOutput): "label" | "score" {
	return type === "categorical" ? "label" : "score";
}

function labelsOf({ labels }: Extract<EvaluatorOutput, { type: "categorical" }>): string {
	return labels.map(({ label }) => JSON.stringify(label)).join(", ");
}

function isMembers(value: unknown): value is Members {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > 100 ? `${text.slice(0, 100).toWellFormed()} …` : text;
}
