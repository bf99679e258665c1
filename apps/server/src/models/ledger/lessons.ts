import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { DATABASE_MICROS } from "./database-clock.ts";

/** A provider may learn meanwhile what it refused. */
const KEPT_MICROS = 24 * 3_600_000_000;

/** What calls found out about a model within a day, such as `refuses temperature`. */
export async function listLessons(
	db: Kysely<Tables>,
	{ connectionId, model }: { readonly connectionId: number; readonly model: string },
): Promise<readonly string[]> {
	const rows = await db
		.selectFrom("model_lessons")
		.select("lesson")
		.where("connection_id", "=", connectionId)
		.where("model", "=", model)
		.where("learned_at", ">", sql<number>`${DATABASE_MICROS} - ${KEPT_MICROS}`)
		.orderBy("lesson")
		.execute();
	return rows.map(({ lesson }) => lesson);
}

/** Remembers a lesson for a day. Does nothing where the connection is gone. */
export async function learn(
	transaction: Transaction<Tables>,
	{
		connectionId,
		model,
		lesson,
	}: {
		readonly connectionId: number;
		readonly model: string;
		readonly lesson: string;
	},
): Promise<void> {
	const there = await transaction
		.selectFrom("model_connections")
		.select("id")
		.where("id", "=", connectionId)
		.executeTakeFirst();
	if (there === undefined) return;
	await transaction
		.insertInto("model_lessons")
		.values({ connection_id: connectionId, model, lesson, learned_at: DATABASE_MICROS })
		.onConflict((conflict) =>
			conflict
				.columns(["connection_id", "model", "lesson"])
				.doUpdateSet(({ ref }) => ({ learned_at: ref("excluded.learned_at") })),
		)
		.execute();
}
