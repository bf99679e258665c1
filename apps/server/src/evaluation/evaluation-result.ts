import { z } from "zod";
import type { ModelErrorCode } from "#models/model-error.ts";
import type { ModelMessage } from "#models/model-request.ts";
import { type EvaluatorOutput, foldLabel } from "./outputs.ts";

/** Explanations are cut after so many characters, and the cut is marked. */
export const MAX_EXPLANATION = 65_536;
const CUT_MARK = " … (cut)";

/** Why an evaluation gave no result; those of models come beside them. */
export const EVALUATION_ERROR_CODES = [
	"missing_input",
	"too_long",
	"too_large",
	"bad_output",
	"code_error",
	"code_timeout",
	"code_memory",
	"code_off",
	"evaluator_failed",
] as const;
export type EvaluationErrorCode = (typeof EVALUATION_ERROR_CODES)[number] | ModelErrorCode;

export interface EvaluationError {
	readonly code: EvaluationErrorCode;
	readonly message: string;
}

/** What one output of an evaluator says of its target. With an error, everything else is null. */
export interface OutputResult {
	readonly label: string | null;
	/** Null beside a label is an abstention. */
	readonly score: number | null;
	readonly explanation: string | null;
	readonly error: EvaluationError | null;
}

/** What one run of a version on one target came to. */
export interface Evaluation {
	/** Each output of the version, by its name. */
	readonly outputs: Readonly<Record<string, OutputResult>>;
	/** Where no output has a result: why, and whether the same may succeed later. */
	readonly failure?: EvaluationError & {
		readonly isPassing: boolean;
		readonly retryAfterMs?: number;
		readonly scope?: string;
	};
	/** Dollars; null where nothing was asked for money, or the model has no price. */
	readonly costUsd: number | null;
	readonly latencyMs: number;
	/** Of the evaluator's own trace; null for built-in ones, which write none. */
	readonly traceId: string | null;
	/** The model that answered. */
	readonly model: string | null;
	readonly warnings: readonly string[];
	/** An input was cut in its middle. */
	readonly isTruncated: boolean;
	/** What the judge was sent. */
	readonly rendered?: readonly ModelMessage[];
}

const OutputResultSchema = z.object({
	label: z.string().nullable(),
	score: z.number().nullable().describe("Null beside a label is an abstention."),
	explanation: z.string().nullable(),
	error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

export const EvaluationResult = z
	.object({
		outputs: z.record(z.string(), OutputResultSchema).describe("By the name of the output."),
		cost_usd: z.number().nullable(),
		latency_ms: z.number(),
		trace_id: z.string().nullable().describe("The evaluator's own trace; null for built-in ones."),
		model: z.string().nullable(),
		warnings: z.array(z.string()),
		truncated: z.boolean().describe("An input was longer than allowed and was cut in its middle."),
		rendered: z.array(z.unknown()).optional().describe("The messages that the judge was sent."),
	})
	.meta({ id: "EvaluationResult" });

export function toEvaluationResult(evaluation: Evaluation): z.output<typeof EvaluationResult> {
	const { outputs, costUsd, latencyMs, traceId, model, warnings, isTruncated, rendered } = evaluation;
	return {
		outputs,
		cost_usd: costUsd,
		latency_ms: latencyMs,
		trace_id: traceId,
		model,
		warnings: [...warnings],
		truncated: isTruncated,
		...(rendered === undefined ? {} : { rendered: [...rendered] }),
	};
}

export function failedOutput(code: EvaluationErrorCode, message: string): OutputResult {
	return { label: null, score: null, explanation: null, error: { code, message: storable(message) } };
}

/** The same failure for each output. */
export function failedOutputs(
	outputs: readonly EvaluatorOutput[],
	{ code, message }: EvaluationError,
): Readonly<Record<string, OutputResult>> {
	return byName(outputs.map(({ name }) => [name, failedOutput(code, message)]));
}

/** An object without a prototype: outputs have any names. */
export function byName<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
	const object: Record<string, Value> = Object.create(null);
	for (const [name, value] of entries) object[name] = value;
	return object;
}

/** The label that a text names; undefined for none. */
export function findLabel(
	{ labels }: Extract<EvaluatorOutput, { type: "categorical" }>,
	text: string,
): { readonly label: string; readonly score: number | null } | undefined {
	const folded = foldLabel(text);
	const found = labels.find(({ label }) => foldLabel(label) === folded);
	return found === undefined ? undefined : { label: found.label, score: found.score };
}

/** What is wrong with a score; undefined when nothing is. */
export function scoreProblem(
	{ minimum = -Infinity, maximum = Infinity, integer }: Extract<EvaluatorOutput, { type: "score" }>,
	score: number,
): string | undefined {
	if (!Number.isFinite(score)) return `the score is ${score}`;
	if (score < minimum) return `the score ${score} is less than ${minimum}`;
	if (score > maximum) return `the score ${score} is greater than ${maximum}`;
	return integer && !Number.isInteger(score) ? `the score ${score} is no whole number` : undefined;
}

/** The label of the last threshold that the score reaches. */
export function labelOfScore(
	{ thresholds = [] }: Extract<EvaluatorOutput, { type: "score" }>,
	score: number,
): string | null {
	return thresholds.findLast(({ from }) => score >= from)?.label ?? null;
}

/** With halves of surrogate pairs and NULs, which cannot be stored, replaced. */
export function storable(text: string): string {
	return text.replaceAll("\0", "\ufffd").toWellFormed();
}

export function storedExplanation(text: string): { readonly explanation: string; readonly isCut: boolean } {
	const clean = storable(text);
	if (clean.length <= MAX_EXPLANATION) return { explanation: clean, isCut: false };
	const kept = clean.slice(0, MAX_EXPLANATION - CUT_MARK.length).toWellFormed();
	return { explanation: `${kept}${CUT_MARK}`, isCut: true };
}
