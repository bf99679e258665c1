import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PromptMessage } from "#models/definition-schemas.ts";
import { inputName, MappingByTarget, TARGET_KINDS, type TargetKind } from "../mapping.ts";
import { EvaluatorOutputs } from "../outputs.ts";

/** Judges to begin with. One is copied when it is used, so that a later release changes nobody's evaluator. */

/** Counts up when what a template asks for changes; copies say which one they are of. */
export const TEMPLATES_VERSION = 1;

/** In the order in which lists show them. */
const TEMPLATE_KEYS = [
	"correctness",
	"answer_relevance",
	"faithfulness",
	"hallucination",
	"document_relevance",
	"conciseness",
	"completeness",
	"toxicity",
	"refusal",
	"tool_choice",
	"tool_arguments",
	"tool_results",
	"task_completion",
	"needless_steps",
	"user_frustration",
	"resolution",
] as const;

const TemplateFile = z.strictObject({
	key: z.enum(TEMPLATE_KEYS),
	title: z.string(),
	description: z.string(),
	known_weaknesses: z.array(z.string()),
	version: z.strictObject({
		inputs: z.array(z.strictObject({ name: inputName, required: z.boolean(), description: z.string() })),
		outputs: EvaluatorOutputs,
		mapping: MappingByTarget,
	}),
	messages: z.array(PromptMessage),
	examples: z.array(z.strictObject({ inputs: z.record(z.string(), z.unknown()), label: z.string() })),
});

export interface EvaluatorTemplate extends z.output<typeof TemplateFile> {
	/** `correctness:1`, kept with each version that was made of it. */
	readonly id: string;
	readonly targets: readonly TargetKind[];
}

let read: readonly EvaluatorTemplate[] | undefined;

/** All templates; read when somebody looks at them. */
export function listTemplates(): readonly EvaluatorTemplate[] {
	read ??= TEMPLATE_KEYS.map((key) => {
		const file = TemplateFile.parse(JSON.parse(readFileSync(join(import.meta.dirname, `${key}.json`), "utf8")));
		return {
			...file,
			id: `${key}:${TEMPLATES_VERSION}`,
			targets: TARGET_KINDS.filter((kind) => file.version.mapping[kind] !== undefined),
		};
	});
	return read;
}

export function findTemplate(key: string): EvaluatorTemplate | undefined {
	return listTemplates().find((template) => template.key === key);
}

/** The version that a template makes, as `POST /v1/evaluators` takes it. */
export function versionOfTemplate(
	{ version, messages }: EvaluatorTemplate,
	{ connectionId, model }: { readonly connectionId: string; readonly model?: string },
) {
	return {
		kind: "LLM" as const,
		...version,
		variant: { connection_id: connectionId, ...(model === undefined ? {} : { model }), messages },
	};
}
