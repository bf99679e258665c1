import type { Database } from "#storage/database.ts";

/** Versions that go in one transaction, so that other writers wait only shortly. */
const BATCH = 200;

/** Deletes a prompt with its versions, the oldest first; what a crash leaves of it can be deleted again. */
export async function deletePrompt(db: Database, id: number): Promise<void> {
	let deleted: bigint;
	do {
		const result = await db.write((transaction) =>
			transaction
				.deleteFrom("prompt_versions")
				.where("id", "in", (eb) =>
					eb.selectFrom("prompt_versions").select("id").where("prompt_id", "=", id).orderBy("id").limit(BATCH),
				)
				.executeTakeFirst(),
		);
		deleted = result.numDeletedRows;
	} while (deleted === BigInt(BATCH));
	await db.write((transaction) => transaction.deleteFrom("prompts").where("id", "=", id).execute());
}
