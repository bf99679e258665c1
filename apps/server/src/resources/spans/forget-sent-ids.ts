import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { forgetSentIds } from "#storage/traces/sent-ids/sent-ids.ts";

const HOUR_MS = 3_600_000;
/** Grace period: the texts are remembered shortly before their spans are stored. */
const HOUR_MICROS = 3_600_000_000;
/** Traces looked up at a time, outside of write transactions. */
const BATCH = 1_000;

/** Deletes the texts of ids whose traces were deleted: at the start and every hour. */
export function forgetIdsOfGone(
	context: Pick<WritingContext, "cluster" | "db" | "log" | "now" | "traces">,
): AsyncDisposable {
	const { db, now, traces } = context;
	return leasedJob(context, "ids of deleted traces", HOUR_MS, async (stopped) => {
		let after: string | undefined = "";
		while (after !== undefined && !stopped.aborted) {
			after = await forgetSentIds(db, traces, { before: now() - HOUR_MICROS, after, limit: BATCH });
		}
	});
}
