import type { Kysely, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Mapping } from "#evaluation/mapping.ts";
import { fromJsonText } from "#http/json-values.ts";
import type { Tables } from "#storage/schema.ts";
import { type EvaluatorRow, findEvaluators } from "./queries.ts";

const MAX_EVALUATORS = 20;

/** An evaluator of a dataset. */
export interface AttachedEvaluator {
	readonly evaluator: EvaluatorRow;
	/** Row number of the version that is used; null for the newest one. */
	readonly version_id: number | null;
	readonly mapping: Mapping | null;
	readonly run_automatically: boolean;
	readonly updated_at: number;
}

/** Those of a dataset by name, archived ones left out. */
export async function listAttached(db: Kysely<Tables>, datasetId: number): Promise<AttachedEvaluator[]> {
	const rows = await db.selectFrom("dataset_evaluators").selectAll().where("dataset_id", "=", datasetId).execute();
	const evaluators = await findEvaluators(
		db,
		rows.map(({ evaluator_id }) => evaluator_id),
	);
	return rows
		.flatMap(({ evaluator_id, version_id, mapping, run_automatically, updated_at }) => {
			const evaluator = evaluators.get(evaluator_id);
			if (evaluator === undefined || evaluator.archived_at !== null) return [];
			return [
				{
					...{ evaluator, version_id, updated_at, run_automatically: run_automatically === 1 },
					mapping: mapping === null ? null : (fromJsonText(mapping) as Mapping),
				},
			];
		})
		.sort((a, b) => (a.evaluator.name < b.evaluator.name ? -1 : 1));
}

interface Attachment {
	readonly dataset_id: number;
	readonly evaluator_id: number;
	readonly version_id: number | null;
	readonly mapping: string | null;
	readonly run_automatically: 0 | 1;
	readonly user_id: number | null;
}

/** Attaches an evaluator to a dataset, or changes how it is. @throws UserError 409 when there are too many */
export async function attach(transaction: Transaction<Tables>, attachment: Attachment, now: number): Promise<void> {
	const { count } = await transaction
		.selectFrom("dataset_evaluators")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("dataset_id", "=", attachment.dataset_id)
		.where("evaluator_id", "<>", attachment.evaluator_id)
		.executeTakeFirstOrThrow();
	if (count >= MAX_EVALUATORS) {
		const message = `A dataset may have at most ${MAX_EVALUATORS} evaluators: take one out before.`;
		throw new UserError(409, "too_many_dataset_evaluators", message);
	}
	const { dataset_id: _dataset, evaluator_id: _evaluator, ...change } = attachment;
	await transaction
		.insertInto("dataset_evaluators")
		.values({ ...attachment, created_at: now, updated_at: now })
		.onConflict((conflict) =>
			conflict.columns(["dataset_id", "evaluator_id"]).doUpdateSet({ ...change, updated_at: now }),
		)
		.execute();
}

/** @returns whether it was attached */
export async function detach(
	transaction: Transaction<Tables>,
	datasetId: number,
	evaluatorId: number,
): Promise<boolean> {
	const deleted = await transaction
		.deleteFrom("dataset_evaluators")
		.where("dataset_id", "=", datasetId)
		.where("evaluator_id", "=", evaluatorId)
		.executeTakeFirst();
	return deleted.numDeletedRows > 0n;
}
