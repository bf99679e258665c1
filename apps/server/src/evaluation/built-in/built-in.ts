import type { z } from "zod";
import type { InputValues, MappingByTarget } from "../mapping.ts";
import type { EvaluatorOutput } from "../outputs.ts";

/** What a built-in evaluator found. */
export interface Finding {
	/** Whether the target is as the parameters want it. */
	readonly passed: boolean;
	/** What was measured; an output that is a score gets it, or 1 or 0 where nothing is measured. */
	readonly value?: number;
	/** What was compared with what. */
	readonly explanation: string;
}

/** An input that a built-in evaluator cannot judge, such as a text that is too long; the message names it. */
export class UnfitInput extends Error {
	override readonly name = "UnfitInput";
	readonly code: "too_long" | "bad_output";

	constructor(code: UnfitInput["code"], message: string) {
		super(message);
		this.code = code;
	}
}

export interface BuiltInInput {
	readonly name: string;
	readonly required: boolean;
	readonly description: string;
}

/** An evaluator of this service. Needs no more time than grows with its inputs. */
export interface BuiltIn<Parameters extends z.ZodType = z.ZodType> {
	readonly key: string;
	/** For people, as in lists. */
	readonly title: string;
	readonly description: string;
	readonly parameters: Parameters;
	readonly inputs: readonly BuiltInInput[];
	readonly mapping: MappingByTarget;
	/** What a version gives that names no output. */
	readonly output: EvaluatorOutput;
	/** Prepares for many evaluations with the same parameters. @throws UnfitInput from what it returns */
	readonly prepare: (parameters: z.output<Parameters>) => (inputs: InputValues) => Finding;
}

/** Keeps the type of the parameters until all built-in evaluators are in one list. */
export function builtIn<Parameters extends z.ZodType>(definition: BuiltIn<Parameters>): BuiltIn {
	return definition as unknown as BuiltIn;
}

/** The output of evaluators that say yes or no. */
export function passOrFail(name: string): EvaluatorOutput {
	return {
		name,
		type: "categorical",
		explanation: "before",
		optimization_direction: "MAXIMIZE",
		labels: [
			{ label: "pass", score: 1 },
			{ label: "fail", score: 0 },
		],
	};
}

/** The output of evaluators that measure something from 0 to 1. */
export function share(name: string, optimization_direction: "MAXIMIZE" | "MINIMIZE"): EvaluatorOutput {
	return {
		name,
		type: "score",
		explanation: "before",
		optimization_direction,
		minimum: 0,
		maximum: 1,
		integer: false,
	};
}
