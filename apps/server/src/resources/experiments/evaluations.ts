import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { RunEvaluation } from "./schemas.ts";

export type EvaluationRow = Selectable<Tables["experiment_evaluations"]>;

/** Names of evaluations per experiment: each is a metric, and adds columns to the CSV. */
const MAX_NAMES = 200;

/** An evaluation that is not stored yet; its run says of which experiment and example it is. */
export type NewEvaluation = Omit<EvaluationRow, "id" | "experiment_id" | "example_id">;

/** 13 values a row: below the variables of a statement of either database. */
const ROWS = 1_000;

/**
 * Writes an evaluation, replacing the one of the run with the same name.
 * @returns undefined when there is no such run
 * @throws UserError 422 when the experiment has too many names
 */
export async function upsertEvaluation(
	transaction: Transaction<Tables>,
	evaluation: NewEvaluation,
): Promise<number | undefined> {
	return (await upsertEvaluations(transaction, [evaluation]))[0];
}

/**
 * As {@link upsertEvaluation}, of several. No two may be of the same run and name.
 * @returns row numbers of those whose run is there, in no order
 */
export async function upsertEvaluations(
	transaction: Transaction<Tables>,
	evaluations: readonly NewEvaluation[],
): Promise<readonly number[]> {
	const runs = await transaction
		.selectFrom("experiment_runs")
		.select(["id", "experiment_id", "example_id"])
		.where("id", "in", listed([...new Set(evaluations.map(({ run_id: id }) => id))]))
		.execute();
	const runOf = new Map(runs.map(({ id, ...run }) => [id, run]));
	const rows = evaluations.flatMap((evaluation) => {
		const run = runOf.get(evaluation.run_id);
		return run === undefined ? [] : [{ ...evaluation, ...run }];
	});
	for (const [experimentId, ofExperiment] of Map.groupBy(rows, ({ experiment_id: id }) => id))
		for (const name of new Set(ofExperiment.map((row) => row.name)))
			await assertRoomForName(transaction, experimentId, name);
	const ids: number[] = [];
	for (let begin = 0; begin < rows.length; begin += ROWS) {
		const written = await transaction
			.insertInto("experiment_evaluations")
			.values(rows.slice(begin, begin + ROWS))
			.onConflict((conflict) =>
				conflict.columns(["run_id", "name"]).doUpdateSet(({ ref }) => ({
					annotator_kind: ref("excluded.annotator_kind"),
					label: ref("excluded.label"),
					score: ref("excluded.score"),
					explanation: ref("excluded.explanation"),
					error: ref("excluded.error"),
					metadata: ref("excluded.metadata"),
					trace_id: ref("excluded.trace_id"),
					start_micros: ref("excluded.start_micros"),
					end_micros: ref("excluded.end_micros"),
				})),
			)
			.returning("id")
			.execute();
		ids.push(...written.map(({ id }) => id));
	}
	return ids;
}

async function assertRoomForName(db: Kysely<Tables>, experimentId: number, name: string): Promise<void> {
	const known = await db
		.selectFrom("experiment_evaluations")
		.select("id")
		.where("experiment_id", "=", experimentId)
		.where("name", "=", name)
		.executeTakeFirst();
	if (known !== undefined || (await listNames(db, experimentId)).length < MAX_NAMES) return;
	const message = `The evaluations of an experiment have at most ${MAX_NAMES} names`;
	throw new UserError(422, "too_many_evaluation_names", message);
}

/** The names of an experiment's evaluations, in order. Takes one index lookup per name. */
export async function listNames(db: Kysely<Tables>, experimentId: number): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		with recursive names (name) as (
			select min(name) from experiment_evaluations where experiment_id = ${experimentId}
			union all
			select (
				select min(experiment_evaluations.name)
				from experiment_evaluations
				where experiment_id = ${experimentId} and experiment_evaluations.name > names.name
			)
			from names
			where names.name is not null
		)
		select name from names where name is not null`.execute(db);
	return rows.map(({ name }) => name);
}

/** The evaluations of runs, grouped by run and ordered by name. */
export async function findEvaluations(
	db: Kysely<Tables>,
	runIds: readonly number[],
): Promise<Map<number, EvaluationRow[]>> {
	const rows = await db
		.selectFrom("experiment_evaluations")
		.selectAll()
		.where("run_id", "in", listed(runIds))
		.orderBy("run_id")
		.orderBy("name")
		.execute();
	return Map.groupBy(rows, (row) => row.run_id);
}

/** SQL for the bytes of a run's evaluations, in queries on `experiment_runs`. */
export const evaluationBytes = sql<number>`(
	select coalesce(sum(500 + coalesce(octet_length(explanation), 0) + octet_length(metadata)), 0)
	from experiment_evaluations
	where run_id = experiment_runs.id
)`;

/** The wire form of an evaluation within its run. */
export function toEvaluation(row: EvaluationRow): z.output<typeof RunEvaluation> {
	return {
		name: row.name,
		annotator_kind: row.annotator_kind,
		label: row.label,
		score: row.score,
		explanation: row.explanation,
		trace_id: row.trace_id,
		error: row.error,
		metadata: objectFromJsonText(row.metadata),
		start_time: formatTime(row.start_micros),
		end_time: formatTime(row.end_micros),
	};
}
