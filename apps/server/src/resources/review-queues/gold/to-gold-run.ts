import type { Kysely } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { configIdOf, questionsOf } from "../questions.ts";
import type { QueueRow } from "../queues.ts";
import { type GoldRunRow, leftOutOf, parametersOf } from "./gold-runs.ts";
import type { GoldRun } from "./schemas.ts";

/** Runs of a queue as they are shown to whom these rights are; the datasets only where they are seen. */
export async function toGoldRuns(
	db: Kysely<Tables>,
	rights: Rights,
	queue: QueueRow,
	rows: readonly GoldRunRow[],
): Promise<z.output<typeof GoldRun>[]> {
	const seen = await db
		.selectFrom("datasets")
		.select("id")
		.where("id", "in", listed(rows.flatMap(({ dataset_id }) => dataset_id ?? [])))
		.where("state", "=", "ready")
		.where(isSeenHome("datasets.project_id", rights))
		.execute();
	const datasets = new Set(seen.map(({ id }) => id));
	return rows.map((row) => {
		const { outputConfigId, onlyDecisions } = parametersOf(row);
		const question = questionsOf(queue).find(({ configId }) => configId === outputConfigId);
		const isSeen = row.dataset_id !== null && datasets.has(row.dataset_id);
		return {
			id: encodeGlobalId("ReviewGoldRun", row.id),
			queue_id: encodeGlobalId("ReviewQueue", queue.id),
			dataset_id: isSeen && row.dataset_id !== null ? encodeGlobalId("Dataset", row.dataset_id) : null,
			version_id: isSeen && row.state === "done" ? encodeGlobalId("DatasetVersion", row.version_id) : null,
			annotation_config_id: question === undefined ? null : configIdOf(question),
			gold: onlyDecisions ? ("decisions" as const) : ("all" as const),
			...{ state: row.state, total_items: row.total_items, done_items: row.done_items },
			...{ created_examples: row.created_examples, updated_examples: row.updated_examples },
			...{ unchanged_examples: row.unchanged_examples, left_out_items: row.left_out_items },
			left_out: leftOutOf(row).map(({ itemId, reason }) => ({ item_id: encodeGlobalId("ReviewItem", itemId), reason })),
			error: row.error,
			user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
			...{ created_at: formatTime(row.created_at), updated_at: formatTime(row.updated_at) },
		};
	});
}
