import {
	byName,
	failedOutput,
	failedOutputs,
	findLabel,
	labelOfScore,
	type OutputResult,
	scoreProblem,
	storable,
	storedExplanation,
} from "../evaluation-result.ts";
import type { EvaluatorOutput } from "../outputs.ts";
import { type CodeFault, MAX_RESULT, type Returned } from "./code-messages.ts";

/** Reads what the code of a user returned as results of the outputs of its version. */

type Members = Readonly<Record<string, unknown>>;

const RESULT_MEMBERS = ["label", "score", "explanation"];

export interface CodeResults {
	readonly outputs: Readonly<Record<string, OutputResult>>;
	readonly warnings: readonly string[];
}

export function readReturned(outputs: readonly EvaluatorOutput[], returned: Returned): CodeResults {
	const fail = (message: string) => ({
		outputs: failedOutputs(outputs, { code: "bad_output", message }),
		warnings: [],
	});
	switch (returned.type) {
		case "undefined":
			return fail("evaluate returned nothing: it has to end with return and a result");
		case "too_large":
			return fail(`what evaluate returned has more than ${MAX_RESULT} characters of JSON`);
		case "function":
		case "symbol":
		case "bigint":
			return fail(`evaluate returned a ${returned.type}, which is no result`);
		case "number":
			return readWhole(outputs, returned.value ?? Number(returned.text));
		case "string":
		case "boolean":
			return readWhole(outputs, returned.value);
		case "object":
			return readWhole(outputs, returned.value);
	}
}

/** The fault of the code as the result of each output. */
export function faultedOutputs(outputs: readonly EvaluatorOutput[], fault: CodeFault): CodeResults["outputs"] {
	return failedOutputs(outputs, { code: fault.code, message: faultMessage(fault) });
}

export function faultMessage({ code, message, line }: CodeFault): string {
	// The interpreter knows no better where it was interrupted.
	const place = code === "code_timeout" ? "near line" : "line";
	return storable(line === undefined ? message : `${message} (${place} ${line})`);
}

function readWhole(outputs: readonly EvaluatorOutput[], value: unknown): CodeResults {
	const [only] = outputs;
	if (only !== undefined && outputs.length === 1 && isOneResult(value, only.name)) {
		return { outputs: byName([[only.name, readResult(only, value, "the result")]]), warnings: [] };
	}
	if (!isMembers(value)) {
		const names = outputs.map(({ name }) => JSON.stringify(name)).join(", ");
		const message = `evaluate returned ${shown(value)}: with several outputs it has to return an object with ${names}`;
		return { outputs: failedOutputs(outputs, { code: "bad_output", message }), warnings: [] };
	}
	const known = new Set(outputs.map(({ name }) => name));
	const others = Object.keys(value).filter((key) => !known.has(key));
	const results = outputs.map((output) => {
		if (!Object.hasOwn(value, output.name)) {
			const message = `the result has no member ${JSON.stringify(output.name)}`;
			return [output.name, failedOutput("bad_output", message)] as const;
		}
		return [output.name, readResult(output, value[output.name], `the member ${JSON.stringify(output.name)}`)] as const;
	});
	return {
		outputs: byName(results),
		warnings: others
			.slice(0, 10)
			.map((key) => `the result has a member ${JSON.stringify(key.slice(0, 100))}, which is no output`),
	};
}

/** Whether a value is the result of the only output, and no object by names of outputs. */
function isOneResult(value: unknown, name: string): boolean {
	if (!isMembers(value)) return true;
	const keys = Object.keys(value);
	if (isNumber(value) !== undefined) return true;
	return keys.every((key) => RESULT_MEMBERS.includes(key)) || !Object.hasOwn(value, name);
}

function readResult(output: EvaluatorOutput, value: unknown, what: string): OutputResult {
	const fail = (message: string) => failedOutput("bad_output", message);
	if (!isMembers(value) || isNumber(value) !== undefined) return readVerdict(output, value, null, what);
	const unknown = Object.keys(value).find((key) => !RESULT_MEMBERS.includes(key));
	if (unknown !== undefined) {
		return fail(
			`${what} has a member ${JSON.stringify(unknown.slice(0, 100))}; there are label, score and explanation`,
		);
	}
	const { label = null, score = null, explanation = null } = value;
	if (explanation !== null && typeof explanation !== "string") return fail(`the explanation of ${what} is no text`);
	if (output.type === "score") {
		if (score === null) return fail(`${what} has no score`);
		const result = readVerdict(output, score, explanation, what);
		if (result.error !== null || label === null) return result;
		if (typeof label !== "string") return fail(`the label of ${what} is no text`);
		if (output.thresholds === undefined)
			return { ...result, label: storedExplanation(label).explanation.slice(0, 1_000) };
		return result.label === label ? result : fail(`the label of ${what} is not that of its score`);
	}
	if (label === null) return fail(`${what} has no label`);
	const result = readVerdict(output, label, explanation, what);
	if (result.error !== null || score === null || score === result.score) return result;
	return fail(`${what} has the score ${shown(score)} beside a label whose score is ${result.score}`);
}

function readVerdict(output: EvaluatorOutput, value: unknown, explanation: string | null, what: string): OutputResult {
	const stored = explanation === null ? null : storedExplanation(explanation).explanation;
	if (output.type === "categorical") {
		const found =
			typeof value === "string" || typeof value === "boolean" ? findLabel(output, String(value)) : undefined;
		if (found !== undefined) return { ...found, explanation: stored, error: null };
		const labels = output.labels.map(({ label }) => JSON.stringify(label)).join(", ");
		return failedOutput("bad_output", `${what} is ${shown(value)}; the labels are ${labels}`);
	}
	const score = typeof value === "boolean" ? Number(value) : isNumber(value);
	if (score === undefined) return failedOutput("bad_output", `${what} is ${shown(value)}, and no number`);
	const problem = scoreProblem(output, score);
	if (problem !== undefined) return failedOutput("bad_output", `${what} is not right: ${problem}`);
	return { label: labelOfScore(output, score), score, explanation: stored, error: null };
}

/** A number, or what the sandbox writes for those that JSON does not have. */
function isNumber(value: unknown): number | undefined {
	if (typeof value === "number") return value;
	if (!isMembers(value)) return undefined;
	const text = value["$number"];
	return typeof text === "string" && Object.keys(value).length === 1 ? Number(text) : undefined;
}

function isMembers(value: unknown): value is Members {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
	const number = isNumber(value);
	if (number !== undefined) return String(number);
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > 200 ? `${text.slice(0, 200).toWellFormed()} …` : text;
}
