import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { type ConfigDraft, NEW_CONFIG } from "../../annotating/config-draft.ts";

type Output = EvaluatorVersionOfEvaluator["version"]["outputs"][number];

/** An annotation config by which people judge in the words of an evaluator. */
export function configOfOutput(output: Output): ConfigDraft {
	const shared = { ...NEW_CONFIG, name: output.name, direction: output.optimization_direction ?? "MAXIMIZE" };
	if (output.type === "score")
		return { ...shared, type: "CONTINUOUS", lower: written(output.minimum), upper: written(output.maximum) };
	return {
		...shared,
		type: "CATEGORICAL",
		values: output.labels.map(({ label, score }) => ({ label, score: written(score) })),
	};
}

function written(number: number | null | undefined): string {
	return number === null || number === undefined ? "" : String(number);
}
