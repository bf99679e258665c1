import { WaitingAnnotations } from "./annotations/waiting.ts";
import { retainAuditEvents } from "./audit/retention.ts";
import type { Context } from "./context.ts";
import { expireAnswers } from "./idempotency/expiry.ts";
import { expireSignIns } from "./sign-in-tries/expiry.ts";

/** Starts what is done again and again beside requests; disposing waits for what runs. */
export function startBackgroundWork(context: Context): AsyncDisposable {
	const work = new AsyncDisposableStack();
	work.use(retainAuditEvents(context));
	work.use(expireSignIns(context));
	work.use(expireAnswers(context));
	work.use(new WaitingAnnotations(context));
	return work;
}
