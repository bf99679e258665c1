import type { Kysely } from "kysely";
import type { WritingContext } from "#context.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { readSpendState } from "#storage/spend-state.ts";
import { quarterOf } from "#storage/traces/totals/spend-changes.ts";
import { SPEND_KEPT_FROM } from "#storage/traces/totals/spend-state.ts";

const DAY_MICROS = 86_400_000_000;
const KEPT_MICROS = 800 * DAY_MICROS;
/** An export that came in time may be stored when its key is deleted. */
const NAMES_MICROS = KEPT_MICROS + DAY_MICROS;

/** The first quarter that is kept. */
export function oldestKept(nowMicros: number): number {
	return quarterOf(nowMicros - KEPT_MICROS);
}

/**
 * Deletes what was spent in spans that started more than 800 days ago, and the names that were kept for it.
 * @throws StorageUnavailable
 */
export async function deleteOldSpend(
	{ db, now }: Pick<WritingContext, "db" | "now">,
	stopped: AbortSignal,
): Promise<void> {
	const { keptFrom } = await readSpendState(db.read);
	// A clock may jump back.
	const quarter = Math.max(oldestKept(now()), keptFrom);
	// Before anything is deleted: from then on nobody expects it to be there.
	await noteKeptFrom(db, quarter);
	for (let project = await nextProject(db.read, 0); project !== undefined && !stopped.aborted; ) {
		const id = project;
		const began = performance.now();
		await db.write((transaction) =>
			transaction.deleteFrom("spend").where("project_id", "=", id).where("quarter", "<", quarter).execute(),
		);
		await letOthersWrite(performance.now() - began);
		project = await nextProject(db.read, id);
	}
	const deletedBefore = now() - NAMES_MICROS;
	await db.write(async (transaction) => {
		await transaction.deleteFrom("spend_projects").where("deleted_at", "<", deletedBefore).execute();
		await transaction.deleteFrom("spend_api_keys").where("deleted_at", "<", deletedBefore).execute();
	});
}

async function noteKeptFrom(db: WritingContext["db"], quarter: number): Promise<void> {
	const value = JSON.stringify({ quarter });
	await db.write((transaction) =>
		transaction
			.insertInto("state")
			.values({ name: SPEND_KEPT_FROM, value })
			.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
			.execute(),
	);
}

/** Finds the first row of the next project, however many a project has. */
async function nextProject(db: Kysely<Tables>, after: number): Promise<number | undefined> {
	const row = await db
		.selectFrom("spend")
		.select("project_id")
		.where("project_id", ">", after)
		.orderBy("project_id")
		.limit(1)
		.executeTakeFirst();
	return row?.project_id;
}
