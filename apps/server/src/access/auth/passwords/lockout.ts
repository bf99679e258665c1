import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Selectable, Transaction } from "kysely";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { SigningKeys } from "../signing-keys.ts";

/**
 * Whose passwords are checked. Each realm counts by itself: a name in one is not the account of the same name in the
 * other.
 */
export type Realm = "local" | "ldap";

type Settings = Pick<
	Config,
	"SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS" | "SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION"
>;
type Attempts = Omit<Selectable<Tables["login_attempts"]>, "account">;

const SECOND = 1_000_000;
const LOCKED_FOR = 300 * SECOND;
const FAILURES_KEPT_FOR = 24 * 3_600 * SECOND;
/** A check that takes longer died with its process, and counts as failed. */
const PENDING_FOR = 30 * SECOND;
const WAIT_FOR_PENDING_MS = 5_000;
const WAIT_AT_ONCE_MS = 1_000;
const POLL_MS = 40;
/** Bounded, as guesses of names that nobody has must not fill the disk. */
const MAX_ACCOUNTS = 50_000;
const PRUNE_EVERY = 256;

const NONE: Attempts = { failures: 0, pending: 0, pending_since: null, last_failure_at: null };

/**
 * Locks an account for 5 minutes after too many wrong passwords. Counts in the database, by a keyed hash of the account,
 * whether it exists or not: all processes share it, it outlives a restart and tells nobody what was typed.
 */
export class Lockout {
	readonly #max: number;
	readonly #off: boolean;
	readonly #db: Database;
	readonly #keys: SigningKeys | undefined;
	readonly #now: () => number;
	/** By account: polls of its row that run now. */
	readonly #waiting = new Map<string, Promise<void>>();
	#sincePruned = PRUNE_EVERY;

	constructor(config: Settings, db: Database, keys: SigningKeys | undefined, now: () => number) {
		this.#max = config.SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS;
		this.#off = config.SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION;
		this.#db = db;
		this.#keys = keys;
		this.#now = now;
	}

