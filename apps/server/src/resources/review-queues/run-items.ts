import { type Kysely, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { Turn } from "./schemas.ts";

type Shown = z.output<typeof Turn>["annotations"][number];

const MOST_SHOWN = 20;
const MAX_EXPLANATION = 2_000;

/** Has the items about runs of a dataset's experiments follow it to another home; null is the library. */
export async function moveRunItems(
	transaction: Transaction<Tables>,
	datasetId: number,
	projectId: number | null,
): Promise<void> {
	await transaction
		.updateTable("review_items")
		.set({ project_id: projectId })
		.where("queue_id", "in", (queues) =>
			queues.selectFrom("review_queues").select("id").where("target", "=", "experiment_run"),
		)
		.where("target_row_id", "in", (runs) =>
			runs
				.selectFrom("experiment_runs")
				.innerJoin("experiments", "experiments.id", "experiment_runs.experiment_id")
				.select("experiment_runs.id")
				.where("experiments.dataset_id", "=", datasetId),
		)
		.execute();
}

/** The newest judgements of a run, evaluations and reviews that may be seen; of those that people made alone, if so. */
export async function listJudgements(
	db: Kysely<Tables>,
	runId: number,
	{ onlyByPeople }: { readonly onlyByPeople: boolean },
): Promise<Shown[]> {
	const explanation = sql<string | null>`substr(explanation, 1, ${MAX_EXPLANATION})`.as("explanation");
	let evaluations = db
		.selectFrom("experiment_evaluations")
		.select(["id", "name", "annotator_kind", "label", "score", explanation, "start_micros", "end_micros"])
		.where("run_id", "=", runId)
		.where("error", "is", null);
	if (onlyByPeople) evaluations = evaluations.where("annotator_kind", "=", "HUMAN");
	const evaluated = await evaluations.orderBy("end_micros", "desc").orderBy("id", "desc").limit(MOST_SHOWN).execute();
	const reviewed = await db
		.selectFrom("experiment_run_reviews")
		.select(["id", "name", "label", "score", explanation, "identifier", "source", "user_id"])
		.select(["created_at", "updated_at"])
		.where("run_id", "=", runId)
		.orderBy("updated_at", "desc")
		.orderBy("id", "desc")
		.limit(MOST_SHOWN)
		.execute();
	return [
		...reviewed.map((row) => ({
			at: row.updated_at,
			shown: {
				...{ id: encodeGlobalId("ExperimentRunReview", row.id), target: "experiment_run" as const, name: row.name },
				...{ annotator_kind: "HUMAN" as const, result: resultOf(row), identifier: row.identifier, source: row.source },
				user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
				...{ created_at: formatTime(row.created_at), updated_at: formatTime(row.updated_at) },
			},
		})),
		...evaluated.map((row) => ({
			at: row.end_micros,
			shown: {
				...{ id: encodeGlobalId("ExperimentEvaluation", row.id), target: "experiment_run" as const, name: row.name },
				...{ annotator_kind: row.annotator_kind, result: resultOf(row), identifier: "" },
				...{ source: "API" as const, user_id: null },
				...{ created_at: formatTime(row.start_micros), updated_at: formatTime(row.end_micros) },
			},
		})),
	]
		.toSorted((left, right) => right.at - left.at)
		.slice(0, MOST_SHOWN)
		.map(({ shown }) => shown);
}

function resultOf({ label, score, explanation }: Shown["result"]): Shown["result"] {
	return { label, score, explanation };
}
