import type { Kysely, Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { hintOf, KEY_ENDS_SOON_MS } from "../auth/principals/api-key.ts";
import type { MailedUser } from "../mail/user-mails.ts";
import type { ApiKeyRow } from "./queries.ts";
import { keyTarget } from "./to-api-key.ts";

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Milliseconds before a key's end at which its owner and the admins are notified. */
const NOTICES_MS = [KEY_ENDS_SOON_MS, DAY_MS] as const;
/** The notice for keys that are in use and whose whole life is shorter than the time of the first. */
const SHORT_NOTICE_MS = 7 * DAY_MS;
/** A key is in use when it was used so recently. */
const IN_USE_MS = 30 * DAY_MS;
/** Name of the row in `state` with the last notice for each key: row number of the key to the milliseconds of the notice. */
const TOLD = "expiring_api_keys";
/** Keys that one mail lists. */
const MOST_NAMED = 50;

type ExpiringContext = Pick<WritingContext, "auth" | "cluster" | "db" | "log" | "now">;
type Owner = MailedUser & { readonly id: number };

interface ExpiringKey {
	readonly row: ApiKeyRow & { readonly expires_at_ms: number };
	/** The key's owner, or who made it if it is a key of the system; undefined when that account is gone. */
	readonly owner: Owner | undefined;
}

/**
 * Notifies owners and admins of keys that end soon, by mail and in the log, at once and every hour: a sender that uses
 * such a key is refused after its end.
 */
export function notifyOfExpiringKeys(context: ExpiringContext): AsyncDisposable {
	if (!context.auth.enabled) return new AsyncDisposableStack();
	return leasedJob(context, "expiring API keys", EVERY_MS, () => notifyOfExpiringKeysOnce(context));
}

/** One round; each notice is given once, whichever process gives it. */
export async function notifyOfExpiringKeysOnce({ auth, db, log, now }: ExpiringContext): Promise<void> {
	const nowMs = Math.floor(now() / 1_000);
	const { due, admins } = await db.write(async (transaction) => {
		const taken = await takeDue(transaction, nowMs);
		for (const { row } of taken) {
			await auth.audit.recordIn(transaction, {
				action: "api_key.expired_notice",
				outcome: "success",
				target: keyTarget(row),
				details: { expires_at: new Date(row.expires_at_ms).toISOString() },
			});
		}
		return { due: taken, admins: await listAdmins(transaction) };
	});
	if (due.length === 0) return;
	for (const { row } of due) {
		const ends = new Date(row.expires_at_ms).toISOString();
		log.warn({ key: hintOf(row.kind, row.public_id, row.last_characters), ends }, "an API key ends soon");
	}
	const people = new Map<number, Owner>();
	for (const person of [...admins, ...due.flatMap(({ owner }) => owner ?? [])]) people.set(person.id, person);
	const isAdmin = new Set(admins.map(({ id }) => id));
	for (const person of people.values()) {
		const theirs = due.filter(({ owner }) => isAdmin.has(person.id) || owner?.id === person.id);
		auth.userMails.keysExpire(person, theirs.slice(0, MOST_NAMED).map(toMailed), theirs.length);
	}
}

function toMailed({ row, owner }: ExpiringKey) {
	return {
		name: row.name,
		hint: hintOf(row.kind, row.public_id, row.last_characters),
		owner: row.kind === "system" ? null : (owner?.username ?? ""),
		endsAt: new Date(row.expires_at_ms),
	};
}

/**
 * The keys for which a notice is due, and marks it as given. A key whose whole life is shorter than a notice's time
 * gets no such notice, as it was meant to end soon, unless it is in use.
 */
async function takeDue(transaction: Transaction<Tables>, nowMs: number): Promise<ExpiringKey[]> {
	const row = await transaction.selectFrom("state").select("value").where("name", "=", TOLD).executeTakeFirst();
	const before = new Map(Object.entries(row === undefined ? {} : (JSON.parse(row.value) as Record<string, number>)));
	const ending = await listEnding(transaction, nowMs);
	const told = new Map<string, number>();
	const due: ExpiringKey[] = [];
	for (const key of ending) {
		const id = String(key.row.id);
		const life = key.row.expires_at_ms - Math.floor(key.row.created_at / 1_000);
		const left = key.row.expires_at_ms - nowMs;
		const isShort = life <= KEY_ENDS_SOON_MS && isInUse(key.row, nowMs);
		const notices = isShort ? [SHORT_NOTICE_MS, DAY_MS] : NOTICES_MS;
		const notice = notices.findLast((ms) => left <= ms && (life > ms || (ms === SHORT_NOTICE_MS && life > DAY_MS)));
		const last = before.get(id);
		const next = notice === undefined ? last : Math.min(notice, last ?? notice);
		if (next !== undefined) told.set(id, next);
		if (next !== last) due.push(key);
	}
	const value = JSON.stringify(Object.fromEntries(told));
	for (const { row: key } of due) {
		await transaction
			.updateTable("api_keys")
			.set({ expiry_mailed_at: nowMs * 1_000 })
			.where("id", "=", key.id)
			.execute();
	}
	if (value === (row?.value ?? "{}")) return due;
	await transaction
		.insertInto("state")
		.values({ name: TOLD, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
	return due;
}

function isInUse({ last_used_at }: ApiKeyRow, nowMs: number): boolean {
	return last_used_at !== null && last_used_at > (nowMs - IN_USE_MS) * 1_000;
}

/** Keys that end within the time of the first notice, those that end first before others. */
async function listEnding(db: Kysely<Tables>, nowMs: number): Promise<ExpiringKey[]> {
	const rows = await db
		.selectFrom("api_keys")
		.selectAll()
		.where("expires_at_ms", ">", nowMs)
		.where("expires_at_ms", "<=", nowMs + KEY_ENDS_SOON_MS)
		.orderBy("expires_at_ms")
		.orderBy("id")
		.execute();
	const owners = await listUsers(db, [...new Set(rows.flatMap((row) => ownerIdOf(row) ?? []))]);
	return rows.flatMap((row) =>
		row.expires_at_ms === null
			? []
			: [{ row: { ...row, expires_at_ms: row.expires_at_ms }, owner: owners.get(ownerIdOf(row) ?? 0) }],
	);
}

function ownerIdOf({ kind, user_id, created_by }: Pick<ApiKeyRow, "kind" | "user_id" | "created_by">): number | null {
	return kind === "user" ? user_id : created_by;
}

async function listUsers(db: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlyMap<number, Owner>> {
	if (ids.length === 0) return new Map();
	const rows = await db.selectFrom("users").select(["id", "email", "username"]).where("id", "in", ids).execute();
	return new Map(rows.map((user) => [user.id, user]));
}

async function listAdmins(db: Kysely<Tables>): Promise<Owner[]> {
	return await db
		.selectFrom("users")
		.select(["id", "email", "username"])
		.where("role", "=", "ADMIN")
		.orderBy("id")
		.execute();
}
