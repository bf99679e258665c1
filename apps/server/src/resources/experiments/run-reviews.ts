import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { RunReview } from "./schemas.ts";

export type RunReviewRow = Selectable<Tables["experiment_run_reviews"]>;

interface Written {
	readonly runId: number;
	readonly identifier: string;
	readonly authorship: {
		readonly source: "API" | "APP";
		readonly userId: number | null;
		/** Microseconds since 1970. */
		readonly at: number;
	};
}

/** Writes what was answered about a run under an identifier; other answers under it go. */
export async function writeRunReviews(
	transaction: Transaction<Tables>,
	{ runId, identifier, authorship }: Written,
	answers: readonly Pick<RunReviewRow, "name" | "label" | "score" | "explanation">[],
): Promise<void> {
	await transaction
		.deleteFrom("experiment_run_reviews")
		.where("run_id", "=", runId)
		.where("identifier", "=", identifier)
		.where("name", "not in", listed(answers.map(({ name }) => name)))
		.execute();
	if (answers.length === 0) return;
	const { source, userId, at } = authorship;
	await transaction
		.insertInto("experiment_run_reviews")
		.values(
			answers.map(({ name, label, score, explanation }) => ({
				...{ run_id: runId, identifier, name, label, score, explanation },
				...{ source, user_id: userId, created_at: at, updated_at: at },
			})),
		)
		.onConflict((conflict) =>
			conflict.columns(["run_id", "identifier", "name"]).doUpdateSet(({ ref }) => ({
				...{ label: ref("excluded.label"), score: ref("excluded.score"), explanation: ref("excluded.explanation") },
				...{ source: ref("excluded.source"), user_id: ref("excluded.user_id"), updated_at: ref("excluded.updated_at") },
			})),
		)
		.execute();
}

/** What may be seen of the reviews of a run: decisions of adjudicators first, then by who reviewed and name. */
export async function listRunReviews(
	db: Kysely<Tables>,
	runId: number,
): Promise<readonly (RunReviewRow & { readonly username: string | null })[]> {
	return await db
		.selectFrom("experiment_run_reviews")
		.leftJoin("users", "users.id", "experiment_run_reviews.user_id")
		.selectAll("experiment_run_reviews")
		.select("users.username")
		.where("run_id", "=", runId)
		.orderBy(isDecision(), "desc")
		.orderBy("identifier")
		.orderBy("name")
		.execute();
}

/** Condition: it is the gold answer of a queue. */
function isDecision(): RawBuilder<boolean> {
	return sql<boolean>`identifier not like 'review:%:%'`;
}

const IDENTIFIER = /^review:(?<queue>\d+)(?<reviewer>:\d+)?$/;

/** @throws Error for an identifier that no queue writes */
export function toRunReview(row: RunReviewRow & { readonly username: string | null }): z.output<typeof RunReview> {
	const groups = IDENTIFIER.exec(row.identifier)?.groups;
	if (groups === undefined) throw new Error(`a review of a run has the identifier ${row.identifier}`);
	return {
		...{ name: row.name, label: row.label, score: row.score, explanation: row.explanation },
		identifier: row.identifier,
		queue_id: encodeGlobalId("ReviewQueue", Number(groups["queue"])),
		is_decision: groups["reviewer"] === undefined,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		username: row.username,
		...{ source: row.source, created_at: formatTime(row.created_at), updated_at: formatTime(row.updated_at) },
	};
}
