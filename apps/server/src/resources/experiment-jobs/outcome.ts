import type { CallFailure, CallResult } from "#models/call-model.ts";
import type { PauseReason } from "./jobs.ts";
import type { RunFault } from "./messages-for.ts";
import type { TaskOutcome } from "./task-result.ts";

/** Nothing of the job can be done until somebody changes what these say: it waits for that. */
const PAUSES: ReadonlyMap<string, PauseReason> = new Map(
	(["budget_exhausted", "connection_off", "connection_unconfirmed", "calls_off", "price_unknown"] as const).map(
		(code) => [code, code],
	),
);

/** What a call that ended in this way means for its task and its job. */
export function outcomeOf(
	called: CallResult | CallFailure | RunFault,
): TaskOutcome & { readonly failed?: { readonly code: string; readonly error: string } } {
	if ("fault" in called) return { mayRepeat: false, failed: called.fault };
	if (!("error" in called)) return { mayRepeat: true };
	const { code, message, isPassing } = called.error;
	const pause = pauseFor(called.error);
	if (pause !== undefined) return { mayRepeat: true, pause };
	return { mayRepeat: isPassing, failed: { code, error: message } };
}

/** Why a job has to wait after a failure like this; undefined where it may go on. */
export function pauseFor(failure: {
	readonly code: string;
	readonly message: string;
	/** Of the budget that is exhausted. */
	readonly scope?: string | undefined;
}): TaskOutcome["pause"] {
	const isOfJob = failure.code === "budget_exhausted" && failure.scope?.startsWith("job:") === true;
	const reason = isOfJob ? "cost_limit" : PAUSES.get(failure.code);
	return reason === undefined ? undefined : { reason, error: failure.message };
}
