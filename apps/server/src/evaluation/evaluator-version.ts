import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { jsonObject } from "#http/json-values.ts";
import { storedText } from "#http/stored-text.ts";
import { PromptMessage, StoredInvocationParameters } from "#models/definition-schemas.ts";
import { findBuiltIn } from "./built-in/built-ins.ts";
import { templateVariables } from "./judge/template-variables.ts";
import { inputName, type Mapping, MappingByTarget, mappingProblems, TARGET_KINDS } from "./mapping.ts";
import { EvaluatorOutputs } from "./outputs.ts";

/** An immutable version of an evaluator, as it is sent, stored and answered. */

const MAX_INPUTS = 50;
/** Characters of a judge's messages. */
const MAX_PROMPT = 1_000_000;
const MAX_SOURCE_BYTES = 256 * 1024;

const EvaluatorInput = z
	.strictObject({
		name: inputName,
		required: z.boolean().default(true).describe("Without a value for it nothing is evaluated."),
		description: storedText(10_000).optional(),
	})
	.meta({ id: "InputOfEvaluator" });

const EvaluatorInputs = z
	.array(EvaluatorInput)
	.min(1)
	.max(MAX_INPUTS)
	.superRefine((inputs, context) => {
		const known = new Set<string>();
		for (const [at, { name }] of inputs.entries()) {
			if (known.has(name))
				context.addIssue({ code: "custom", path: [at, "name"], message: `${name} is there already` });
			known.add(name);
		}
	});

/** What a judge's calls are made of: messages of its own, or those of a prompt version. */
export const JudgeVariant = z
	.strictObject({
		connection_id: z.string().max(200),
		model: storedText(1_000).optional().describe("The connection's default model when absent."),
		label: storedText(1_000).optional(),
		prompt_version_id: z.string().max(200).optional(),
		messages: bodyList(PromptMessage, { min: 1, max: 1_000 }).optional(),
		template_format: z.enum(["MUSTACHE", "F_STRING"]).optional().describe("MUSTACHE when absent."),
		invocation_parameters: StoredInvocationParameters.optional(),
	})
	.superRefine(({ prompt_version_id, messages, template_format, invocation_parameters }, context) => {
		if ((prompt_version_id === undefined) === (messages === undefined)) {
			context.addIssue({ code: "custom", path: ["messages"], message: "say one of messages and prompt_version_id" });
		}
		if (prompt_version_id === undefined) return;
		for (const [key, value] of Object.entries({ template_format, invocation_parameters })) {
			if (value === undefined) continue;
			context.addIssue({ code: "custom", path: [key], message: "the prompt version says it" });
		}
	})
	.refine(({ messages }) => messages === undefined || JSON.stringify(messages).length <= MAX_PROMPT, {
		path: ["messages"],
		message: `their JSON has more than ${MAX_PROMPT} characters`,
	})
	.meta({ id: "JudgeVariant" });
export type JudgeVariant = z.output<typeof JudgeVariant>;

const llm = z.strictObject({
	kind: z.literal("LLM"),
	inputs: EvaluatorInputs,
	outputs: EvaluatorOutputs,
	mapping: MappingByTarget.optional(),
	variant: JudgeVariant,
	max_input_chars: z.int().min(1).max(2_000_000).default(100_000).describe("Characters of all inputs together."),
	when_too_long: z
		.enum(["skip", "cut"])
		.default("skip")
		.describe("Whether longer inputs are an error, or are cut in their middle, which the result then says."),
	include_images: z.boolean().default(false).describe("Whether images in inputs are sent to the model."),
});

const LlmVersion = llm
	.superRefine(({ inputs, outputs, mapping, variant }, context) => {
		checkMapping(inputs, mapping, context);
		for (const [at, output] of outputs.entries()) {
			if (output.type !== "score") continue;
			for (const bound of ["minimum", "maximum"] as const) {
				if (output[bound] !== undefined) continue;
				const message = "a judge has to be told the bounds of a score";
				context.addIssue({ code: "custom", path: ["outputs", at, bound], message });
			}
		}
		const known = new Set(inputs.map(({ name }) => name));
		const used = templateVariables(variant.messages ?? [], variant.template_format ?? "MUSTACHE");
		for (const { name, message } of used) {
			if (known.has(name.split(".")[0] ?? "")) continue;
			const path = ["variant", "messages", message, "content"];
			context.addIssue({ code: "custom", path, message: `there is no input ${name}` });
		}
		if (variant.messages === undefined) return;
		const names = new Set(used.map(({ name }) => name.split(".")[0]));
		for (const [at, { name }] of inputs.entries()) {
			if (names.has(name)) continue;
			context.addIssue({ code: "custom", path: ["inputs", at, "name"], message: `no message has a place for ${name}` });
		}
	})
	.meta({ id: "LlmEvaluatorVersion" });

