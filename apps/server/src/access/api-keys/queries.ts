import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { UserRole } from "#base/roles.ts";
import type { KeyPermission } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import type { ApiKeyKind, MintedApiKey } from "../auth/principals/api-key.ts";

/** Keys that one user may have, and the system. */
const MAX_KEYS = 1_000;
const DAY_MICROS = 86_400_000_000;

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
	"permissions",
	"has_homes",
	"include_library",
	"ip_ranges",
	"allowed_origins",
	"requests_per_minute",
	"spans_per_day",
	"replaces",
	"last_used_ip",
	"last_refused_at",
	"last_refused_code",
] as const;

const JOINED = COLUMNS.map((column) => `api_keys.${column}` as const);

/** What is told of a key: everything but the hash of its secret. */
export type ApiKeyRow = Pick<Selectable<Tables["api_keys"]>, (typeof COLUMNS)[number]>;

/** With what other tables have of it. */
export interface ListedKeyRow extends ApiKeyRow {
	/** Null where the key is not limited to projects. */
	readonly projects: readonly { readonly id: number; readonly name: string }[] | null;
	/** The key that a rotation put in its place. */
	readonly replaced_by: number | null;
	/** Null for none, or where they are not counted. */
	readonly spans_today: number | null;
}

export interface OwnedKeyRow extends ListedKeyRow {
	readonly username: string;
	readonly email: string | null;
	readonly role: UserRole;
}
export type SystemKeyRow = ListedKeyRow & { readonly creator: string | null };

/** What a list has, and in which order. */
export interface KeyListing {
	readonly sort: "created_at" | "last_used_at";
	readonly order: "asc" | "desc";
	/** Only keys made, and used if ever, more than so many days ago. */
	readonly unused_days?: number | undefined;
	/** Microseconds since 1970 */
	readonly now: number;
}

function selectKeys(db: Kysely<Tables>, now: number) {
	const today = Math.floor(now / DAY_MICROS);
	return db
		.selectFrom("api_keys")
		.leftJoin("api_keys as successor", "successor.replaces", "api_keys.id")
		.leftJoin("api_key_days as today", (join) =>
			join.onRef("today.key_id", "=", "api_keys.id").on("today.day", "=", today),
		)
		.select([...JOINED, "successor.id as replaced_by", "today.spans as spans_today"]);
}

/** Adds the names of projects. */
async function withProjects<Row extends ApiKeyRow>(
	db: Kysely<Tables>,
	rows: readonly Row[],
): Promise<(Row & Pick<ListedKeyRow, "projects">)[]> {
	const ids = rows.filter(({ has_homes }) => has_homes === 1).map(({ id }) => id);
	const homes =
		ids.length === 0
			? []
			: await db
					.selectFrom("api_key_projects")
					.innerJoin("projects", "projects.id", "api_key_projects.project_id")
					.select(["key_id", "projects.id", "projects.name"])
					.where("key_id", "in", ids)
					.orderBy("projects.name")
					.execute();
	const byKey = Map.groupBy(homes, ({ key_id }) => key_id);
	return rows.map((row) => ({ ...row, projects: row.has_homes === 1 ? (byKey.get(row.id) ?? []) : null }));
}

/** Keys never used come before, or last in descending order. */
const lastUse = sql<number>`coalesce(api_keys.last_used_at, 0)`;

function unusedBefore(time: number) {
	return (where: ExpressionBuilder<Tables, "api_keys">) =>
		where(sql<number>`coalesce(api_keys.last_used_at, api_keys.created_at)`, "<", time);
}

function sortExpression(sort: KeyListing["sort"]) {
	return sort === "last_used_at" ? lastUse : sql<number>`api_keys.created_at`;
}

function unusedSince({ unused_days, now }: KeyListing): number | undefined {
	return unused_days === undefined ? undefined : now - unused_days * DAY_MICROS;
}

/** Keys of a user. */
export async function listUserKeys(db: Kysely<Tables>, userId: number, listing: KeyListing): Promise<ListedKeyRow[]> {
	const since = unusedSince(listing);
	let query = selectKeys(db, listing.now)
		.where("api_keys.kind", "=", "user")
		.where("api_keys.user_id", "=", userId)
		.orderBy(sortExpression(listing.sort), listing.order)
		.orderBy("api_keys.id", listing.order);
	if (since !== undefined) query = query.where(unusedBefore(since));
	return await withProjects(db, await query.execute());
}

