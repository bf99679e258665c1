import { type Kysely, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { RunRow } from "../experiments/runs.ts";

/**
 * The successful runs of an experiment that an evaluator looks at, by example and repetition: all, or those that lack a
 * successful evaluation of one of its `names`.
 */
export async function listRunsToEvaluate(
	db: Kysely<Tables>,
	experimentId: number,
	{ names, only }: { readonly names: readonly string[]; readonly only: "missing" | "all" },
): Promise<Pick<RunRow, "id" | "example_id" | "repetition_number">[]> {
	let runs = db
		.selectFrom("experiment_runs as run")
		.select(["run.id", "run.example_id", "run.repetition_number"])
		.where("run.experiment_id", "=", experimentId)
		.where("run.error", "is", null)
		.orderBy("run.example_id")
		.orderBy("run.repetition_number");
	if (only === "missing")
		runs = runs.where(
			sql<boolean>`(
				select count(*) from experiment_evaluations as evaluation
				where evaluation.run_id = run.id and evaluation.error is null and evaluation.name in ${listed(names)}
			) < ${names.length}`,
		);
	return await runs.execute();
}
