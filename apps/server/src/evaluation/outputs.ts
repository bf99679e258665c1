import { z } from "zod";
import { storedName, storedText } from "#http/stored-text.ts";

/** What a version of an evaluator gives: the annotations or metrics that its results become. */

const MAX_LABELS = 100;
const MAX_OUTPUTS = 5;

const score = z.number().refine(Number.isFinite, "it is not a finite number");

const Label = z.strictObject({
	label: storedName,
	score: score.nullable().default(null).describe("Null for an abstention, which counts in no mean."),
	description: storedText(10_000).optional().describe("When it is right to give it; judges read it."),
});

const Threshold = z.strictObject({
	from: score.describe("The label is given to scores from here up to the next threshold."),
	label: storedName,
});

const common = {
	name: storedName
		.refine((name) => name !== "note", "note is the name of notes")
		.describe("Of the annotation or metric that it becomes."),
	optimization_direction: z.enum(["MINIMIZE", "MAXIMIZE", "NONE"]).default("MAXIMIZE"),
	explanation: z
		.enum(["none", "before", "after"])
		.default("before")
		.describe("Whether a judge explains its verdict, and if it does so before it gives it, or after."),
};

const CategoricalOutput = z
	.strictObject({
		...common,
		type: z.literal("categorical"),
		labels: z
			.array(Label)
			.min(2)
			.max(MAX_LABELS)
			.superRefine((labels, context) => refuseRepeated(labels, "label", context)),
	})
	.meta({ id: "CategoricalEvaluatorOutput" });

const ScoreOutput = z
	.strictObject({
		...common,
		type: z.literal("score"),
		minimum: score.optional(),
		maximum: score.optional(),
		integer: z.boolean().default(false),
		thresholds: z.array(Threshold).min(1).max(MAX_LABELS).optional().describe("Labels of scores, ascending."),
	})
	.superRefine(({ minimum, maximum, thresholds = [] }, context) => {
		if (minimum !== undefined && maximum !== undefined && minimum >= maximum) {
			context.addIssue({ code: "custom", path: ["maximum"], message: "maximum must be greater than minimum" });
		}
		for (const [at, { from }] of thresholds.entries()) {
			const before = thresholds[at - 1];
			if (before === undefined || before.from < from) continue;
			const message = "thresholds must ascend";
			context.addIssue({ code: "custom", path: ["thresholds", at, "from"], message });
		}
	})
	.meta({ id: "ScoreEvaluatorOutput" });

export const EvaluatorOutput = z.discriminatedUnion("type", [CategoricalOutput, ScoreOutput]);
export type EvaluatorOutput = z.output<typeof EvaluatorOutput>;

export const EvaluatorOutputs = z
	.array(EvaluatorOutput)
	.min(1)
	.max(MAX_OUTPUTS)
	.superRefine((outputs, context) => refuseRepeated(outputs, "name", context));

/** Refuses items whose names are the same but for case and white space around them: nobody could tell results apart. */
function refuseRepeated<Key extends string>(
	items: readonly Readonly<Record<Key, string>>[],
	key: Key,
	context: z.core.$RefinementCtx,
): void {
	const known = new Set<string>();
	for (const [at, { [key]: name }] of items.entries()) {
		const folded = foldLabel(name);
		if (known.has(folded)) {
			context.addIssue({ code: "custom", path: [at, key], message: `${name} is there already` });
		}
		known.add(folded);
	}
}

/** As labels are compared: case and white space around them do not count. */
export function foldLabel(label: string): string {
	return label.trim().toLowerCase();
}
