/** How a call ended, as metrics count it. */
export type Outcome = "ok" | "partial" | "refused" | "too_slow" | "cancelled" | "failed";

/** A call that is not answered as asked, for a reason that the caller is told. */
export class CallRefused extends Error {
	override readonly name = "CallRefused";
	readonly outcome: Outcome;

	constructor(outcome: Outcome, message: string, cause: unknown) {
		super(message, { cause });
		this.outcome = outcome;
	}
}
