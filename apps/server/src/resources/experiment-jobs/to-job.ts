import type { Kysely } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { findSpending } from "#models/ledger/budgets.ts";
import { toDollars } from "#models/ledger/money.ts";
import type { Tables } from "#storage/schema.ts";
import { jobScope } from "./job-budget.ts";
import { findExperimentsOf, type JobRow } from "./jobs.ts";
import type { ExperimentJob } from "./schemas.ts";
import { countEndsSince, countTasks, type TaskCounts } from "./tasks.ts";

const MINUTE_MICROS = 60_000_000;

/** Jobs as the wire shows them, with their progress of now. */
export async function toJobs(
	db: Kysely<Tables>,
	rows: readonly JobRow[],
	now: number,
): Promise<z.output<typeof ExperimentJob>[]> {
	const countsOf = await countTasks(
		db,
		rows.map(({ id }) => id),
	);
	const spending = await findSpending(
		db,
		rows.map(({ id }) => jobScope(id)),
	);
	return await Promise.all(
		rows.map(async (row) => {
			const { runs, evaluations } = countsOf(row.id);
			const experiments = await findExperimentsOf(db, row.id);
			const { spentNanos = 0, reservedNanos = 0 } = spending.get(jobScope(row.id)) ?? {};
			const cost = toDollars(spentNanos + reservedNanos);
			const done = endedOf(runs) + endedOf(evaluations);
			const left = leftOf(runs) + leftOf(evaluations);
			const pace = left === 0 ? 0 : await countEndsSince(db, row.id, now - MINUTE_MICROS);
			return {
				id: encodeGlobalId("ExperimentJob", row.id),
				...{ kind: row.kind, name: row.name, state: row.state, error: row.error },
				reason: row.reason as z.output<typeof ExperimentJob>["reason"],
				dataset_id: encodeGlobalId("Dataset", row.dataset_id ?? 0),
				dataset_version_id:
					row.dataset_version_id === null ? null : encodeGlobalId("DatasetVersion", row.dataset_version_id),
				experiments: experiments.map(({ experiment_id, name }) => ({
					id: encodeGlobalId("Experiment", experiment_id),
					name,
				})),
				runs: toCounts(runs),
				evaluations: toCounts(evaluations),
				cost_usd: cost,
				max_cost_usd: row.max_cost_nanos === null ? null : toDollars(row.max_cost_nanos),
				rest_usd: done === 0 ? null : (cost / done) * left,
				minutes_left: pace === 0 ? null : left / pace,
				user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
				created_at: formatTime(row.created_at),
				updated_at: formatTime(row.updated_at),
			};
		}),
	);
}

function endedOf({ done, failed }: TaskCounts): number {
	return done + failed;
}

function leftOf({ ready, running }: TaskCounts): number {
	return ready + running;
}

function toCounts({ ready, running, done, failed, skipped, retried }: TaskCounts) {
	return { total: ready + running + done + failed + skipped, done, failed, running, skipped, retried };
}
