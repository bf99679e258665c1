import type { Kysely, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { MAX_CONNECTIONS } from "#base/model-connections/connection-schemas.ts";
import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import type { Tables } from "#storage/schema.ts";
import { type ConnectionRow, toColumns } from "./stored-definition.ts";

/** Newest first, from `fromId` downwards. */
export async function listConnections(
	db: Kysely<Tables>,
	{ limit, fromId }: { readonly limit: number; readonly fromId?: number | undefined },
): Promise<readonly ConnectionRow[]> {
	let query = db.selectFrom("model_connections").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

export async function findConnection(db: Kysely<Tables>, id: number): Promise<ConnectionRow | undefined> {
	return await db.selectFrom("model_connections").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findConnectionNamed(db: Kysely<Tables>, name: string): Promise<ConnectionRow | undefined> {
	return await db.selectFrom("model_connections").selectAll().where("name", "=", name).executeTakeFirst();
}

interface Made {
	readonly origin: ConnectionRow["origin"];
	/** Whether it is known who made it: authentication is on, or it is in the settings. */
	readonly isConfirmed: boolean;
	readonly userId: number | null;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** @throws UserError 409 when the name is taken, or there are too many */
export async function insertConnection(
	transaction: Transaction<Tables>,
	definition: ConnectionDefinition,
	{ origin, isConfirmed, userId, now }: Made,
): Promise<ConnectionRow> {
	await assertRoom(transaction);
	const row = await transaction
		.insertInto("model_connections")
		.values({
			...toColumns(definition),
			origin,
			is_confirmed: isConfirmed ? 1 : 0,
			revision: 1,
			user_id: userId,
			created_at: now,
			updated_at: now,
		})
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
	if (row === undefined) throw nameTaken();
	return row;
}

/**
 * Replaces the definition. What the connection was failing for is forgotten, as it may be repaired now.
 * @param isConfirmed stays as it is where absent
 * @throws UserError 409 when another connection has the name
 */
export async function updateConnection(
	transaction: Transaction<Tables>,
	before: ConnectionRow,
	definition: ConnectionDefinition,
	{ now, isConfirmed }: { readonly now: number; readonly isConfirmed?: boolean },
): Promise<ConnectionRow> {
	const namesake = await findConnectionNamed(transaction, definition.name);
	if (namesake !== undefined && namesake.id !== before.id) throw nameTaken();
	return await transaction
		.updateTable("model_connections")
		.set({
			...toColumns(definition),
			...(isConfirmed === undefined ? {} : { is_confirmed: isConfirmed ? 1 : 0 }),
			failing_code: null,
			failing_reason: null,
			failing_since: null,
			revision: before.revision + 1,
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function deleteConnection(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.deleteFrom("model_connections").where("id", "=", id).execute();
}

async function assertRoom(transaction: Transaction<Tables>): Promise<void> {
	const { count } = await transaction
		.selectFrom("model_connections")
		.select((of) => of.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (Number(count) < MAX_CONNECTIONS) return;
	throw new UserError(
		409,
		"too_many_model_connections",
		`There may be at most ${MAX_CONNECTIONS} model connections; delete one first.`,
	);
}

function nameTaken(): UserError {
	return new UserError(409, "model_connection_exists", "There is already a model connection with this name");
}
