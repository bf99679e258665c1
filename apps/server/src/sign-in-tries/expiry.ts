import type { Context } from "../context.ts";
import { workOfOne } from "../repeated-work.ts";

const EVERY_MS = 600_000;

/** Deletes what is kept of sign-ins, personal data among it, when its time is over: at once and every ten minutes. */
export function expireSignIns(
	context: Pick<Context, "cluster" | "db" | "log" | "now">,
	everyMs = EVERY_MS,
): AsyncDisposable {
	const { db, log, now } = context;
	return workOfOne(context, "sign-in expiry", everyMs, async () => {
		try {
			await db.write(async (transaction) => {
				await transaction.deleteFrom("sign_in_tries").where("expires_at", "<=", now()).execute();
				await transaction.deleteFrom("spent_sign_ins").where("expires_at", "<=", now()).execute();
			});
		} catch (error) {
			log.error({ err: error }, "what was kept of former sign-ins could not be deleted; trying again in ten minutes");
		}
	});
}
