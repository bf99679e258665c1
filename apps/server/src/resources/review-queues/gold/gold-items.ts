import type { Kysely } from "kysely";
import type { Rights } from "#http/rights.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { hasGold } from "../figures/calibration.ts";
import type { ItemRow } from "../items.ts";
import { answersOf, questionsOf } from "../questions.ts";
import type { QueueRow } from "../queues.ts";
import { type Gold, goldOf } from "./gold-answers.ts";

/** Which items of a queue a run is about. */
export interface GoldQuery {
	readonly queue: QueueRow;
	readonly rights: Rights;
	/** Only what adjudicators decided is gold. */
	readonly onlyDecisions: boolean;
}

function goldItems(db: Kysely<Tables>, { queue, rights, onlyDecisions }: GoldQuery) {
	return db
		.selectFrom("review_items")
		.where("queue_id", "=", queue.id)
		.where("state", "=", "done")
		.where(hasGold({ onlyDecisions }))
		.where(isSeenProject("review_items.project_id", rights));
}

export async function countGoldItems(db: Kysely<Tables>, query: GoldQuery): Promise<number> {
	const { count } = await goldItems(db, query)
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	return Number(count);
}

/** Row numbers of the projects of these items. */
export async function projectsOfGold(db: Kysely<Tables>, query: GoldQuery): Promise<readonly number[]> {
	const rows = await goldItems(db, query).select("project_id").distinct().execute();
	return rows.flatMap(({ project_id }) => project_id ?? []);
}

export interface FoundGold {
	readonly item: ItemRow;
	readonly gold: Gold;
}

/** The next items by row number, with what counts of them. */
export async function readGold(
	db: Kysely<Tables>,
	query: GoldQuery,
	{ after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly FoundGold[]> {
	const items = await goldItems(db, query).selectAll().where("id", ">", after).orderBy("id").limit(limit).execute();
	const undecided = items.filter(({ decision }) => decision === null).map(({ id }) => id);
	const turns = await db
		.selectFrom("review_turns")
		.select(["item_id", "answers"])
		.where("item_id", "in", listed(undecided))
		.where("status", "=", "done")
		.orderBy("id")
		.execute();
	const byItem = Map.groupBy(turns, ({ item_id }) => item_id);
	const questions = questionsOf(query.queue);
	return items.map((item) => {
		const decision = item.decision === null ? undefined : answersOf(item.decision);
		const reviews = (byItem.get(item.id) ?? []).map(({ answers }) => answersOf(answers ?? "[]"));
		return { item, gold: goldOf(questions, decision, reviews) };
	});
}
