import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";

const EVERY_MS = 600_000;

/** Deletes what is kept of sign-ins, some of it personal data, when its time is over: at once and every ten minutes. */
export function expireSignIns(
	context: Pick<WritingContext, "cluster" | "db" | "log" | "now">,
	everyMs = EVERY_MS,
): AsyncDisposable {
	const { db, now } = context;
	return leasedJob(context, "sign-in expiry", everyMs, async () => {
		await db.write(async (transaction) => {
			await transaction.deleteFrom("sign_in_tries").where("expires_at", "<=", now()).execute();
			await transaction.deleteFrom("spent_sign_ins").where("expires_at", "<=", now()).execute();
		});
	});
}
