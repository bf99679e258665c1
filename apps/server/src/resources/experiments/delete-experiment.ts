import { sql, type Transaction } from "kysely";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import type { Write } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRow } from "./queries.ts";

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

/**
 * Restricts the project that was made for an experiment to who was granted a role where its dataset lives: when the
 * experiment is deleted, it does not follow the dataset any more.
 */
export async function keepRestricted(
	transaction: Transaction<Tables>,
	{ project_id, home }: Pick<ExperimentRow, "project_id" | "home">,
): Promise<void> {
	const own = await transaction
		.updateTable("projects")
		.set({ access: "restricted" })
		.where("id", "=", project_id)
		.where("origin", "=", "experiment")
		.returning("id")
		.executeTakeFirst();
	if (own === undefined) return;
	await sql`
		insert into grants (project_id, user_id, team_id, role, created_at, created_by)
		select ${own.id}, user_id, team_id, role, created_at, created_by
		from grants
		where project_id is not distinct from ${home}
		on conflict do nothing`.execute(transaction);
	await noteRightsChange(transaction);
}
