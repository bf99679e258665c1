import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { either } from "#storage/either.ts";
import type { ReviewTarget, Tables } from "#storage/schema.ts";
import type { ItemRow } from "../items.ts";

/** Items that are read at a time. */
const CHUNK = 1_000;
/** Answers of so many bytes are read as they are stored, which is faster than taking their explanations out. */
const SHORT_BYTES = 500;

/** An item with what was answered, as JSON that `parseReviews` and `parseAnswers` read; explanations may be missing. */
export interface AnsweredItem
	extends Pick<ItemRow, "id" | "project_id" | "target_row_id" | "target_id" | "state" | "is_published" | "decision"> {
	/** By the number of the reviewer; null where there is none. */
	readonly reviews: string | null;
}

export interface AnsweredQuery {
	readonly queue: { readonly id: number; readonly target: ReviewTarget };
	readonly rights: Rights;
	/** Of `review_items`. */
	readonly condition: RawBuilder<boolean>;
}

/** The items of a queue in projects that are seen, by id, in chunks. */
export async function* readAnswered(
	db: Kysely<Tables>,
	{ queue, rights, condition }: AnsweredQuery,
): AsyncGenerator<readonly AnsweredItem[]> {
	for (let after = 0; ; ) {
		const items = await db
			.selectFrom("review_items")
			.select(["id", "project_id", "target_row_id", "target_id", "state", "is_published"])
			.select([withoutTexts("decision").as("decision"), reviewsOfItem().as("reviews")])
			.where("queue_id", "=", queue.id)
			.where("id", ">", after)
			.where(condition)
			.where(isSeenHome("review_items.project_id", rights))
			.orderBy("id")
			.limit(CHUNK)
			.execute();
		if (items.length > 0) yield items;
		const last = items.at(-1);
		if (last === undefined || items.length < CHUNK) return;
		after = last.id;
	}
}

/** `[[reviewer, answers], …]` */
function reviewsOfItem(): RawBuilder<string | null> {
	const review = sql`'[' || reviewer || ',' || ${withoutTexts("answers")} || ']'`;
	const all = either({
		sqlite: sql`group_concat(${review}, ',' order by reviewer)`,
		postgres: sql`string_agg(${review}, ',' order by reviewer)`,
	});
	return sql<string | null>`(
		select '[' || ${all} || ']' from review_turns
		where review_turns.item_id = review_items.id and review_turns.status = 'done'
	)`;
}

/** Stored answers, without their explanations where these are long. */
function withoutTexts(column: "answers" | "decision"): RawBuilder<string | null> {
	const stored = sql.ref(column);
	const short = either({
		sqlite: sql`(select json_group_array(json_object('configId', value -> 'configId', 'label', value -> 'label',
			'score', value -> 'score')) from json_each(${stored}))`,
		postgres: sql`(select json_agg(json_build_object('configId', value -> 'configId', 'label', value -> 'label',
			'score', value -> 'score'))::text from json_array_elements(${stored}::json))`,
	});
	return sql<string | null>`case when octet_length(${stored}) > ${SHORT_BYTES} then ${short} else ${stored} end`;
}
