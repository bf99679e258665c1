import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { countOlderSpend } from "./backfill.ts";
import { deleteOldSpend } from "./retention.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Counts what was spent before there was a ledger, and keeps what was spent for 800 days. */
export function keepSpend(context: WritingContext): AsyncDisposable {
	const work = new AsyncDisposableStack();
	work.use(leasedJob(context, "spend retention", HOUR_MS, (stopped) => deleteOldSpend(context, stopped)));
	work.use(leasedJob(context, "older spend", MINUTE_MS, (stopped) => countOlderSpend(context, stopped)));
	return work;
}
