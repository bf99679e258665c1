import type { Kysely, Selectable, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";
import type { ApiKeyKind, MintedApiKey } from "../auth/principals/api-key.ts";

/** Keys that one user may have, and the system. */
const MAX_KEYS = 1_000;

const COLUMNS = [
	"id",
	"kind",
	"user_id",
	"created_by",
	"public_id",
	"last_characters",
	"name",
	"description",
	"created_at",
	"expires_at_ms",
	"last_used_at",
] as const;

const JOINED = COLUMNS.map((column) => `api_keys.${column}` as const);

/** What is told of a key: everything but the hash of its secret. */
export type ApiKeyRow = Pick<Selectable<Tables["api_keys"]>, (typeof COLUMNS)[number]>;

/** Keys of a user, newest first. */
export async function listUserKeys(db: Kysely<Tables>, userId: number): Promise<ApiKeyRow[]> {
	return await db
		.selectFrom("api_keys")
		.select(COLUMNS)
		.where("kind", "=", "user")
		.where("user_id", "=", userId)
		.orderBy("id", "desc")
		.execute();
}

export type OwnedKeyRow = ApiKeyRow & { readonly username: string; readonly email: string | null };

/** Keys of all users, newest first, from `fromId` downwards. */
export async function listAllUserKeys(
	db: Kysely<Tables>,
	{ limit, fromId }: { limit: number; fromId?: number | undefined },
): Promise<OwnedKeyRow[]> {
	let query = db
		.selectFrom("api_keys")
		.innerJoin("users", "users.id", "api_keys.user_id")
		.select([...JOINED, "users.username", "users.email"])
		.where("kind", "=", "user")
		.orderBy("api_keys.id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("api_keys.id", "<=", fromId);
	return await query.execute();
}

export type SystemKeyRow = ApiKeyRow & { readonly creator: string | null };

/** Keys of the system, newest first. */
export async function listSystemKeys(db: Kysely<Tables>): Promise<SystemKeyRow[]> {
	return await db
		.selectFrom("api_keys")
		.leftJoin("users", "users.id", "api_keys.created_by")
		.select([...JOINED, "users.username as creator"])
		.where("kind", "=", "system")
		.orderBy("api_keys.id", "desc")
		.execute();
}

export interface NewApiKey {
	readonly kind: ApiKeyKind;
	readonly userId: number;
	readonly createdBy: number;
	readonly minted: MintedApiKey;
	readonly name: string;
	readonly description: string | null;
	readonly expiresAtMs: number | null;
	readonly now: number;
}

/** @throws UserError 409 when the owner has as many keys as one may have */
export async function insertKey(transaction: Transaction<Tables>, key: NewApiKey): Promise<ApiKeyRow> {
	const { count } = await transaction
		.selectFrom("api_keys")
		.select((select) => select.fn.countAll<number>().as("count"))
		.where("kind", "=", key.kind)
		.where("user_id", "=", key.userId)
		.executeTakeFirstOrThrow();
	if (count >= MAX_KEYS) {
		throw new UserError(409, "too_many_api_keys", `There are already ${MAX_KEYS} keys: delete unused ones.`);
	}
	return await transaction
		.insertInto("api_keys")
		.values({
			kind: key.kind,
			user_id: key.userId,
			created_by: key.createdBy,
			public_id: key.minted.publicId,
			secret_hash: key.minted.hash,
			last_characters: key.minted.lastCharacters,
			name: key.name,
			description: key.description,
			created_at: key.now,
			expires_at_ms: key.expiresAtMs,
			last_used_at: null,
		})
		.returning(COLUMNS)
		.executeTakeFirstOrThrow();
}

/** The row that was deleted; undefined when there is no such key of this kind, or it is not `ownerId`'s. */
export async function deleteKey(
	transaction: Transaction<Tables>,
	key: { readonly kind: ApiKeyKind; readonly id: number; readonly ownerId?: number },
): Promise<ApiKeyRow | undefined> {
	let query = transaction.deleteFrom("api_keys").where("id", "=", key.id).where("kind", "=", key.kind);
	if (key.ownerId !== undefined) query = query.where("user_id", "=", key.ownerId);
	return await query.returning(COLUMNS).executeTakeFirst();
}
