import type { Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { addMoney } from "./budgets.ts";
import { databaseMicros } from "./database-clock.ts";
import { takeTurn } from "./take-turn.ts";

/** Calls settled in one transaction. */
const BATCH = 100;
const EVERY_MS = 30_000;

/**
 * Books what calls of servers that have ended had reserved: nobody knows what they cost.
 * @returns how many there were, at most 100
 */
export async function settleExpired(transaction: Transaction<Tables>, now: number): Promise<number> {
	const expired = await transaction
		.selectFrom("model_calls")
		.select(["id", "scopes", "reserved_nanos"])
		.where("expires_at", "<", now)
		.orderBy("expires_at")
		.limit(BATCH)
		.execute();
	if (expired.length === 0) return 0;
	const ids = expired.map(({ id }) => id);
	await transaction.deleteFrom("model_calls").where("id", "in", listed(ids)).execute();
	await addMoney(
		transaction,
		expired.map(({ scopes, reserved_nanos: nanos }) => ({
			...{ scopes: JSON.parse(scopes) as string[], spentNanos: nanos, reservedNanos: -nanos },
		})),
	);
	return expired.length;
}

/** When the server starts: of a database that only one process uses, none of the calls of before can still run. */
export async function settleCallsOfBefore(db: Database): Promise<void> {
	if (db.isShared) return;
	while ((await db.write((transaction) => settleExpired(transaction, Number.MAX_SAFE_INTEGER))) === BATCH);
}

/** Books the calls of other servers that have ended, though no call needs what they held. */
export function settleEndedServers(context: Pick<WritingContext, "cluster" | "db" | "log">): AsyncDisposable {
	const { db } = context;
	return leasedJob(context, "model calls of ended servers", EVERY_MS, async (stopped) => {
		const now = await databaseMicros(db.read);
		const first = await db.read
			.selectFrom("model_calls")
			.select("id")
			.where("expires_at", "<", now)
			.limit(1)
			.executeTakeFirst();
		// Mostly there is none, and nothing has to be locked.
		if (first === undefined) return;
		for (let last = BATCH; last === BATCH && !stopped.aborted; ) {
			last = await db.write(async (transaction) => {
				await takeTurn(transaction, db);
				return await settleExpired(transaction, await databaseMicros(transaction));
			});
		}
	});
}
