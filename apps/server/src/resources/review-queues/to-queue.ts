import type { Kysely } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { configIdOf, questionsOf } from "./questions.ts";
import { adjudicatorsOf, type Counts, type QueueRow, reviewersOf } from "./queues.ts";
import type { ReviewQueue } from "./schemas.ts";

const toUser = (id: number) => encodeGlobalId("User", id);
const toTime = (micros: number | null) => (micros === null ? null : formatTime(micros));

/** Names of who has to do with queues, by row number of the user. */
export async function findPeople(db: Kysely<Tables>, rows: readonly QueueRow[]): Promise<ReadonlyMap<number, string>> {
	const ids = new Set(rows.flatMap(numbersIn));
	if (ids.size === 0) return new Map();
	const users = await db
		.selectFrom("users")
		.select(["id", "username"])
		.where("id", "in", listed([...ids]))
		.execute();
	return new Map(users.map(({ id, username }) => [id, username]));
}

function numbersIn(row: QueueRow): readonly number[] {
	return [...(reviewersOf(row) ?? []), ...adjudicatorsOf(row), ...(row.created_by === null ? [] : [row.created_by])];
}

export function toQueue(
	row: QueueRow,
	counts: Counts,
	people: ReadonlyMap<number, string>,
): z.output<typeof ReviewQueue> {
	const questions = questionsOf(row).map((question) => ({
		...{ annotation_config_id: configIdOf(question), name: question.name, type: question.type },
		...{ description: question.description, values: question.values?.map((value) => ({ ...value })) ?? null },
		...{ lower_bound: question.lowerBound, upper_bound: question.upperBound },
		...{ required: question.required, note: question.note, tolerance: question.tolerance },
	}));
	return {
		...{ id: encodeGlobalId("ReviewQueue", row.id), name: row.name, description: row.description },
		...{ guidance: row.guidance, target: row.target, questions, reviews_required: row.reviews_required },
		reviewers: reviewersOf(row)?.map(toUser) ?? null,
		adjudicators: adjudicatorsOf(row).map(toUser),
		people: [...new Set(numbersIn(row))].flatMap((id) => {
			const username = people.get(id);
			return username === undefined ? [] : { id: toUser(id), username };
		}),
		...{
			blind: row.blind === 1,
			hide_model_annotations: row.hide_model_annotations === 1,
			order: row.item_order,
			seed: row.seed,
			lease_minutes: row.lease_minutes,
		},
		...{ due_at: toTime(row.due_at), counts },
		...{ created_at: formatTime(row.created_at), updated_at: formatTime(row.updated_at) },
		created_by: row.created_by === null ? null : toUser(row.created_by),
		archived_at: toTime(row.archived_at),
	};
}
