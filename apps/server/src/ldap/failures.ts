import { fact } from "../sign-in/facts.ts";
import type { Fact, StepName } from "../sign-in/steps.ts";

interface Details {
	readonly settings?: readonly string[];
	readonly facts?: readonly Fact[];
	readonly cause?: unknown;
}

/** One server cannot do what it is asked; the next one may. Says it as a step does. */
export class ServerFailure extends Error {
	override readonly name = "ServerFailure";
	readonly step: StepName;
	readonly settings: readonly string[];
	readonly facts: readonly Fact[];

	constructor(step: StepName, text: string, { settings = [], facts = [], cause }: Details = {}) {
		super(text, { cause });
		this.step = step;
		this.settings = settings;
		this.facts = facts;
	}
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
