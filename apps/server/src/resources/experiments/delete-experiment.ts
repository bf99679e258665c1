import type { Write } from "#storage/database.ts";

/** Runs deleted per transaction, with their evaluations; few, so that other writers wait only briefly. */
const BATCH = 500;

/** Deletes an experiment with its runs; its project stays. Can be called again after a crash. */
export async function deleteExperiment(write: Write, id: number): Promise<void> {
	let deleted: bigint;
	do {
		const result = await write((transaction) =>
			transaction
				.deleteFrom("experiment_runs")
				.where("id", "in", (eb) =>
					eb.selectFrom("experiment_runs").select("id").where("experiment_id", "=", id).orderBy("id").limit(BATCH),
				)
				.executeTakeFirst(),
		);
		deleted = result.numDeletedRows;
	} while (deleted > 0n);
	await write((transaction) => transaction.deleteFrom("experiments").where("id", "=", id).execute());
}
