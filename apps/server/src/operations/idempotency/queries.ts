import { sql } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Home } from "#http/rights.ts";
import type { Database } from "#storage/database.ts";
import { PROJECT_ROLES, type ProjectRole } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";

export interface StoredAnswer {
	readonly status: number;
	readonly contentType: string | null;
	readonly body: string | null;
	/** What the request was about, with the roles that it needed there. */
	readonly entered: readonly (readonly [Home, ProjectRole])[];
}

const Entered = z.array(z.tuple([z.union([z.int(), z.literal("library")]), z.enum(PROJECT_ROLES)]));

/** A key of a caller, of which a request is the first. */
export interface Claim {
	readonly caller: string;
	readonly key: string;
}

/**
 * Registers the request as the first of this caller with this key.
 * @param startedAt microseconds since 1970; an unfinished first request from before is taken for abandoned, and replaced
 * @returns undefined when the request is the first; else the answer of the first
 * @throws UserError 409 while the first is being processed, 422 when the first was a different request
 */
export async function claimKey(
	db: Database,
	{ caller, key, requestHash, now, startedAt }: Claim & { requestHash: Uint8Array; now: number; startedAt: number },
): Promise<StoredAnswer | undefined> {
	return await db.write(async (transaction) => {
		const { numInsertedOrUpdatedRows } = await transaction
			.insertInto("idempotency_keys")
			.values({ caller, key, request_hash: requestHash, created_at: now })
			.onConflict((conflict) => conflict.doNothing())
			.executeTakeFirstOrThrow();
		if (numInsertedOrUpdatedRows === 1n) return undefined;
		const row = await transaction
			.selectFrom("idempotency_keys")
			.selectAll()
			.where("caller", "=", caller)
			.where("key", "=", key)
			.executeTakeFirstOrThrow();
		if (Buffer.compare(row.request_hash, requestHash) !== 0) {
			throw new UserError(
				422,
				"idempotency_key_reused",
				"This Idempotency-Key was sent with another request: use a new key for each request.",
			);
		}
		if (row.status !== null) {
			const entered = Entered.parse(JSON.parse(row.entered ?? "[]"));
			return { status: row.status, contentType: row.content_type, body: row.body, entered };
		}
		if (row.created_at >= startedAt) {
			throw new UserError(
				409,
				"request_in_progress",
				"The first request with this Idempotency-Key is still running: send it again in a moment.",
				{ retryAfter: 1 },
			);
		}
		await transaction
			.updateTable("idempotency_keys")
			.set({ created_at: now })
			.where("caller", "=", caller)
			.where("key", "=", key)
			.execute();
		return undefined;
	});
}

/** Says of unfinished requests that they are still being processed. For PostgreSQL, where others ask. */
export async function renewKeys(db: Database, claims: readonly Claim[], now: number): Promise<void> {
	if (claims.length === 0) return;
	const rows = claims.map(({ caller, key }) => [caller, key]);
	// By itself: transactions of this process are one after the other, and that of the request may be the one that takes long.
	await sql`
		update idempotency_keys set created_at = ${now}
		from ${table("running", { caller: "text", key: "text" }, rows)}
		where idempotency_keys.caller = running.caller and idempotency_keys.key = running.key
			and idempotency_keys.status is null`.execute(db.read);
}

export async function keepAnswer(db: Database, { caller, key }: Claim, answer: StoredAnswer): Promise<void> {
	await db.write((transaction) =>
		transaction
			.updateTable("idempotency_keys")
			.set({
				...{ status: answer.status, content_type: answer.contentType, body: answer.body },
				entered: JSON.stringify(answer.entered),
			})
			.where("caller", "=", caller)
			.where("key", "=", key)
			.execute(),
	);
}

export async function forgetKey(db: Database, { caller, key }: Claim): Promise<void> {
	await db.write((transaction) =>
		transaction.deleteFrom("idempotency_keys").where("caller", "=", caller).where("key", "=", key).execute(),
	);
}

/** @returns how many were deleted, at most `limit` */
export async function deleteKeys(db: Database, before: number, limit: number): Promise<number> {
	return await db.write(async (transaction) => {
		const old = transaction
			.selectFrom("idempotency_keys")
			.select(["caller", "key"])
			.where("created_at", "<", before)
			.limit(limit);
		const { numDeletedRows } = await transaction
			.deleteFrom("idempotency_keys")
			.where(({ refTuple, eb }) => eb(refTuple("caller", "key"), "in", old.$asTuple("caller", "key")))
			.executeTakeFirstOrThrow();
		return Number(numDeletedRows);
	});
}
