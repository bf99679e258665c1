import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import type { ExperimentRow } from "./queries.ts";
import type { Experiment } from "./schemas.ts";
import type { ExperimentTotals } from "./totals.ts";

/** The wire form of an experiment. */
export function toExperiment(row: ExperimentRow, totals: ExperimentTotals): z.output<typeof Experiment> {
	const { successful, failed, averageLatencyMs } = totals.runs;
	const runs = successful + failed;
	return {
		id: encodeGlobalId("Experiment", row.id),
		dataset_id: encodeGlobalId("Dataset", row.dataset_id),
		dataset_version_id: encodeGlobalId("DatasetVersion", row.dataset_version_id),
		name: row.name,
		description: row.description,
		repetitions: row.repetitions,
		metadata: objectFromJsonText(row.metadata),
		project_name: row.project_name,
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		example_count: row.example_count,
		successful_run_count: successful,
		failed_run_count: failed,
		missing_run_count: row.example_count * row.repetitions - runs,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		tags: [...totals.tags],
		scores: Object.fromEntries(
			Array.from(totals.scores, ([name, { mean, count, standardError }]) => [
				name,
				{ mean, count, standard_error: standardError },
			]),
		),
		average_latency_ms: averageLatencyMs,
		error_rate: runs === 0 ? null : failed / runs,
		total_cost: totals.cost,
		total_tokens: totals.tokens,
		task: row.task === null ? null : objectFromJsonText(row.task),
	};
}
