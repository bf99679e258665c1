import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import type { Annotation, AnnotationConfig, AnnotationResult } from "./types.ts";

/** The values of one config's fields; empty where nothing is chosen. */
export interface Draft {
	readonly label: string;
	readonly score: string;
	readonly explanation: string;
}

export const EMPTY: Draft = { label: "", score: "", explanation: "" };

/** The identifier of a person's annotations: several people's annotations with one name exist side by side. */
export function identifierOf(userId: string | undefined): string {
	return userId === undefined ? "app" : `app:${userId}`;
}

/** The initial values of the fields: this person's existing annotation. */
export function draftOf(annotation: Annotation | undefined): Draft {
	const { label, score, explanation } = annotation?.result ?? {};
	return {
		label: label ?? "",
		score: score === null || score === undefined ? "" : String(score),
		explanation: explanation ?? "",
	};
}

/** What is wrong with a draft; undefined when it can be saved. */
export function draftProblem(config: AnnotationConfig, draft: Draft): string | undefined {
	if (config.type !== "CONTINUOUS" || draft.score.trim() === "") return;
	const score = Number(draft.score);
	if (!Number.isFinite(score)) return TEXTS.badNumber;
	const { lower_bound: low, upper_bound: high } = config;
	if ((low ?? -Infinity) <= score && score <= (high ?? Infinity)) return;
	return boundsText(config) ?? TEXTS.badNumber;
}

/** "0 to 1", "at least 0"; undefined without bounds. */
export function boundsText({
	lower_bound: low,
	upper_bound: high,
}: {
	readonly lower_bound?: number | null;
	readonly upper_bound?: number | null;
}): string | undefined {
	const hasLow = low !== null && low !== undefined;
	const hasHigh = high !== null && high !== undefined;
	if (hasLow && hasHigh) return TEXTS.numberBetween(String(low), String(high));
	if (hasLow) return TEXTS.numberAtLeast(String(low));
	return hasHigh ? TEXTS.numberAtMost(String(high)) : undefined;
}

/** The annotation's result; null for an empty draft, which means no annotation. */
export function resultOf(config: AnnotationConfig, draft: Draft): AnnotationResult | null {
	const explanation = draft.explanation.trim() || null;
	switch (config.type) {
		case "CATEGORICAL": {
			if (draft.label === "") return null;
			const value = config.values.find(({ label }) => label === draft.label);
			return { label: draft.label, score: value?.score ?? null, explanation };
		}
		case "CONTINUOUS":
			return draft.score.trim() === "" ? null : { label: null, score: Number(draft.score), explanation };
		case "FREEFORM":
			return explanation === null ? null : { label: null, score: null, explanation };
	}
}

export function isSame(config: AnnotationConfig, a: Draft, b: Draft): boolean {
	return JSON.stringify(resultOf(config, a)) === JSON.stringify(resultOf(config, b));
}

/** What saving has to do: annotations to write, and annotations to delete because they were emptied. */
export interface Changes {
	readonly written: readonly {
		readonly name: string;
		readonly result: AnnotationResult;
		readonly before: Annotation | undefined;
	}[];
	readonly removed: readonly Annotation[];
}

export function changesOf(
	configs: readonly AnnotationConfig[],
	drafts: ReadonlyMap<string, Draft>,
	own: ReadonlyMap<string, Annotation>,
): Changes {
	const written: Changes["written"][number][] = [];
	const removed: Annotation[] = [];
	for (const config of configs) {
		const before = own.get(config.name);
		const draft = drafts.get(config.name);
		if (draft === undefined || isSame(config, draft, draftOf(before))) continue;
		const result = resultOf(config, draft);
		if (result !== null) written.push({ name: config.name, result, before });
		else if (before) removed.push(before);
	}
	return { written, removed };
}

/** Those assigned to the project first, each once; otherwise by name. */
export function orderConfigs(
	all: readonly AnnotationConfig[],
	assigned: readonly AnnotationConfig[],
): { readonly assigned: readonly AnnotationConfig[]; readonly others: readonly AnnotationConfig[] } {
	const ids = new Set(assigned.map(({ id }) => id));
	const byName = (a: AnnotationConfig, b: AnnotationConfig) => a.name.localeCompare(b.name);
	return { assigned: assigned.toSorted(byName), others: all.filter(({ id }) => !ids.has(id)).toSorted(byName) };
}
