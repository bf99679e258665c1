import type { Kysely, Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** How long a model is held that asked to wait without saying how long. */
const UNSAID_MS = 1_000;
const LONGEST_MS = 3_600_000;

export interface Hold {
	/** Microseconds since 1970. */
	readonly heldUntil: number;
	/** Calls at a time, while they are fewer than the connection allows. */
	readonly concurrency: number | undefined;
}

async function findHold(
	transaction: Transaction<Tables>,
	connectionId: number,
	model: string,
): Promise<Hold | undefined> {
	const row = await transaction
		.selectFrom("model_holds")
		.select(["held_until", "concurrency"])
		.where("connection_id", "=", connectionId)
		.where("model", "=", model)
		.executeTakeFirst();
	return row === undefined ? undefined : { heldUntil: row.held_until, concurrency: row.concurrency ?? undefined };
}

/** The holds of these connections, by {@link holdKey}. */
export async function findHolds(
	db: Kysely<Tables>,
	connectionIds: readonly number[],
): Promise<ReadonlyMap<string, Hold>> {
	const rows = await db
		.selectFrom("model_holds")
		.select(["connection_id", "model", "held_until", "concurrency"])
		.where("connection_id", "in", listed(connectionIds))
		.execute();
	return new Map(
		rows.map(({ connection_id, model, held_until, concurrency }) => [
			holdKey(connection_id, model),
			{ heldUntil: held_until, concurrency: concurrency ?? undefined },
		]),
	);
}

export function holdKey(connectionId: number, model: string): string {
	return `${connectionId} ${model}`;
}

/**
 * Holds a model whose provider answered 429, and halves its concurrency. Those of its calls that were under way are
 * refused as well, and halve nothing again.
 */
export async function hold(
	transaction: Transaction<Tables>,
	{
		connectionId,
		model,
		retryAfterMs,
		most,
		startedAt,
		now,
	}: {
		readonly connectionId: number;
		readonly model: string;
		readonly retryAfterMs: number | undefined;
		/** Calls at a time that the connection allows. */
		readonly most: number;
		/** Of the call that was refused; microseconds since 1970, as `now`. */
		readonly startedAt: number;
		readonly now: number;
	},
): Promise<void> {
	const known = await findHold(transaction, connectionId, model);
	const until = now + Math.round(Math.min(retryAfterMs ?? UNSAID_MS, LONGEST_MS) * 1_000);
	const isNew = known === undefined || startedAt >= known.heldUntil;
	const concurrency = isNew ? Math.max(1, Math.floor((known?.concurrency ?? most) / 2)) : (known.concurrency ?? null);
	await transaction
		.insertInto("model_holds")
		.values({ connection_id: connectionId, model, held_until: until, concurrency })
		.onConflict((conflict) =>
			conflict
				.columns(["connection_id", "model"])
				.doUpdateSet({ held_until: Math.max(until, known?.heldUntil ?? 0), concurrency }),
		)
		.execute();
}

/** One more at a time after each call that succeeds, until it is as many as the connection allows. */
export async function loosen(
	transaction: Transaction<Tables>,
	{
		connectionId,
		model,
		most,
		startedAt,
	}: {
		readonly connectionId: number;
		readonly model: string;
		readonly most: number;
		readonly startedAt: number;
	},
): Promise<void> {
	const known = await findHold(transaction, connectionId, model);
	// A call from before the hold says nothing about the time after it.
	if (known === undefined || startedAt < known.heldUntil) return;
	const next = (known.concurrency ?? most) + 1;
	const where = { connection_id: connectionId, model };
	if (next >= most) await deleteHold(transaction, where);
	else await setConcurrency(transaction, where, next);
}

interface Held {
	readonly connection_id: number;
	readonly model: string;
}

async function deleteHold(transaction: Transaction<Tables>, { connection_id: id, model }: Held): Promise<void> {
	await transaction.deleteFrom("model_holds").where("connection_id", "=", id).where("model", "=", model).execute();
}

async function setConcurrency(
	transaction: Transaction<Tables>,
	{ connection_id: id, model }: Held,
	concurrency: number,
) {
	await transaction
		.updateTable("model_holds")
		.set({ concurrency })
		.where("connection_id", "=", id)
		.where("model", "=", model)
		.execute();
}
