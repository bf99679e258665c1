import type { WritingContext } from "#context.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import { leasedJob, letOthersWrite, mayContinue, wakeForOthers } from "#storage/repeated-job.ts";
import { advanceRecomputation, endRecomputation, findUnfinished, type RecomputationRow } from "./recomputations.ts";

type RecomputationContext = Pick<WritingContext, "cluster" | "db" | "events" | "log" | "now" | "traces">;

/** Interval of polling for unfinished recomputations; an event announces new ones. */
const EVERY_MS = 60_000;

/** Carries out recomputations of costs, one after the other; continues those that a stopped server left. */
export function runRecomputations(context: RecomputationContext): AsyncDisposable {
	const { db, events } = context;
	const work = leasedJob(context, "cost recomputation", EVERY_MS, async (stopped) => {
		let failed = 0;
		for (let row = await findUnfinished(db.read); row !== undefined && !stopped.aborted; ) {
			if (!(await step(context, row))) failed += 1;
			row = await findUnfinished(db.read);
		}
		if (failed > 0) throw new Error(`${failed} recomputations of costs ended with an error`);
	});
	const wake = () => work.wake();
	events.on("cost_recomputation_asked", wake);
	const stopWaking = wakeForOthers(context, "cost_recomputation", work);
	return {
		async [Symbol.asyncDispose]() {
			events.off("cost_recomputation_asked", wake);
			stopWaking();
			await work[Symbol.asyncDispose]();
		},
	};
}

/** Reads the prices for each step, as they may change meanwhile. @returns whether it succeeded */
async function step({ db, log, now, traces }: RecomputationContext, row: RecomputationRow): Promise<boolean> {
	const began = performance.now();
	let isSound = true;
	try {
		const { afterSpan, seen } = await traces.recomputeCosts({
			projectId: row.project_id,
			...(row.start_micros === null ? {} : { startMicros: row.start_micros }),
			...(row.end_micros === null ? {} : { endMicros: row.end_micros }),
			afterSpan: row.after_span,
			lastSpan: row.last_span,
			ownPrices: await listOwnPrices(db.read),
			countedIn: row.id,
		});
		const isDone = afterSpan >= row.last_span;
		await db.write((transaction) => advanceRecomputation(transaction, row, { afterSpan, seen, isDone, now: now() }));
	} catch (error) {
		if (mayContinue(error)) throw error;
		isSound = false;
		log.error({ err: error, recomputation: row.id }, "costs could not be recomputed");
		const reason = "It failed; the server's log says why";
		await db.write((transaction) => endRecomputation(transaction, row, reason, now()));
	}
	await letOthersWrite(performance.now() - began);
	return isSound;
}
