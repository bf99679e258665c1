import type { Insertable, Transaction } from "kysely";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { grantsHere } from "#access/rights/reasons.ts";
import type { Grant, RightsState } from "#access/rights/rights-state.ts";
import { includesRole } from "#access/rights/roles.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Write } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRow } from "./queries.ts";

/** Runs deleted per transaction, with their evaluations; few, so that other writers wait only briefly. */
const BATCH = 500;
/** So many rows have fewer parameters than a statement may have. */
const MOST_GRANTS_AT_ONCE = 1_000;

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
 * Restricts the project that was made for an experiment to who has a role where its dataset lives, by grants or by rules:
 * when the experiment is deleted, it does not follow the dataset any more, and no rule fits it.
 */
export async function keepRestricted(
	transaction: Transaction<Tables>,
	{ project_id, home }: Pick<ExperimentRow, "project_id" | "home">,
	{
		state,
		created,
	}: { readonly state: RightsState; readonly created: Pick<Insertable<Tables["grants"]>, "created_at" | "created_by"> },
): Promise<void> {
	const own = await transaction
		.updateTable("projects")
		.set({ access: "restricted" })
		.where("id", "=", project_id)
		.where("origin", "=", "experiment")
		.returning("id")
		.executeTakeFirst();
	if (own === undefined) return;
	const grants = grantsInForce(state, toHome(home)).map(({ userId = null, teamId = null, role }) => ({
		...{ project_id: own.id, user_id: userId, team_id: teamId, role },
		...created,
	}));
	for (let at = 0; at < grants.length; at += MOST_GRANTS_AT_ONCE) {
		await transaction
			.insertInto("grants")
			.values(grants.slice(at, at + MOST_GRANTS_AT_ONCE))
			.onConflict((conflict) => conflict.doNothing())
			.execute();
	}
	await noteRightsChange(transaction);
}

/** Those at the home and those of rules that fit it; of several to the same person or team the highest. */
function grantsInForce(state: RightsState, home: Home): readonly Grant[] {
	const bySubject = new Map<string, Grant>();
	for (const { grant } of grantsHere(state, home)) {
		const subject = `${grant.userId} ${grant.teamId}`;
		if (!includesRole(bySubject.get(subject)?.role, grant.role)) bySubject.set(subject, grant);
	}
	return [...bySubject.values()];
}
