import { z } from "zod";
import type { Database } from "#storage/database.ts";

/** Rows of `state`. */
const STATE = "clickhouse_reconciler";
const UNCLEAN = "clickhouse_unclean_stop";

const State = z.object({
	/** Of the metadata database: that of a copy is another one. */
	installation: z.string(),
	/** When it last looked, milliseconds since 1970. */
	at: z.number(),
	/** Up to this batch. */
	batch: z.int(),
	/** Hours that had not ended, by project and hour. */
	hours: z.array(z.tuple([z.int(), z.int()])),
	/** Where the next references begin: after these rows. */
	after: z.object({ annotations: z.int(), dataset_examples: z.int(), error_occurrences: z.int().default(0) }),
});

export type ReconcilerState = z.output<typeof State>;

export async function readState({ read }: Database): Promise<ReconcilerState | undefined> {
	const row = await read.selectFrom("state").select("value").where("name", "=", STATE).executeTakeFirst();
	return row && State.parse(JSON.parse(row.value));
}

export async function keepState(db: Database, state: ReconcilerState): Promise<void> {
	await put(db, STATE, JSON.stringify(state));
}

/** Batches were left behind: the reconciler is to look soon. */
export async function noteUncleanStop(db: Database): Promise<void> {
	await put(db, UNCLEAN, "1");
}

/** Whether such a stop was noted; it is forgotten. */
export async function takeUncleanStop(db: Database): Promise<boolean> {
	const row = await db.read.selectFrom("state").select("name").where("name", "=", UNCLEAN).executeTakeFirst();
	if (row === undefined) return false;
	await db.write((transaction) => transaction.deleteFrom("state").where("name", "=", UNCLEAN).execute());
	return true;
}

async function put(db: Database, name: string, value: string): Promise<void> {
	await db.write((transaction) =>
		transaction
			.insertInto("state")
			.values({ name, value })
			.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
			.execute(),
	);
}
