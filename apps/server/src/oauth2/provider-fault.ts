import type { Fact, SignInErrorCode, StepName } from "../sign-in/steps.ts";

export interface FaultDetails {
	readonly code: SignInErrorCode;
	/** By their full names. */
	readonly settings?: readonly string[];
	readonly facts?: readonly Fact[];
	readonly cause?: unknown;
}

/** What is wrong with a provider or its answer, as a step of a sign-in says it: one sentence for the operator. */
export class ProviderFault extends Error {
	override readonly name = "ProviderFault";
	readonly step: StepName;
	readonly code: SignInErrorCode;
	readonly settings: readonly string[];
	readonly facts: readonly Fact[];

	constructor(step: StepName, text: string, { code, settings = [], facts = [], cause }: FaultDetails) {
		super(text, { cause });
		this.step = step;
		this.code = code;
		this.settings = settings;
		this.facts = facts;
	}
}
