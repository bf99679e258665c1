import { setTimeout as sleep } from "node:timers/promises";
import { actIn } from "#access/auth/act-as.ts";
import { notFound, UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import { principalOfRun } from "#resources/bulk-runs/principal-of-run.ts";
import { discardUpload } from "#resources/datasets/unfinished.ts";
import { leasedJob, mayContinue, wakeForOthers } from "#storage/repeated-job.ts";
import type { QueueRow } from "../queues.ts";
import { advanceGoldRun, type GoldRunRow, listDiscardable, listUnfinished, parametersOf } from "./gold-runs.ts";
import { advanceWork, GoldRunEnded } from "./write-gold.ts";

/** Interval of polling for unfinished runs; an event announces new ones, and cancelled ones. */
const EVERY_MS = 10_000;
/** How long a run rests, as a multiple of the time that a step worked: others write most of the time. */
const REST = 4;
const MOST_REST_MS = 4_000;

/**
 * Makes gold answers versions of datasets, a step of each run in turn. Continues those that a stopped server left, and
 * discards what cancelled and failed ones have written.
 */
export function carryOutGoldRuns(context: WritingContext): AsyncDisposable {
	const { db, events } = context;
	const work = leasedJob(context, "gold of review queues", EVERY_MS, async (stopped) => {
		let failed = 0;
		for (;;) {
			for (const upload of await listDiscardable(db.read)) await discardUpload(context, upload);
			const runs = await listUnfinished(db.read);
			if (runs.length === 0) break;
			for (const run of runs) {
				if (stopped.aborted) return;
				if (!(await step(context, run, stopped))) failed += 1;
			}
		}
		if (failed > 0) throw new Error(`${failed} runs for gold answers ended with an error`);
	});
	const wake = () => work.wake();
	events.on("review_gold_asked", wake);
	const stopWaking = wakeForOthers(context, "review_gold", work);
	return {
		async [Symbol.asyncDispose]() {
			events.off("review_gold_asked", wake);
			stopWaking();
			await work[Symbol.asyncDispose]();
		},
	};
}

/** @returns whether it succeeded */
async function step(context: WritingContext, run: GoldRunRow, stopped: AbortSignal): Promise<boolean> {
	const { db, log, now } = context;
	const began = performance.now();
	try {
		const { keyId, grantId } = parametersOf(run);
		const principal = await principalOfRun(context, { userId: run.user_id, keyId, grantId }, "started the run");
		const actor = await actIn(context)(principal, "write", "editor");
		await actor.assertStillAllowed();
		await advanceWork(context, { run, queue: await queueOf(context, run), actor });
		await rest(performance.now() - began, stopped);
		return true;
	} catch (error) {
		if (mayContinue(error)) throw error;
		if (error instanceof GoldRunEnded) return true;
		const isKnown = error instanceof UserError;
		if (!isKnown) log.error({ err: error, run: run.id }, "a run for gold answers failed");
		const reason = isKnown ? error.message : "It failed; the server's log says why.";
		await db.write((transaction) =>
			advanceGoldRun(transaction, run, { state: "failed", error: reason }, { now: now() }),
		);
		return isKnown;
	}
}

async function queueOf({ db }: WritingContext, { queue_id }: GoldRunRow): Promise<QueueRow> {
	const row = await db.read.selectFrom("review_queues").selectAll().where("id", "=", queue_id).executeTakeFirst();
	if (row === undefined) throw notFound("review_queue_not_found", "The review queue was deleted.");
	return row;
}

async function rest(workedMs: number, stopped: AbortSignal): Promise<void> {
	try {
		await sleep(Math.min(workedMs * REST, MOST_REST_MS), undefined, { signal: stopped });
	} catch (error) {
		if (!stopped.aborted) throw error;
	}
}