/** A page of the keys of all users, with its position by what the list is sorted by. */
export async function listAllUserKeys(
	db: Kysely<Tables>,
	{
		limit,
		fromId,
		after,
		...listing
	}: KeyListing & {
		readonly limit: number;
		/** Of lists by id, descending: the first of the page. */
		readonly fromId?: number | undefined;
		readonly after?: { readonly value: number; readonly id: number } | undefined;
	},
): Promise<(OwnedKeyRow & { readonly position: number })[]> {
	const sorted = sortExpression(listing.sort);
	const since = unusedSince(listing);
	let query = selectKeys(db, listing.now)
		.innerJoin("users", "users.id", "api_keys.user_id")
		.select(["users.username", "users.email", "users.role", sorted.as("position")])
		.where("api_keys.kind", "=", "user")
		.limit(limit);
	if (since !== undefined) query = query.where(unusedBefore(since));
	if (fromId !== undefined) query = query.where("api_keys.id", "<=", fromId);
	if (after !== undefined) {
		const compare = sql.raw(listing.order === "asc" ? ">" : "<");
		query = query.where(sql<boolean>`(${sorted}, api_keys.id) ${compare} (${after.value}, ${after.id})`);
	}
	// Ids grow with the time of creation.
	if (listing.sort === "last_used_at") query = query.orderBy(sorted, listing.order);
	return await withProjects(db, await query.orderBy("api_keys.id", listing.order).execute());
}

/** Keys of the system. */
export async function listSystemKeys(db: Kysely<Tables>, listing: KeyListing): Promise<SystemKeyRow[]> {
	const since = unusedSince(listing);
	let query = selectKeys(db, listing.now)
		.leftJoin("users", "users.id", "api_keys.created_by")
		.select("users.username as creator")
		.where("api_keys.kind", "=", "system")
		.orderBy(sortExpression(listing.sort), listing.order)
		.orderBy("api_keys.id", listing.order);
	if (since !== undefined) query = query.where(unusedBefore(since));
	return await withProjects(db, await query.execute());
}

/** Which key, of this kind and, if it is given, of this owner. */
export interface NamedKey {
	readonly kind: ApiKeyKind;
	readonly id: number;
	readonly ownerId?: number | undefined;
}

/** With who made it. */
export async function findListedKey(
	db: Kysely<Tables>,
	{ kind, id, ownerId }: NamedKey,
	now: number,
): Promise<SystemKeyRow | undefined> {
	let query = selectKeys(db, now)
		.leftJoin("users", "users.id", "api_keys.created_by")
		.select("users.username as creator")
		.where("api_keys.id", "=", id)
		.where("api_keys.kind", "=", kind);
	if (ownerId !== undefined) query = query.where("api_keys.user_id", "=", ownerId);
	const [row] = await withProjects(db, await query.execute());
	return row;
}

/** What a key may less than its owner; null limits nothing. */
export interface StoredLimits {
	readonly permissions: readonly KeyPermission[] | null;
	/** Row numbers */
	readonly projectIds: readonly number[] | null;
	readonly includeLibrary: boolean;
	readonly ipRanges: readonly string[] | null;
	readonly allowedOrigins: readonly string[] | null;
	readonly requestsPerMinute: number | null;
	readonly spansPerDay: number | null;
}

export interface NewApiKey {
	readonly kind: ApiKeyKind;
	readonly userId: number;
	readonly createdBy: number;
	readonly minted: MintedApiKey;
	readonly name: string;
	readonly description: string | null;
	readonly expiresAtMs: number | null;
	readonly limits: StoredLimits;
	/** The key in whose place this one is put. */
	readonly replaces: number | null;
	readonly now: number;
}

/**
 * @returns its row number
 * @throws UserError 409 when the owner has as many keys as one may have
 */
