import { setTimeout as sleep } from "node:timers/promises";
import type { WritingContext } from "#context.ts";
import { leasedJob, letOthersWrite } from "#storage/repeated-job.ts";
import { noteOlderFailures } from "./backfill.ts";
import { deleteExpired, deleteUntouched } from "./delete-empty.ts";
import { DELAYS, type GroupingDelays, groupWaiting } from "./group-failures.ts";
import { openDue } from "./open-ignored.ts";

const EVERY_MS = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MICROS = 86_400_000_000;
/** While spans are received, so many times as long as a piece of work took. */
const RESTS = 4;
/** Groups opened per transaction. */
const BATCH = 100;

/** Groups failures behind receiving, opens groups whose time has come, and deletes those that are empty. */
export function groupErrors(context: WritingContext, delays: GroupingDelays = DELAYS): AsyncDisposable {
	const work = new AsyncDisposableStack();
	const { config, db, now, log, ingest } = context;
	// A storm of failures comes as fast as an application can fail; receiving it comes first.
	const rest = (workedMs: number) => (ingest.isBusy ? sleep(RESTS * workedMs) : letOthersWrite(workedMs));
	if (config.SERVICE_ENABLE_ERROR_GROUPS) {
		work.use(
			leasedJob(context, "error grouping", EVERY_MS, async (stopped) => {
				for (let more = true; more && !stopped.aborted; ) more = await groupWaiting(context, delays, stopped, rest);
			}),
		);
		work.use(leasedJob(context, "older errors", MINUTE_MS, (stopped) => noteOlderFailures(context, stopped)));
	}
	work.use(
		leasedJob(context, "error group states", MINUTE_MS, async (stopped) => {
			for (let last = BATCH; last === BATCH && !stopped.aborted; )
				last = await db.write((transaction) => openDue(transaction, now(), BATCH));
			await db.write(deleteUntouched);
		}),
	);
	const days = config.SERVICE_ERROR_GROUP_RETENTION_DAYS;
	if (days > 0)
		work.use(
			leasedJob(context, "error group retention", HOUR_MS, async (stopped) => {
				const deleted = await deleteExpired(db, now() - days * DAY_MICROS, stopped);
				if (deleted > 0) log.info({ deleted }, "deleted groups of errors that were not seen for a long time");
			}),
		);
	return work;
}
