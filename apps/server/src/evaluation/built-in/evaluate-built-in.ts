import {
	failedOutput,
	labelOfScore,
	type OutputResult,
	scoreProblem,
	storedExplanation,
} from "../evaluation-result.ts";
import type { InputValues } from "../mapping.ts";
import type { EvaluatorOutput } from "../outputs.ts";
import { type Finding, UnfitInput } from "./built-in.ts";
import { findBuiltIn } from "./built-ins.ts";

/** A built-in evaluator with its parameters, as versions have it. */
export interface BuiltInUse {
	readonly key: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

type Judge = (inputs: InputValues) => Finding;

/** Patterns and schemas take longer to compile than to be matched. */
const MOST_PREPARED = 100;
const prepared = new Map<string, Judge>();

/** What a built-in evaluator says of its inputs, as a result of the only output of its version. */
export function evaluateBuiltIn(use: BuiltInUse, output: EvaluatorOutput, inputs: InputValues): OutputResult {
	try {
		return toResult(output, prepare(use)(inputs));
	} catch (error) {
		if (error instanceof UnfitInput) return failedOutput(error.code, error.message);
		if (error instanceof RangeError) return failedOutput("too_long", "the inputs nest too deeply");
		throw error;
	}
}

function prepare({ key, parameters }: BuiltInUse): Judge {
	const name = `${key} ${JSON.stringify(parameters)}`;
	const known = prepared.get(name);
	if (known !== undefined) return known;
	const builtIn = findBuiltIn(key);
	if (builtIn === undefined) throw new Error(`there is no built-in evaluator ${key}`);
	const judge = builtIn.prepare(builtIn.parameters.parse(parameters));
	if (prepared.size >= MOST_PREPARED) prepared.clear();
	prepared.set(name, judge);
	return judge;
}

function toResult(output: EvaluatorOutput, { passed, value, explanation: text }: Finding): OutputResult {
	const { explanation } = storedExplanation(text);
	if (output.type === "categorical") {
		const found = output.labels[passed ? 0 : 1];
		return { label: found?.label ?? null, score: found?.score ?? null, explanation, error: null };
	}
	const score = value ?? (passed ? 1 : 0);
	const problem = scoreProblem(output, score);
	if (problem !== undefined) return failedOutput("bad_output", problem);
	return { label: labelOfScore(output, score), score, explanation, error: null };
}
