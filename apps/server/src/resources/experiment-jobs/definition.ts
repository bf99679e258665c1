import type { Mapping } from "#evaluation/mapping.ts";
import type { WrittenVariant } from "../playground/resolve-variants.ts";

/** An evaluator of a job, with the version that is used to its end. */
export interface JobEvaluator {
	readonly evaluatorId: number;
	readonly versionId: number;
	/** That of the version where absent. */
	readonly mapping?: Mapping;
}

/** What a job does, as it was when it was started. */
export interface JobDefinition {
	readonly variants: readonly WrittenVariant[];
	/** Where the variables of templates come from; the members of the example's input where absent. */
	readonly variables?: Mapping;
	/** A path to messages of the example that follow those of the variant. */
	readonly append_messages?: string;
	readonly evaluators: readonly JobEvaluator[];
	/** Of jobs that evaluate: whether evaluations that are there stay. */
	readonly only?: "missing" | "all";
	/** It was started by runs that a client recorded, and goes on with each of them. */
	readonly isAutomatic?: boolean;
}

/** @param text as this service stored it */
export function parseDefinition(text: string): JobDefinition {
	return JSON.parse(text) as JobDefinition;
}
