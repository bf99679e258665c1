import { z } from "zod";
import {
	compileExpression,
	type Expression,
	ExpressionError,
	type PreparedValues,
	prepareValues,
	unknownFunctions,
} from "#base/jmespath/expression.ts";
import type { ExpressionUse } from "#base/jmespath/expression-use.ts";
import { refuseWith } from "#base/refuse-with.ts";
import { jsonValue } from "#http/json-values.ts";
import { storedText } from "#http/stored-text.ts";

/** Where the inputs of an evaluator come from: paths into the context of its target, and literals. */

/** Larger than the largest context, whose JSON has at most 16 MiB. */
const CONTEXT: ExpressionUse = {
	maxDepth: 128,
	maxValues: 4_000_000,
	maxCharacters: 20_000_000,
	values: "contexts",
	whenMissing: "as happens when something is missing in the context",
	keyHint:
		'put names with other characters than letters, digits and _ in double quotes, as in attributes."llm.model_name"',
	textExample: "'refund'",
};

/** Names of inputs are those of variables in templates and in code. */
export const inputName = z
	.string()
	.regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "a name has up to 64 letters, digits and _, and begins with no digit");

const path = storedText(4_096).superRefine(refuseWith(pathProblem));

const MappingSource = z
	.strictObject({
		path: path.optional().describe("JMESPath into the context of the target."),
		literal: jsonValue.optional().describe("The same for every target."),
	})
	.refine(({ path, literal }) => (path === undefined) !== (literal === undefined), "say one of path and literal");

export const Mapping = z
	.record(inputName, MappingSource)
	.refine((mapping) => Object.keys(mapping).length <= 50, "at most 50 inputs")
	.meta({ id: "EvaluatorMapping" });
export type Mapping = z.output<typeof Mapping>;

export const TARGET_KINDS = ["span", "trace", "session", "run"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** By the kind of the target. */
export const MappingByTarget = z
	.strictObject({
		span: Mapping.optional(),
		trace: Mapping.optional(),
		session: Mapping.optional(),
		run: Mapping.optional(),
	})
	.meta({ id: "EvaluatorMappingByTarget" });
export type MappingByTarget = z.output<typeof MappingByTarget>;

/** An input of an evaluator. */
export interface EvaluatorInput {
	readonly name: string;
	readonly required: boolean;
}

/** What is wrong with a path; undefined when it is right. */
export function pathProblem(text: string): string | undefined {
	try {
		const [unknown] = unknownFunctions(compileExpression(text, CONTEXT));
		return unknown === undefined ? undefined : `calls ${unknown}(), which is not a JMESPath function`;
	} catch (error) {
		if (error instanceof ExpressionError) return error.message;
		throw error;
	}
}

/** Sentences about a mapping that does not fit the inputs, each with the way to what it is about. */
export function mappingProblems(
	inputs: readonly EvaluatorInput[],
	mapping: Mapping,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
	const known = new Set(inputs.map(({ name }) => name));
	const unknown = Object.keys(mapping)
		.filter((name) => !known.has(name))
		.map((name) => ({ path: [name], message: `the evaluator has no input ${name}` }));
	const missing = inputs
		.filter(({ name, required }) => required && !Object.hasOwn(mapping, name))
		.map(({ name }) => ({ path: [], message: `it does not say where the input ${name} comes from` }));
	return [...unknown, ...missing];
}

/** The mapping of the one who uses an evaluator, with the evaluator's own for the inputs that it does not name. */
export function mergeMappings(own: Mapping | undefined, given: Mapping | undefined): Mapping {
	return { ...own, ...given };
}

/** Values of inputs by name; null for what the context does not have. */
export type InputValues = Readonly<Record<string, unknown>>;

export interface MappedInputs {
	readonly values: InputValues;
	/** The first required input without a value, and why it has none. */
	readonly missing?: { readonly name: string; readonly message: string };
}

/** Reads the inputs of an evaluator from the context of a target. */
export function mapInputs(
	inputs: readonly EvaluatorInput[],
	mapping: Mapping,
	context: Readonly<Record<string, unknown>>,
): MappedInputs {
	const search = new ContextSearch(context);
	const values: Record<string, unknown> = Object.create(null);
	let missing: MappedInputs["missing"];
	for (const { name, required } of inputs) {
		const source = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
		const { value, why } = search.find(source);
		values[name] = value;
		if (required && value === null) missing ??= { name, message: `the input ${name} is missing: ${why}` };
	}
	return missing === undefined ? { values } : { values, missing };
}

/** Copies a context once, and only when a path looks into it. */
class ContextSearch {
	readonly #context: Readonly<Record<string, unknown>>;
	#prepared: PreparedValues | "too large" | undefined;

	constructor(context: Readonly<Record<string, unknown>>) {
		this.#context = context;
	}

	find(source: Mapping[string] | undefined): { readonly value: unknown; readonly why: string } {
		if (source === undefined) return { value: null, why: "the mapping does not name it" };
		if (source.path === undefined) return { value: source.literal ?? null, why: "its literal is null" };
		this.#prepared ??= prepareValues(this.#context, CONTEXT) ?? "too large";
		if (this.#prepared === "too large") return { value: null, why: "the context is too large to be searched" };
		let problem: string | undefined;
		const value = compiled(source.path).searchIn(this.#prepared, (sentence) => {
			problem = sentence;
		});
		return { value: value ?? null, why: problem ?? `${source.path} yields nothing` };
	}
}

/** Compiling takes longer than searching a small context. */
const MOST_COMPILED = 500;
const known = new Map<string, Expression>();

function compiled(text: string): Expression {
	const found = known.get(text);
	if (found !== undefined) return found;
	if (known.size >= MOST_COMPILED) known.clear();
	const expression = compileExpression(text, CONTEXT);
	known.set(text, expression);
	return expression;
}
