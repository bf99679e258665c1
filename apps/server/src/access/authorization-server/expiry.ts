import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { DAY_MICROS } from "./approval.ts";
import { deleteUnusedClients } from "./clients.ts";

const EVERY_MS = 600_000;

/** Deletes what has ended, and clients that nobody uses: at once and every ten minutes. */
export function expirePrograms(
	context: Pick<WritingContext, "cluster" | "db" | "log" | "now">,
	everyMs = EVERY_MS,
): AsyncDisposable {
	const { db, now } = context;
	return leasedJob(context, "expiry of programs", everyMs, async () => {
		await db.write(async (transaction) => {
			for (const table of ["oauth2_grants", "oauth2_access_tokens"] as const)
				await transaction.deleteFrom(table).where("expires_at", "<=", now()).execute();
			// Used codes have to be known when they come again; those of devices say that they have expired.
			for (const table of ["oauth2_codes", "oauth2_device_codes"] as const)
				await transaction
					.deleteFrom(table)
					.where("expires_at", "<=", now() - DAY_MICROS)
					.execute();
			await deleteUnusedClients(transaction, now());
		});
	});
}
