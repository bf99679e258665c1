import { sql } from "kysely";
import type { WritingContext } from "#context.ts";
import type { Database } from "#storage/database.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import { jobOfEachProcess } from "#storage/repeated-job.ts";

/** Interval of polling for changes by other processes, for when their notification is lost. */
const EVERY_MS = 1_000;

/** Keeps ingest up to date with the prices that other processes on the same database set. */
export function followPrices(
	context: Pick<WritingContext, "cluster" | "db" | "ingest" | "log" | "metrics">,
): AsyncDisposable {
	const { cluster, db, ingest } = context;
	const following = new AsyncDisposableStack();
	if (!db.isShared) return following;
	let known: string | undefined;
	const work = following.use(
		jobOfEachProcess(context, "price changes", EVERY_MS, async () => {
			const state = await readState(db);
			if (state === known) return;
			await ingest.usePrices(() => listOwnPrices(db.read));
			known = state;
		}),
	);
	const stop = cluster.onMessage(({ topic }) => {
		if (topic === "prices" || topic === "missed") work.wake();
	});
	following.defer(stop);
	return following;
}

/** A value that differs after every change: `updated_at` of a row only grows, and row numbers are never reused. */
async function readState({ read }: Database): Promise<string | undefined> {
	const { rows } = await sql<{ state: string }>`select concat_ws(' ', count(*), sum(id), sum(updated_at)) as state
		from model_prices`.execute(read);
	return rows[0]?.state;
}
