import { notifyOfExpiringKeys } from "#access/api-keys/expiring.ts";
import { retainAuditEvents } from "#access/audit/retention.ts";
import { expirePrograms } from "#access/authorization-server/expiry.ts";
import { expireSignIns } from "#access/sign-in-tries/expiry.ts";
import { forgetCalls } from "#agents/calls/call-log.ts";
import { forgetIngestHistory } from "#ingest/history/ingest-history.ts";
import { settleEndedServers } from "#models/ledger/settle-expired.ts";
import { expireAnswers } from "#operations/idempotency/expiry.ts";
import { watchStorage } from "#operations/storage-capacity/watch-storage.ts";
import { WaitingAnnotations } from "#resources/annotations/waiting.ts";
import { carryOutBulkRuns } from "#resources/bulk-runs/carry-out.ts";
import { finishUnfinished } from "#resources/datasets/finish-unfinished.ts";
import { groupErrors } from "#resources/error-grouping/error-grouping.ts";
import { ExperimentJobs } from "#resources/experiment-jobs/carry-out.ts";
import { followPrices } from "#resources/prices/follow-prices.ts";
import { runRecomputations } from "#resources/prices/run-recomputations.ts";
import { carryOutRepairs } from "#resources/repairs/carry-out.ts";
import { runRetention } from "#resources/retention/run-retention.ts";
import { followReviewRules } from "#resources/review-queues/follow-rules.ts";
import { carryOutGoldRuns } from "#resources/review-queues/gold/carry-out.ts";
import { sendReviewMails } from "#resources/review-queues/mails/send-mails.ts";
import { forgetIdsOfGone } from "#resources/spans/forget-sent-ids.ts";
import { keepSpend } from "#resources/spend/keep-spend.ts";
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
	work.use(forgetIngestHistory(context));
	work.use(forgetIdsOfGone(context));
	work.use(settleEndedServers(context));
	work.use(new WaitingAnnotations(context));
	work.use(finishUnfinished(context));
	work.use(watchStorage(context));
	work.use(runRetention(context));
	work.use(runRecomputations(context));
	work.use(carryOutBulkRuns(context));
	work.use(carryOutRepairs(context));
	work.use(new ExperimentJobs(context));
	work.use(groupErrors(context));
	work.use(followReviewRules(context));
	work.use(carryOutGoldRuns(context));
	work.use(sendReviewMails(context));
	work.use(keepSpend(context));
	for (const { name, everyMs, run } of context.upkeep) work.use(leasedJob(context, name, everyMs, run));
	return work;
}

/** What is asked of one process, and which work of all others it wakes. */
const WAKING = {
	retention_run_asked: "retention",
	cost_recomputation_asked: "cost_recomputation",
	bulk_run_asked: "bulk_run",
	repair_asked: "repair",
	experiment_job_asked: "experiment_job",
	review_gold_asked: "review_gold",
} as const;

/** Wakes the jobs in all processes: another one may hold the lease for what is asked of this one. */
function wakeOtherProcesses({ cluster, events }: WritingContext): () => void {
	const asked = Object.keys(WAKING) as (keyof typeof WAKING)[];
	const listeners = asked.map((event) => {
		const wake = () => cluster.tell({ topic: "wake", work: WAKING[event] });
		events.on(event, wake);
		return { event, wake };
	});
	return () => {
		for (const { event, wake } of listeners) events.off(event, wake);
	};
}
