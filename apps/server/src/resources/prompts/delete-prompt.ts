import type { Write } from "#storage/database.ts";

/** Versions deleted per transaction; few, so that other writers wait only briefly. */
const BATCH = 200;

/** Deletes a prompt with its versions, the oldest first. Can be called again after a crash. */
export async function deletePrompt(write: Write, id: number): Promise<void> {
	let deleted: bigint;
	do {
		const result = await write((transaction) =>
			transaction
				.deleteFrom("prompt_versions")
				.where("id", "in", (eb) =>
					eb.selectFrom("prompt_versions").select("id").where("prompt_id", "=", id).orderBy("id").limit(BATCH),
				)
				.executeTakeFirst(),
		);
		deleted = result.numDeletedRows;
	} while (deleted === BigInt(BATCH));
	await write((transaction) => transaction.deleteFrom("prompts").where("id", "=", id).execute());
}
