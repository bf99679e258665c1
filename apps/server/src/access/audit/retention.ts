import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { deleteAuditEvents } from "./queries.ts";

const HOUR_MS = 3_600_000;
const DAY_MICROS = 86_400_000_000;
/** Entries deleted per transaction, which bounds how long it holds the write lock. */
const BATCH = 1_000;

/** Deletes entries of the audit log that are older than `SERVICE_AUDIT_RETENTION_DAYS`, at once and every hour. */
export function retainAuditEvents(
	context: Pick<WritingContext, "cluster" | "config" | "db" | "log" | "now">,
): AsyncDisposable {
	const { config, db, log, now } = context;
	return leasedJob(context, "audit retention", HOUR_MS, async (stopped) => {
		const before = now() - config.SERVICE_AUDIT_RETENTION_DAYS * DAY_MICROS;
		let deleted = 0;
		for (let last = BATCH; last === BATCH && !stopped.aborted; deleted += last) {
			last = await db.write((transaction) => deleteAuditEvents(transaction, before, BATCH));
		}
		if (deleted > 0) log.info({ deleted }, "deleted old entries of the audit log");
	});
}
