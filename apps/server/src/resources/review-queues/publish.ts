import type { Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { upsertAnnotations } from "../annotations/write-annotations.ts";
import { writeRunReviews } from "../experiments/run-reviews.ts";
import type { GivenAnswer } from "./questions.ts";
import type { QueueRow } from "./queues.ts";
import type { Target } from "./targets.ts";

/** Answers that become annotations. */
export interface Published {
	/** Number of the reviewer; absent for the decision of an adjudicator. */
	readonly reviewer?: number;
	/** Row number of who answered; null when that account is gone, or authentication was off. */
	readonly author: number | null;
	readonly source: "API" | "APP";
	readonly answers: readonly GivenAnswer[];
	/** Microseconds since 1970. */
	readonly at: number;
}

/** The identifier of annotations of a queue: those of a reviewer, or of what was decided. */
export function identifierOf(queueId: number, reviewer?: number): string {
	return reviewer === undefined ? `review:${queueId}` : `review:${queueId}:${reviewer}`;
}

/** Writes answers as annotations of the target, or beside the evaluations of a run; those that they replace go. */
export async function publish(
	transaction: Transaction<Tables>,
	{ id, target }: Pick<QueueRow, "id" | "target">,
	entity: Target,
	all: readonly Published[],
): Promise<void> {
	for (const { reviewer, author, source, answers, at } of all) {
		const identifier = identifierOf(id, reviewer);
		const authorship = { source, userId: author, at };
		if (target === "experiment_run" || "kind" in entity) {
			await writeRunReviews(transaction, { runId: entity.rowId, identifier, authorship }, answers);
			continue;
		}
		const names = answers.map(({ name }) => name);
		await transaction
			.deleteFrom("annotations")
			.where("target", "=", target)
			.where("target_row_id", "=", entity.rowId)
			.where("identifier", "=", identifier)
			.where("name", "not in", names)
			.execute();
		const annotations = answers.map(({ name, label, score, explanation }) => {
			const content = { name, identifier, annotatorKind: "HUMAN" as const, label, score, explanation, metadata: "{}" };
			return { target, item: { ...content, documentPosition: -1 }, entity, authorship };
		});
		await upsertAnnotations(transaction, annotations, { onlyOwn: false });
	}
}
