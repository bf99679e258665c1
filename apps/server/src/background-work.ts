import { WaitingAnnotations } from "./annotations/waiting.ts";
import { retainAuditEvents } from "./audit/retention.ts";
import type { Context } from "./context.ts";
import { finishUnfinished } from "./datasets/finish-unfinished.ts";
import { expireAnswers } from "./idempotency/expiry.ts";
import { runRecomputations } from "./prices/run-recomputations.ts";
import { runRetention } from "./retention/run-retention.ts";
import { expireSignIns } from "./sign-in-tries/expiry.ts";
import { watchStorage } from "./storage-capacity/watch-storage.ts";

/** Starts what is done again and again beside requests; disposing waits for what runs. */
export function startBackgroundWork(context: Context): AsyncDisposable {
	const work = new AsyncDisposableStack();
	work.use(retainAuditEvents(context));
	work.use(expireSignIns(context));
	work.use(expireAnswers(context));
	work.use(new WaitingAnnotations(context));
	work.use(finishUnfinished(context));
	work.use(watchStorage(context));
	work.use(runRetention(context));
	work.use(runRecomputations(context));
	return work;
}
