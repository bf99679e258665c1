import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { deleteKeys } from "./queries.ts";

const HOUR_MS = 3_600_000;
const DAY_MICROS = 86_400_000_000;
/** Rows deleted per transaction. */
const BATCH = 1_000;

/** Deletes answers stored for repeated requests after a day: checks at the start and every hour. */
export function expireAnswers(context: Pick<WritingContext, "cluster" | "db" | "log" | "now">): AsyncDisposable {
	const { db, now } = context;
	return leasedJob(context, "answer expiry", HOUR_MS, async (stopped) => {
		for (let last = BATCH; last === BATCH && !stopped.aborted; ) {
			last = await deleteKeys(db, now() - DAY_MICROS, BATCH);
		}
	});
}
