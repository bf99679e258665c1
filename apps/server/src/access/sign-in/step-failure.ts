import type { Fact, StepName } from "./steps.ts";

export interface FailureDetails {
	/** Variables to change, by their full names. */
	readonly settings?: readonly string[];
	readonly facts?: readonly Fact[];
	readonly cause?: unknown;
}

/** An error that ends a step of a sign-in, with the step's sentence for the operator. */
export abstract class StepFailure extends Error {
	readonly step: StepName;
	readonly settings: readonly string[];
	readonly facts: readonly Fact[];

	constructor(step: StepName, text: string, { settings = [], facts = [], cause }: FailureDetails = {}) {
		super(text, { cause });
		this.step = step;
		this.settings = settings;
		this.facts = facts;
	}
}
