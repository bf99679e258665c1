import { annotatingTexts } from "../texts/annotating-en.ts";
import type { AnnotationConfig, OptimizationDirection } from "./types.ts";

const TEXTS = annotatingTexts.config;

/** The values of a config's form; kinds share fields where possible, so that changing the kind keeps the values. */
export interface ConfigDraft {
	readonly name: string;
	readonly type: AnnotationConfig["type"];
	readonly description: string;
	readonly direction: OptimizationDirection;
	readonly values: readonly { readonly label: string; readonly score: string }[];
	readonly lower: string;
	readonly upper: string;
}

export const NEW_CONFIG: ConfigDraft = {
	name: "",
	type: "CATEGORICAL",
	description: "",
	direction: "MAXIMIZE",
	values: [
		{ label: "good", score: "1" },
		{ label: "bad", score: "0" },
	],
	lower: "0",
	upper: "1",
};

function numberText(value: number | null | undefined): string {
	return value === null || value === undefined ? "" : String(value);
}

export function configDraft(config: AnnotationConfig): ConfigDraft {
	return {
		name: config.name,
		type: config.type,
		description: config.description ?? "",
		direction: config.optimization_direction ?? "NONE",
		values:
			config.type === "CATEGORICAL"
				? config.values.map(({ label, score }) => ({ label, score: numberText(score) }))
				: NEW_CONFIG.values,
		lower: config.type === "CATEGORICAL" ? "" : numberText(config.lower_bound),
		upper: config.type === "CATEGORICAL" ? "" : numberText(config.upper_bound),
	};
}

export type ConfigField = "name" | "description" | "values" | "lower_bound" | "upper_bound";

/** Problems by field. */
export function configProblems(draft: ConfigDraft): Partial<Record<ConfigField, string>> {
	const problems: Partial<Record<ConfigField, string>> = {};
	if (draft.name.trim() === "") problems.name = TEXTS.nameMissing;
	if (draft.type === "CATEGORICAL") {
		const labels = draft.values.map(({ label }) => label.trim()).filter((label) => label !== "");
		const twice = labels.find((label, index) => labels.indexOf(label) !== index);
		if (labels.length === 0) problems.values = TEXTS.labelMissing;
		else if (twice !== undefined) problems.values = TEXTS.labelTwice(twice);
		else if (draft.values.some(({ score }) => toNumber(score) === undefined)) problems.values = TEXTS.badNumber;
	}
	if (draft.type === "CONTINUOUS") {
		const [lower, upper] = [toNumber(draft.lower), toNumber(draft.upper)];
		if (lower === undefined) problems.lower_bound = TEXTS.badNumber;
		if (upper === undefined) problems.upper_bound = TEXTS.badNumber;
		if (typeof lower === "number" && typeof upper === "number" && lower >= upper) problems.upper_bound = TEXTS.bounds;
	}
	return problems;
}

/** @returns null for an empty text, undefined for one that is not a number */
function toNumber(text: string): number | null | undefined {
	if (text.trim() === "") return null;
	const number = Number(text);
	return Number.isFinite(number) ? number : undefined;
}

/** The body of the request; the draft must have no problems. */
export function configBody(draft: ConfigDraft) {
	const shared = {
		name: draft.name.trim(),
		description: draft.description.trim() || null,
		optimization_direction: draft.direction,
	};
	const bounds = { lower_bound: toNumber(draft.lower) ?? null, upper_bound: toNumber(draft.upper) ?? null };
	switch (draft.type) {
		case "CATEGORICAL":
			return {
				...shared,
				type: draft.type,
				values: draft.values
					.filter(({ label }) => label.trim() !== "")
					.map(({ label, score }) => ({ label: label.trim(), score: toNumber(score) ?? null })),
			};
		case "CONTINUOUS":
			return { ...shared, ...bounds, type: draft.type };
		case "FREEFORM":
			return { ...shared, type: draft.type };
	}
}
