import type { Fact, StepName } from "./steps.ts";

export interface FailureDetails {
	/** By their full names. */
	readonly settings?: readonly string[];
	readonly facts?: readonly Fact[];
	readonly cause?: unknown;
}

/** What ends a step of a sign-in, said as the step says it: one sentence for the operator. */
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