export async function insertKey(transaction: Transaction<Tables>, key: NewApiKey): Promise<number> {
	const { count } = await transaction
		.selectFrom("api_keys")
		.select((select) => select.fn.countAll<number>().as("count"))
		.where("kind", "=", key.kind)
		.where("user_id", "=", key.userId)
		.executeTakeFirstOrThrow();
	if (count >= MAX_KEYS) {
		throw new UserError(409, "too_many_api_keys", `There are already ${MAX_KEYS} keys: delete unused ones.`);
	}
	const { id } = await transaction
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
			replaces: key.replaces,
			...toColumns(key.limits),
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	await insertKeyProjects(transaction, id, key.limits.projectIds ?? []);
	return id;
}

/** Changes a key; its projects only become fewer. */
export async function updateKey(
	transaction: Transaction<Tables>,
	id: number,
	{ name, description, expiresAtMs, limits }: Pick<NewApiKey, "name" | "description" | "expiresAtMs" | "limits">,
): Promise<void> {
	await transaction
		.updateTable("api_keys")
		.set({ name, description, expires_at_ms: expiresAtMs, ...toColumns(limits) })
		.where("id", "=", id)
		.execute();
	await transaction.deleteFrom("api_key_projects").where("key_id", "=", id).execute();
	await insertKeyProjects(transaction, id, limits.projectIds ?? []);
}

async function insertKeyProjects(
	transaction: Transaction<Tables>,
	keyId: number,
	projectIds: readonly number[],
): Promise<void> {
	if (projectIds.length === 0) return;
	await transaction
		.insertInto("api_key_projects")
		.values(projectIds.map((project_id) => ({ key_id: keyId, project_id })))
		.execute();
}

/** Ends a key at this moment, milliseconds since 1970, unless it ends earlier. */
export async function endKey(transaction: Transaction<Tables>, id: number, atMs: number): Promise<void> {
	await transaction
		.updateTable("api_keys")
		.set({ expires_at_ms: atMs })
		.where("id", "=", id)
		.where((where) => where.or([where("expires_at_ms", "is", null), where("expires_at_ms", ">", atMs)]))
		.execute();
}

function toColumns(limits: StoredLimits) {
	const toJson = (list: readonly string[] | null) => (list === null ? null : JSON.stringify(list));
	return {
		permissions: toJson(limits.permissions),
		has_homes: limits.projectIds === null ? 0 : 1,
		include_library: limits.includeLibrary ? 1 : 0,
		ip_ranges: toJson(limits.ipRanges),
		allowed_origins: toJson(limits.allowedOrigins),
		requests_per_minute: limits.requestsPerMinute,
		spans_per_day: limits.spansPerDay,
	} as const;
}

/** The row that was deleted; undefined when there is no such key. @param now microseconds since 1970 */
export async function deleteKey(
	transaction: Transaction<Tables>,
	key: NamedKey,
	now: number,
): Promise<ApiKeyRow | undefined> {
	let query = transaction.deleteFrom("api_keys").where("id", "=", key.id).where("kind", "=", key.kind);
	if (key.ownerId !== undefined) query = query.where("user_id", "=", key.ownerId);
	const deleted = await query.returning(COLUMNS).executeTakeFirst();
	if (deleted !== undefined) await keepKeyNames(transaction, [deleted], now);
	return deleted;
}

/** Notes what keys of a user are called that are deleted with it. @param now microseconds since 1970 */
export async function keepKeyNamesOf(transaction: Transaction<Tables>, userId: number, now: number): Promise<void> {
	const keys = await transaction
		.selectFrom("api_keys")
		.select(["id", "kind", "name", "last_characters"])
		.where("user_id", "=", userId)
		.execute();
	await keepKeyNames(transaction, keys, now);
}

/** What was spent with keys stays, and is to be told with their names. */
async function keepKeyNames(
	transaction: Transaction<Tables>,
	keys: readonly Pick<ApiKeyRow, "id" | "kind" | "name" | "last_characters">[],
	now: number,
): Promise<void> {
	if (keys.length === 0) return;
	await transaction
		.insertInto("spend_api_keys")
		.values(keys.map(({ id, kind, name, last_characters }) => ({ id, kind, name, last_characters, deleted_at: now })))
		.execute();
}

/** Days that a key may last; null without a limit. */
export async function readMaxKeyDays(db: Kysely<Tables>): Promise<number | null> {
	const row = await db.selectFrom("access_policy").select("max_key_days").executeTakeFirst();
	return row?.max_key_days ?? null;
}
