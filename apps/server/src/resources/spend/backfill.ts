import type { WritingContext } from "#context.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import { readSpendState } from "#storage/spend-state.ts";
import { type BackfillPosition, quartersOf, SPEND_BACKFILL } from "#storage/traces/totals/spend-state.ts";
import { oldestKept } from "./retention.ts";

/** Hours after which the position is noted, at the latest; one that is counted again stays the same. */
const NOTED_HOURS = 24;

/**
 * Counts what the spans have spent that were stored before there was a ledger, hour by hour from the latest one back. Goes on
 * where it was when it is called again, also after a kill.
 * @throws StorageUnavailable
 */
export async function countOlderSpend(
	{ db, spend, now }: Pick<WritingContext, "db" | "spend" | "now">,
	stopped: AbortSignal,
): Promise<void> {
	const { isFilling, position, keptFrom } = await readSpendState(db.read);
	if (!isFilling) return;
	const oldest = Math.max(keptFrom, oldestKept(now()));
	let noted = position;
	let counted = 0;
	for (const { projectId: project, hour } of await spend.listHours()) {
		if (position !== undefined && isBefore(position, { hour, project })) continue;
		for (const quarter of quartersOf(hour)) {
			if (stopped.aborted) return await keep(db, noted);
			if (quarter < oldest) continue;
			const began = performance.now();
			await spend.recount(project, quarter);
			await letOthersWrite(performance.now() - began);
		}
		noted = { hour, project };
		counted += 1;
		if (counted % NOTED_HOURS === 0) await keep(db, noted);
	}
	await db.write((transaction) => transaction.deleteFrom("state").where("name", "=", SPEND_BACKFILL).execute());
}

/** Whether an hour was counted when this position was noted. */
function isBefore(position: BackfillPosition, { hour, project }: BackfillPosition): boolean {
	return hour > position.hour || (hour === position.hour && project <= position.project);
}

async function keep(db: WritingContext["db"], position: BackfillPosition | undefined): Promise<void> {
	await db.write((transaction) =>
		transaction
			.updateTable("state")
			.set({ value: JSON.stringify(position ?? {}) })
			.where("name", "=", SPEND_BACKFILL)
			.execute(),
	);
}
