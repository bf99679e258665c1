import type { Kysely, Transaction } from "kysely";
import type { CallOutcome, Tables } from "#storage/schema.ts";

export interface NotedCall {
	/** Of its start, microseconds since 1970. */
	readonly time: number;
	/** Null while authentication is off. */
	readonly userId: number | null;
	readonly tool: string;
	readonly client: { readonly name: string | null; readonly version: string | null };
	readonly outcome: CallOutcome;
	readonly durationMs: number;
}

/** Without those of users who were deleted meanwhile. */
export async function insertCalls(transaction: Transaction<Tables>, calls: readonly NotedCall[]): Promise<void> {
	const ids = new Set(calls.flatMap(({ userId }) => (userId === null ? [] : [userId])));
	const rows =
		ids.size === 0
			? []
			: await transaction
					.selectFrom("users")
					.select("id")
					.where("id", "in", [...ids])
					.execute();
	const known = new Set(rows.map(({ id }) => id));
	const values = calls
		.filter(({ userId }) => userId === null || known.has(userId))
		.map(({ time, userId, tool, client, outcome, durationMs }) => ({
			...{ time, user_id: userId, tool, client_name: client.name, client_version: client.version },
			...{ outcome, duration_ms: durationMs },
		}));
	if (values.length > 0) await transaction.insertInto("agent_calls").values(values).execute();
}

export interface CallPage {
	/** Only those of this user; null for those while authentication is off. All when absent. */
	readonly userId?: number | null;
	readonly limit: number;
	/** Number of the first call of the page. */
	readonly fromId?: number | undefined;
}

/** Calls with their users, newest first. */
export async function listCalls(db: Kysely<Tables>, { userId, limit, fromId }: CallPage) {
	let query = db
		.selectFrom("agent_calls")
		.leftJoin("users", "users.id", "agent_calls.user_id")
		.selectAll("agent_calls")
		.select(["users.username", "users.email"])
		.orderBy("agent_calls.id", "desc")
		.limit(limit);
	if (userId !== undefined) query = query.where("agent_calls.user_id", userId === null ? "is" : "=", userId);
	if (fromId !== undefined) query = query.where("agent_calls.id", "<=", fromId);
	return await query.execute();
}

export type CallRow = Awaited<ReturnType<typeof listCalls>>[number];

/**
 * Deletes up to `limit` calls before a time, or before the newest `most`.
 * @returns how many
 */
export async function deleteCalls(
	transaction: Transaction<Tables>,
	{ before, most, limit }: { readonly before: number; readonly most: number; readonly limit: number },
): Promise<number> {
	const first = await transaction
		.selectFrom("agent_calls")
		.select("id")
		.orderBy("id", "desc")
		.offset(most)
		.limit(1)
		.executeTakeFirst();
	const old = transaction
		.selectFrom("agent_calls")
		.select("id")
		.where((where) => where.or([where("time", "<", before), where("id", "<=", first?.id ?? 0)]))
		.orderBy("id")
		.limit(limit);
	const { numDeletedRows } = await transaction.deleteFrom("agent_calls").where("id", "in", old).executeTakeFirst();
	return Number(numDeletedRows);
}
