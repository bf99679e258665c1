import type { Transaction } from "kysely";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** Groups deleted per transaction. */
const BATCH = 500;

/**
 * Deletes groups that never had an occurrence after all, or whose occurrences were all moved to another project, unless
 * somebody has worked on them. @returns how many, a batch at the most
 */
export async function deleteUntouched(transaction: Transaction<Tables>): Promise<number> {
	const rows = await transaction
		.selectFrom("error_groups")
		.select("id")
		.where("total_count", "=", 0)
		.where("revision", "=", 1)
		.where("assignee_id", "is", null)
		.where(({ not, exists, selectFrom }) =>
			not(exists(selectFrom("error_comments").select("id").whereRef("group_id", "=", "error_groups.id"))),
		)
		.limit(BATCH)
		.execute();
	return await deleteGroups(transaction, rows);
}

/**
 * Deletes groups without stored occurrences that were last seen before a time and are not ignored, some in each transaction.
 * @param before microseconds since 1970
 * @returns how many
 */
export async function deleteExpired(
	db: Pick<Database, "write">,
	before: number,
	stopped: AbortSignal,
): Promise<number> {
	let count = 0;
	for (let after: number | undefined = 0; after !== undefined && !stopped.aborted; ) {
		const from: number = after;
		const { deleted, next } = await db.write((transaction) => deleteSomeExpired(transaction, before, from));
		count += deleted;
		after = next;
	}
	return count;
}

/** @returns how many, and the id after which to go on; undefined when all were looked at */
async function deleteSomeExpired(
	transaction: Transaction<Tables>,
	before: number,
	after: number,
): Promise<{ deleted: number; next: number | undefined }> {
	const old = await transaction
		.selectFrom("error_groups")
		.select(({ exists, selectFrom }) => [
			"id",
			exists(selectFrom("error_occurrences").select("id").whereRef("group_id", "=", "error_groups.id")).as("has_any"),
		])
		.where("last_seen", "<", before)
		.where("state", "<>", "ignored")
		.where("id", ">", after)
		.orderBy("id")
		.limit(BATCH)
		.execute();
	const deleted = await deleteGroups(
		transaction,
		old.filter(({ has_any }) => !has_any),
	);
	return { deleted, next: old.length < BATCH ? undefined : old.at(-1)?.id };
}

async function deleteGroups(
	transaction: Transaction<Tables>,
	rows: readonly { readonly id: number }[],
): Promise<number> {
	if (rows.length === 0) return 0;
	const ids = rows.map(({ id }) => id);
	await transaction.deleteFrom("error_groups").where("id", "in", listed(ids)).execute();
	return rows.length;
}
