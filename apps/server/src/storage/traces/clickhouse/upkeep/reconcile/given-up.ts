import type { Kysely, Transaction } from "kysely";
import { z } from "zod";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";

/** Row of `state`. */
const NAME = "clickhouse_given_up";
/** For how long, and of how many batches at most, something is expected. */
const KEPT_MS = 7 * 86_400_000;
const MOST = 256;

const GivenUp = z.object({
	batch: z.int(),
	/** Milliseconds since 1970. */
	at: z.number(),
	/** How many rows of contents it had when they were last looked at. */
	contents: z.int(),
});

/** A batch that was completed or withdrawn in the place of its process, which may still insert something. */
type GivenUp = z.output<typeof GivenUp>;

/** The newest of the last week. */
export async function readGivenUp({ read }: Pick<Database, "read">): Promise<readonly GivenUp[]> {
	return await readFrom(read);
}

export async function noteGivenUp(db: Pick<Database, "write">, batches: readonly number[]): Promise<void> {
	const at = Date.now();
	await db.write(async (transaction) => {
		const known = (await readFrom(transaction)).filter(({ batch }) => !batches.includes(batch));
		await keep(transaction, [...known, ...batches.map((batch) => ({ batch, at, contents: 0 }))]);
	});
}

/** @param contents how many rows of contents each batch has; none where it says nothing */
export async function noteContents(db: Pick<Database, "write">, contents: ReadonlyMap<number, number>): Promise<void> {
	await db.write(async (transaction) => {
		const known = await readFrom(transaction);
		await keep(
			transaction,
			known.map((given) => ({ ...given, contents: contents.get(given.batch) ?? 0 })),
		);
	});
}

async function readFrom(db: Kysely<Tables>): Promise<readonly GivenUp[]> {
	const row = await db.selectFrom("state").select("value").where("name", "=", NAME).executeTakeFirst();
	const known = row === undefined ? [] : z.array(GivenUp).parse(JSON.parse(row.value));
	return known.filter(({ at }) => Math.abs(Date.now() - at) < KEPT_MS);
}

async function keep(transaction: Transaction<Tables>, batches: readonly GivenUp[]): Promise<void> {
	const value = JSON.stringify(batches.slice(-MOST));
	await transaction
		.insertInto("state")
		.values({ name: NAME, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
}
