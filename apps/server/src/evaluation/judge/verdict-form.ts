import type { EvaluatorOutput } from "../outputs.ts";

/** How a judge has to write its verdict: as a JSON Schema, and in words. */

/** An output, and the member of the verdict that is for it. */
export interface VerdictMember {
	/** Undefined where the verdict as a whole is for the only output. */
	readonly key: string | undefined;
	readonly output: EvaluatorOutput;
}

/** One output has the whole verdict, several have a member each, whose names are safe in every provider's schema. */
export function verdictMembers(outputs: readonly EvaluatorOutput[]): readonly VerdictMember[] {
	const [only] = outputs;
	if (only !== undefined && outputs.length === 1) return [{ key: undefined, output: only }];
	const taken = new Set<string>();
	return outputs.map((output, at) => {
		const plain = output.name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 50);
		const key = plain === "" || plain === "_" || taken.has(plain) ? `output_${at + 1}` : plain;
		taken.add(key);
		return { key, output };
	});
}

type Schema = Readonly<Record<string, unknown>>;

/** The schema of a verdict. Members are in the order in which a judge should think: models write them in that order. */
export function verdictSchema(outputs: readonly EvaluatorOutput[]): Schema {
	const members = verdictMembers(outputs);
	const [first] = members;
	if (first !== undefined && first.key === undefined) return outputSchema(first.output);
	return strictObject(members.map(({ key = "", output }) => [key, outputSchema(output)]));
}

function outputSchema(output: EvaluatorOutput): Schema {
	const explanation = [["explanation", { type: "string", description: EXPLANATION }] as const];
	const verdict: readonly [string, Schema] =
		output.type === "categorical"
			? ["label", { type: "string", enum: output.labels.map(({ label }) => label), description: labelWords(output) }]
			: ["score", { type: output.integer ? "integer" : "number", description: scoreWords(output) }];
	return strictObject([
		...(output.explanation === "before" ? explanation : []),
		verdict,
		...(output.explanation === "after" ? explanation : []),
	]);
}

function strictObject(members: readonly (readonly [string, Schema])[]): Schema {
	return {
		type: "object",
		properties: Object.fromEntries(members),
		required: members.map(([key]) => key),
		additionalProperties: false,
	};
}

/** What is put after the messages of a judge, for models that know no schema, and for the others, too. */
export function verdictWords(outputs: readonly EvaluatorOutput[]): string {
	const members = verdictMembers(outputs);
	const [first] = members;
	if (first !== undefined && first.key === undefined) {
		return `Give your verdict as one JSON object with ${memberWords(first.output)}. Write nothing else.`;
	}
	const lines = members.map(
		({ key = "", output }) => `- ${JSON.stringify(key)}: an object with ${memberWords(output)}`,
	);
	return `Give your verdict as one JSON object with these members:\n${lines.join("\n")}\nWrite nothing else.`;
}

const EXPLANATION = "The reasons for the verdict, in a few sentences.";

function memberWords(output: EvaluatorOutput): string {
	const verdict = output.type === "categorical" ? `"label": ${labelWords(output)}` : `"score": ${scoreWords(output)}`;
	const explanation = `"explanation": a text with the reasons for the verdict, in a few sentences`;
	if (output.explanation === "none") return verdict;
	return output.explanation === "before" ? `${explanation}; then ${verdict}` : `${verdict}; then ${explanation}`;
}

function labelWords({ labels }: Extract<EvaluatorOutput, { type: "categorical" }>): string {
	const words = labels.map(({ label, description }) =>
		description === undefined ? JSON.stringify(label) : `${JSON.stringify(label)} (${description})`,
	);
	return `one of ${words.join(", ")}`;
}

function scoreWords({ minimum, maximum, integer }: Extract<EvaluatorOutput, { type: "score" }>): string {
	return `a ${integer ? "whole " : ""}number from ${minimum} to ${maximum}`;
}