	/**
	 * Runs `check`, which answers undefined for a wrong password. The attempt takes one of the account's slots before
	 * it runs, so that parallel guesses never check more passwords than the limit. A success gives back every slot; a
	 * `check` that throws gives back its own.
	 * @param account in the form in which it is compared: a canonical email, or a folded LDAP name
	 * @throws UserError 429 while the account is locked, without running `check`
	 */
	async attempt<T>(realm: Realm, account: string, check: () => Promise<T | undefined>): Promise<T | undefined> {
		if (this.#off) return check();
		const key = this.#keyOf(realm, account);
		await this.#reserve(key);
		let result: T | undefined;
		try {
			result = await check();
		} catch (error) {
			await this.#settle(key, "void");
			throw error;
		}
		await this.#settle(key, result === undefined ? "failed" : "succeeded");
		return result;
	}

	/** Forgets the failures of an account, in the transaction that gives it another password. */
	async clear(transaction: Transaction<Tables>, realm: Realm, account: string): Promise<void> {
		if (this.#off) return;
		await transaction.deleteFrom("login_attempts").where("account", "=", this.#keyOf(realm, account)).execute();
	}

	async #reserve(key: Uint8Array): Promise<void> {
		const deadline = performance.now() + WAIT_FOR_PENDING_MS;
		for (;;) {
			const state = await this.#db.write((transaction) => this.#takeSlot(transaction, key));
			if (state.taken) return;
			if (state.lockedUntil !== undefined) throw locked(state.lockedUntil - this.#now());
			// Others are checking a password of this account: if they fail it is locked, else there is room.
			if (performance.now() > deadline) throw locked(SECOND);
			await this.#untilSettled(key);
		}
	}

	/** Resolves when there may be room, or after some time; all who wait for an account share one poll of its row. */
	async #untilSettled(key: Uint8Array): Promise<void> {
		const account = Buffer.from(key).toString("base64");
		const waiting = this.#waiting.get(account) ?? this.#poll(key).finally(() => this.#waiting.delete(account));
		this.#waiting.set(account, waiting);
		await waiting;
	}

	async #poll(key: Uint8Array): Promise<void> {
		const end = performance.now() + WAIT_AT_ONCE_MS;
		do await sleep(POLL_MS);
		while (performance.now() < end && !(await this.#hasSettled(key)));
	}

	async #takeSlot(
		transaction: Transaction<Tables>,
		key: Uint8Array,
	): Promise<{ readonly taken: boolean; readonly lockedUntil?: number }> {
		const now = this.#now();
		await this.#prune(transaction, now);
		const stored = await findAttempts(transaction, key);
		const attempts = settleOverdue(stored ?? NONE, now, this.#max);
		if (attempts.failures >= this.#max) {
			if (stored?.pending !== attempts.pending) await store(transaction, key, attempts);
			return { taken: false, lockedUntil: (attempts.last_failure_at ?? now) + LOCKED_FOR };
		}
		if (attempts.failures + attempts.pending >= this.#max) return { taken: false };
		await store(transaction, key, { ...attempts, pending: attempts.pending + 1, pending_since: now });
		return { taken: true };
	}

	async #hasSettled(key: Uint8Array): Promise<boolean> {
		const stored = await findAttempts(this.#db.read, key);
		const attempts = settleOverdue(stored ?? NONE, this.#now(), this.#max);
		return attempts.failures >= this.#max || attempts.failures + attempts.pending < this.#max;
	}

	async #settle(key: Uint8Array, outcome: "failed" | "succeeded" | "void"): Promise<void> {
		await this.#db.write(async (transaction) => {
			const attempts = (await findAttempts(transaction, key)) ?? NONE;
			// None is pending when this check took so long that it has been counted as failed, or was forgotten meanwhile.
			const pending = Math.max(0, attempts.pending - 1);
			const counts = outcome === "failed" && attempts.pending > 0;
			const failures = outcome === "succeeded" ? 0 : attempts.failures + (counts ? 1 : 0);
			await store(transaction, key, {
				failures,
				pending,
				pending_since: pending === 0 ? null : attempts.pending_since,
				last_failure_at: failures === 0 ? null : counts ? this.#now() : attempts.last_failure_at,
			});
		});
	}

	/** Forgets rows that no longer count, and the oldest beyond the bound. */
	async #prune(transaction: Transaction<Tables>, now: number): Promise<void> {
		if (++this.#sincePruned < PRUNE_EVERY) return;
		this.#sincePruned = 0;
		const time = transaction.fn.coalesce("last_failure_at", "pending_since");
		await transaction
			.deleteFrom("login_attempts")
			.where(time, "<", now - FAILURES_KEPT_FOR)
			.execute();
		const { rows } = await transaction
			.selectFrom("login_attempts")
			.select(({ fn }) => fn.countAll<number>().as("rows"))
			.executeTakeFirstOrThrow();
		if (rows <= MAX_ACCOUNTS) return;
		await transaction
			.deleteFrom("login_attempts")
			.where("account", "in", (select) =>
				select
					.selectFrom("login_attempts")
					.select("account")
					.orderBy(time)
					.limit(rows - MAX_ACCOUNTS),
			)
			.execute();
	}

	#keyOf(realm: Realm, account: string): Uint8Array {
		if (this.#keys === undefined) throw new Error("log-ins are counted only where SERVICE_SECRET is set");
		return createHmac("sha256", this.#keys.current("lockout")).update(`${realm}\0${account}`).digest();
	}
}

/** What counts now: checks that never ended have failed, a lock that is over and failures of long ago are forgotten. */
function settleOverdue(attempts: Attempts, now: number, max: number): Attempts {
	let { failures, pending, pending_since, last_failure_at } = attempts;
	// In both directions: a clock that was put back must not lock anybody for longer.
	const isOver = (since: number | null, micros: number) => since !== null && Math.abs(now - since) >= micros;
	if (pending_since !== null && isOver(pending_since, PENDING_FOR)) {
		failures += pending;
		last_failure_at = Math.max(last_failure_at ?? 0, pending_since);
		pending = 0;
		pending_since = null;
	}
	const keptFor = failures >= max ? LOCKED_FOR : FAILURES_KEPT_FOR;
	if (isOver(last_failure_at, keptFor)) {
		failures = 0;
		last_failure_at = null;
	}
	return { failures, pending, pending_since, last_failure_at };
}

async function findAttempts(
	db: Pick<Transaction<Tables>, "selectFrom">,
	account: Uint8Array,
): Promise<Attempts | undefined> {
	return await db
		.selectFrom("login_attempts")
		.select(["failures", "pending", "pending_since", "last_failure_at"])
		.where("account", "=", account)
		.executeTakeFirst();
}

async function store(transaction: Transaction<Tables>, account: Uint8Array, attempts: Attempts): Promise<void> {
	if (attempts.failures === 0 && attempts.pending === 0) {
		await transaction.deleteFrom("login_attempts").where("account", "=", account).execute();
		return;
	}
	await transaction
		.insertInto("login_attempts")
		.values({ account, ...attempts })
		.onConflict((conflict) => conflict.column("account").doUpdateSet(attempts))
		.execute();
}

function locked(micros: number): UserError {
	return new UserError(429, "login_locked", "Too many failed attempts: this account is locked for a while.", {
		retryAfter: Math.max(1, Math.ceil(micros / SECOND)),
	});
}
