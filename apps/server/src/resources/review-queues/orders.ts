import { type RawBuilder, sql } from "kysely";
import type { ReviewOrder } from "#storage/schema.ts";
import type { ItemRow } from "./items.ts";

/** Where an item is in the order of its queue. */
export type Place = Pick<ItemRow, "id" | "priority" | "random_rank">;

interface QueueOrder {
	/** Of rows of `review_items`. */
	readonly by: RawBuilder<unknown>;
	/** Negative when the first comes first. */
	readonly compare: (a: Place, b: Place) => number;
	/** Conditions on rows of `review_items`, each of which an index answers: one of them holds from this place on. */
	readonly from: (place: Place) => readonly RawBuilder<boolean>[];
	/** Whether what is added later always comes later. */
	readonly grows: boolean;
}

export const ORDERS: Readonly<Record<ReviewOrder, QueueOrder>> = {
	oldest: {
		by: sql`review_items.id`,
		compare: (a, b) => a.id - b.id,
		from: ({ id }) => [sql<boolean>`review_items.id >= ${id}`],
		grows: true,
	},
	newest: {
		by: sql`review_items.id desc`,
		compare: (a, b) => b.id - a.id,
		from: ({ id }) => [sql<boolean>`review_items.id <= ${id}`],
		grows: false,
	},
	random: {
		by: sql`review_items.random_rank, review_items.id`,
		compare: (a, b) => a.random_rank - b.random_rank || a.id - b.id,
		from: ({ random_rank, id }) => [
			sql<boolean>`(review_items.random_rank, review_items.id) >= (${random_rank}, ${id})`,
		],
		grows: false,
	},
	priority: {
		by: sql`review_items.priority desc, review_items.id`,
		compare: (a, b) => b.priority - a.priority || a.id - b.id,
		from: ({ priority, id }) => [
			sql<boolean>`review_items.priority = ${priority} and review_items.id >= ${id}`,
			sql<boolean>`review_items.priority < ${priority}`,
		],
		grows: false,
	},
};
