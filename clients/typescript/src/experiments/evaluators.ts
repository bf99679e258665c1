import type { ExperimentExample } from "../generated/api.ts";

/** The arguments of an evaluator, about one run. */
export interface EvaluatorInput {
	readonly input: ExperimentExample["input"];
	/** The output of the task. */
	readonly output: unknown;
	/** The expected output of the example. */
	readonly expected: ExperimentExample["output"];
	readonly metadata: ExperimentExample["metadata"];
	readonly example: ExperimentExample;
	/** Id of the run's trace; null when it was not traced. */
	readonly traceId: string | null;
}

export interface EvaluationResult {
	score?: number | null;
	label?: string | null;
	explanation?: string | null;
	metadata?: Record<string, unknown>;
}

/** A number is the score, a text the label, true and false the scores 1 and 0. */
export type EvaluatorAnswer = EvaluationResult | number | string | boolean;

export interface Evaluator {
	/** Name of the metric, the same in every experiment. */
	readonly name: string;
	readonly kind: "CODE" | "LLM" | "HUMAN" | "AGENT" | "DECISION";
	readonly evaluate: (run: EvaluatorInput) => EvaluatorAnswer | Promise<EvaluatorAnswer>;
}

/** @throws TypeError without a name */
export function createEvaluator({
	name,
	kind = "CODE",
	evaluate,
}: Pick<Evaluator, "name" | "evaluate"> & Partial<Pick<Evaluator, "kind">>): Evaluator {
	if (name.trim() === "") throw new TypeError("an evaluator needs a name: it is that of the metric");
	return { name, kind, evaluate };
}

/** 1 when the output is equal to what is expected (or to its only member, such as `{ answer: "…" }`), else 0. */
export const exactMatch: Evaluator = createEvaluator({
	name: "exact_match",
	evaluate: ({ output, expected }) => {
		const members = Object.values(expected);
		const wanted = members.length === 1 && (typeof output !== "object" || output === null) ? members[0] : expected;
		return canonical(output) === canonical(wanted);
	},
});

/** 1 when the text of the output contains all of these words, ignoring case. */
export function contains(words: string | readonly string[], name = "contains"): Evaluator {
	const wanted = [words].flat().map((word) => word.toLowerCase());
	return createEvaluator({
		name,
		evaluate: ({ output }) => {
			const text = textOf(output).toLowerCase();
			return wanted.every((word) => text.includes(word));
		},
	});
}

/** 1 when the text of the output matches. */
export function matches(pattern: RegExp, name = "matches"): Evaluator {
	// With "g" or "y", `test` would continue where it stopped.
	const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
	return createEvaluator({ name, evaluate: ({ output }) => stateless.test(textOf(output)) });
}

/** 1 when the output is not a text, or a text of valid JSON. */
export const isJson: Evaluator = createEvaluator({
	name: "is_json",
	evaluate: ({ output }) => {
		if (typeof output !== "string") return true;
		try {
			JSON.parse(output);
			return true;
		} catch (error) {
			if (error instanceof SyntaxError) return false;
			throw error;
		}
	},
});

/** An evaluator's answer in the form that is stored. */
export function toResult(answer: EvaluatorAnswer): EvaluationResult {
	if (typeof answer === "number") return { score: answer };
	if (typeof answer === "boolean") return { score: answer ? 1 : 0, label: String(answer) };
	return typeof answer === "string" ? { label: answer } : answer;
}

function textOf(output: unknown): string {
	return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

/** JSON with sorted members of objects. */
function canonical(value: unknown): string | undefined {
	return JSON.stringify(value, (_name, part: unknown) =>
		typeof part === "object" && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
