import type { CallOutcome } from "#storage/schema.ts";

/** A call that is not answered as asked, for a reason that the caller is told. */
export class CallRefused extends Error {
	override readonly name = "CallRefused";
	readonly outcome: CallOutcome;

	constructor(outcome: CallOutcome, message: string, cause: unknown) {
		super(message, { cause });
		this.outcome = outcome;
	}
}
