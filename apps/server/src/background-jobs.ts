import { notifyOfExpiringKeys } from "#access/api-keys/expiring.ts";
import { retainAuditEvents } from "#access/audit/retention.ts";
import { expirePrograms } from "#access/authorization-server/expiry.ts";
import { expireSignIns } from "#access/sign-in-tries/expiry.ts";
import { forgetCalls } from "#agents/calls/call-log.ts";
import { expireAnswers } from "#operations/idempotency/expiry.ts";
import { watchStorage } from "#operations/storage-capacity/watch-storage.ts";
import { WaitingAnnotations } from "#resources/annotations/waiting.ts";
import { carryOutBulkRuns } from "#resources/bulk-runs/carry-out.ts";
import { finishUnfinished } from "#resources/datasets/finish-unfinished.ts";
import { followPrices } from "#resources/prices/follow-prices.ts";
import { runRecomputations } from "#resources/prices/run-recomputations.ts";
import { carryOutRepairs } from "#resources/repairs/carry-out.ts";
import { runRetention } from "#resources/retention/run-retention.ts";
import { forgetIdsOfGone } from "#resources/spans/forget-sent-ids.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import type { WritingContext } from "./context.ts";

/** Starts the background jobs; disposing waits for what runs. */
export function startBackgroundJobs(context: WritingContext): AsyncDisposable {
	const work = new AsyncDisposableStack();
	work.defer(wakeOtherProcesses(context));
	work.use(followPrices(context));
	work.use(retainAuditEvents(context));
	work.use(expireSignIns(context));
	work.use(expirePrograms(context));
	work.use(notifyOfExpiringKeys(context));
	work.use(expireAnswers(context));
	work.use(forgetCalls(context));
	work.use(forgetIdsOfGone(context));
	work.use(new WaitingAnnotations(context));
	work.use(finishUnfinished(context));
	work.use(watchStorage(context));
	work.use(runRetention(context));
	work.use(runRecomputations(context));
	work.use(carryOutBulkRuns(context));
	work.use(carryOutRepairs(context));
	for (const { name, everyMs, run } of context.upkeep) work.use(leasedJob(context, name, everyMs, run));
	return work;
}

/** Wakes the jobs in all processes: another one may hold the lease for what is asked of this one. */
function wakeOtherProcesses({ cluster, events }: WritingContext): () => void {
	const retention = () => cluster.tell({ topic: "wake", work: "retention" });
	const bulkRuns = () => cluster.tell({ topic: "wake", work: "bulk_run" });
	const repairs = () => cluster.tell({ topic: "wake", work: "repair" });
	const costs = () => cluster.tell({ topic: "wake", work: "cost_recomputation" });
	events.on("retention_run_asked", retention);
	events.on("cost_recomputation_asked", costs);
	events.on("bulk_run_asked", bulkRuns);
	events.on("repair_asked", repairs);
	return () => {
		events.off("retention_run_asked", retention);
		events.off("cost_recomputation_asked", costs);
		events.off("bulk_run_asked", bulkRuns);
		events.off("repair_asked", repairs);
	};
}