const code = z.strictObject({
	kind: z.literal("CODE"),
	inputs: EvaluatorInputs,
	outputs: EvaluatorOutputs,
	mapping: MappingByTarget.optional(),
	language: z.enum(["javascript", "typescript"]).describe("Of TypeScript, types are left out before it runs."),
	source: storedText(MAX_SOURCE_BYTES)
		.refine((source) => Buffer.byteLength(source) <= MAX_SOURCE_BYTES, `it has more than ${MAX_SOURCE_BYTES} bytes`)
		.describe("Has a function `evaluate`, which gets an object with the inputs."),
	timeout_ms: z.int().min(50).max(10_000).default(1_000),
	memory_mib: z.int().min(8).max(128).default(32),
});

const CodeVersion = code
	.superRefine(({ inputs, mapping }, context) => checkMapping(inputs, mapping, context))
	.meta({ id: "CodeEvaluatorVersion" });

const BuiltInVersion = z
	.strictObject({
		kind: z.literal("BUILT_IN"),
		builtin: z.strictObject({ key: z.string().max(100), parameters: jsonObject.default({}) }),
		inputs: z.array(EvaluatorInput).max(MAX_INPUTS).optional().describe("Always those of the built-in evaluator."),
		outputs: EvaluatorOutputs.optional().describe(
			"One output: with two labels, first the one for what passed; or a score. The evaluator's own when absent.",
		),
		mapping: MappingByTarget.optional().describe("The evaluator's own when absent."),
	})
	.transform(({ builtin: { key, parameters }, outputs, mapping }, context) => {
		const found = findBuiltIn(key);
		if (found === undefined) {
			context.addIssue({ code: "custom", path: ["builtin", "key"], message: `there is no built-in evaluator ${key}` });
			return z.NEVER;
		}
		const parsed = found.parameters.safeParse(parameters);
		for (const { path, message } of parsed.error?.issues ?? []) {
			context.addIssue({ code: "custom", path: ["builtin", "parameters", ...path], message });
		}
		const [output, ...others] = outputs ?? [];
		if (others.length > 0) {
			context.addIssue({ code: "custom", path: ["outputs", 1], message: "a built-in evaluator has one output" });
		}
		if (output?.type === "categorical" && output.labels.length !== 2) {
			const message = "it needs two labels: one for what passed, then one for what failed";
			context.addIssue({ code: "custom", path: ["outputs", 0, "labels"], message });
		}
		const inputs = found.inputs.map((input) => ({ ...input }));
		checkMapping(inputs, mapping, context);
		return {
			kind: "BUILT_IN" as const,
			builtin: { key, parameters: (parsed.data ?? {}) as Readonly<Record<string, unknown>> },
			inputs,
			outputs: output === undefined ? [found.output] : [output],
			mapping: mapping ?? found.mapping,
		};
	})
	.meta({ id: "BuiltInEvaluatorVersion" });

/** A version as POST takes it; parsed, it is what is stored. */
export const EvaluatorVersionBody = z.discriminatedUnion("kind", [LlmVersion, CodeVersion, BuiltInVersion]);
export type EvaluatorVersionBody = z.input<typeof EvaluatorVersionBody>;
/** A version as it is stored: JSON in `evaluator_versions.definition`. */
export type EvaluatorVersion = z.output<typeof EvaluatorVersionBody>;

/** A stored version in an answer. */
export const EvaluatorVersionDefinition = z
	.discriminatedUnion("kind", [
		llm,
		code,
		z.strictObject({
			kind: z.literal("BUILT_IN"),
			builtin: z.strictObject({ key: z.string(), parameters: jsonObject }),
			inputs: z.array(EvaluatorInput),
			outputs: EvaluatorOutputs,
			mapping: MappingByTarget,
		}),
	])
	.meta({ id: "EvaluatorVersionDefinition" });

/** A default mapping may leave out inputs, which whoever uses the evaluator then has to map. */
function checkMapping(
	inputs: readonly { readonly name: string }[],
	mapping: MappingByTarget | undefined,
	context: z.core.$RefinementCtx,
): void {
	const optional = inputs.map(({ name }) => ({ name, required: false }));
	for (const kind of TARGET_KINDS) {
		const given: Mapping | undefined = mapping?.[kind];
		if (given === undefined) continue;
		for (const { path, message } of mappingProblems(optional, given)) {
			context.addIssue({ code: "custom", path: ["mapping", kind, ...path], message });
		}
	}
}
