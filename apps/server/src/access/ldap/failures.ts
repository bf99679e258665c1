import { fact } from "../sign-in/facts.ts";
import { StepFailure } from "../sign-in/step-failure.ts";
import type { Fact } from "../sign-in/steps.ts";

/** One server cannot do what it is asked; the next one may. */
export class ServerFailure extends StepFailure {
	override readonly name = "ServerFailure";
}

/** RFC 4511, appendix A: those that mean something here. */
export const CODE = {
	operationsError: 1,
	sizeLimitExceeded: 4,
	strongerAuthRequired: 8,
	referral: 10,
	confidentialityRequired: 13,
	noSuchObject: 32,
	invalidDnSyntax: 34,
	inappropriateAuthentication: 48,
	invalidCredentials: 49,
	insufficientAccess: 50,
} as const;

/** A server answered with a result code other than success. */
export class ResultError extends Error {
	override readonly name = "ResultError";
	readonly code: number;
	/** The server's own words. */
	readonly diagnostic: string;

	constructor(code: number, diagnostic: string) {
		super(`LDAP result code ${code}`);
		this.code = code;
		this.diagnostic = diagnostic;
	}

	get facts(): readonly Fact[] {
		return [
			{ name: "result code", value: String(this.code) },
			...(this.diagnostic === "" ? [] : [fact("diagnostic message", this.diagnostic)]),
		];
	}
}
