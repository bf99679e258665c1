import { type FailureDetails, StepFailure } from "../sign-in/step-failure.ts";
import type { SignInErrorCode, StepName } from "../sign-in/steps.ts";

export interface FaultDetails extends FailureDetails {
	readonly code: SignInErrorCode;
}

/** What is wrong with a provider or its answer. */
export class ProviderFault extends StepFailure {
	override readonly name = "ProviderFault";
	readonly code: SignInErrorCode;

	constructor(step: StepName, text: string, { code, ...details }: FaultDetails) {
		super(step, text, details);
		this.code = code;
	}
}
