import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { notFound, type UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import { countThatFits } from "#http/page-size.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRun } from "./schemas.ts";

export type RunRow = Selectable<Tables["experiment_runs"]>;

/**
 * Inserts a run, or replaces a failed one and deletes the evaluations of that by programs, which are outdated.
 * @returns undefined when there is a successful run already, or the experiment was deleted
 */
export async function upsertRun(
	transaction: Transaction<Tables>,
	run: Omit<RunRow, "id">,
): Promise<number | undefined> {
	return (await upsertRuns(transaction, [run]))[0];
}

/** As {@link upsertRun}, of several. No two may be of the same example and repetition. @returns in the same order */
export async function upsertRuns(
	transaction: Transaction<Tables>,
	runs: readonly Omit<RunRow, "id">[],
): Promise<readonly (number | undefined)[]> {
	const experiments = await transaction
		.selectFrom("experiments")
		.select("id")
		.where("id", "in", listed([...new Set(runs.map(({ experiment_id: id }) => id))]))
		.execute();
	const there = new Set(experiments.map(({ id }) => id));
	const values = runs.filter(({ experiment_id: id }) => there.has(id));
	if (values.length === 0) return runs.map(() => undefined);
	const written = await transaction
		.insertInto("experiment_runs")
		.values(values)
		.onConflict((conflict) =>
			conflict
				.columns(["experiment_id", "example_id", "repetition_number"])
				.doUpdateSet(({ ref }) => ({
					output: ref("excluded.output"),
					error: ref("excluded.error"),
					trace_id: ref("excluded.trace_id"),
					start_micros: ref("excluded.start_micros"),
					end_micros: ref("excluded.end_micros"),
					user_id: ref("excluded.user_id"),
				}))
				.where("experiment_runs.error", "is not", null),
		)
		.returning(["id", "experiment_id", "example_id", "repetition_number"])
		.execute();
	const ids = new Map(written.map((row) => [placeOf(row), row.id]));
	await transaction
		.deleteFrom("experiment_evaluations")
		.where("run_id", "in", listed([...ids.values()]))
		.where("annotator_kind", "<>", "HUMAN")
		.execute();
	return runs.map((run) => ids.get(placeOf(run)));
}

function placeOf(run: Pick<RunRow, "experiment_id" | "example_id" | "repetition_number">): string {
	return `${run.experiment_id} ${run.example_id} ${run.repetition_number}`;
}

/**
 * Enters the home of a run's dataset.
 * @returns whether there is such a run that the actor sees
 * @throws UserError 403 `project_role_needed`
 */
export async function enterRun(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	runId: number,
): Promise<boolean> {
	const run = await db
		.selectFrom("experiment_runs")
		.innerJoin("experiments", "experiments.id", "experiment_runs.experiment_id")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.select("datasets.project_id as home")
		.where("experiment_runs.id", "=", runId)
		.executeTakeFirst();
	return run !== undefined && enterSeen(actor, run.home);
}

export async function findRunOf(
	db: Kysely<Tables>,
	run: Pick<RunRow, "experiment_id" | "example_id" | "repetition_number">,
): Promise<Pick<RunRow, "id"> | undefined> {
	return await db
		.selectFrom("experiment_runs")
		.select("id")
		.where("experiment_id", "=", run.experiment_id)
		.where("example_id", "=", run.example_id)
		.where("repetition_number", "=", run.repetition_number)
		.executeTakeFirst();
}

/**
 * Runs with the newest first, from `fromId` downwards, as many as stay below `maxBytes`.
 * @returns with `next`, where the list goes on
 */
export async function listRuns(
	db: Kysely<Tables>,
	query: { experimentId: number; fromId?: number | undefined; limit: number; maxBytes: number },
): Promise<{ rows: RunRow[]; next: number | undefined }> {
	let keys = db
		.selectFrom("experiment_runs")
		.where("experiment_id", "=", query.experimentId)
		.select(["id", sql<number>`octet_length(output) + coalesce(octet_length(error), 0)`.as("bytes")])
		.orderBy("id", "desc")
		.limit(query.limit + 1);
	if (query.fromId !== undefined) keys = keys.where("id", "<=", query.fromId);
	const found = await keys.execute();
	const count = countThatFits(found.slice(0, query.limit), query.maxBytes);
	const rows = await findRuns(
		db,
		found.slice(0, count).map(({ id }) => id),
	);
	return { rows: rows.reverse(), next: found[count]?.id };
}

/** Row numbers of the runs of an experiment above `after`, ascending. */
export async function listRunIds(
	db: Kysely<Tables>,
	{ experimentId, after, limit }: { readonly experimentId: number; readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
	const rows = await db
		.selectFrom("experiment_runs")
		.select("id")
		.where("experiment_id", "=", experimentId)
		.where("id", ">", after)
		.orderBy("id")
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/** Runs by row number, ascending. */
export async function findRuns(db: Kysely<Tables>, ids: readonly number[]): Promise<RunRow[]> {
	return await db.selectFrom("experiment_runs").selectAll().where("id", "in", listed(ids)).orderBy("id").execute();
}

export function runNotFound(): UserError {
	return notFound("run_not_found", "Experiment run does not exist");
}

/** A run as the wire shows it. */
export function toRun(row: RunRow): z.output<typeof ExperimentRun> {
	return {
		id: encodeGlobalId("ExperimentRun", row.id),
		experiment_id: encodeGlobalId("Experiment", row.experiment_id),
		dataset_example_id: encodeGlobalId("DatasetExample", row.example_id),
		output: fromJsonText(row.output),
		repetition_number: row.repetition_number,
		start_time: formatTime(row.start_micros),
		end_time: formatTime(row.end_micros),
		trace_id: row.trace_id,
		error: row.error,
	};
}
