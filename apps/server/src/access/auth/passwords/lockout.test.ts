import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readConfig } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { table } from "#storage/sql-pieces.ts";
import { openTestStorage, type TestStorage } from "#test-storage.ts";
import { deriveSigningKeys } from "../signing-keys.ts";
import { Lockout, type Realm } from "./lockout.ts";

const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;
const SECRET = "test-secret-0123456789-abcdefghijklmnop";

let storage: TestStorage;
const clock = { now: 0 };
beforeAll(async () => {
	storage = await openTestStorage();
});
beforeEach(async () => {
	clock.now = 1_700_000_000 * SECOND;
	await storage.db.write((transaction) => transaction.deleteFrom("login_attempts").execute());
});
afterAll(async () => {
	await storage[Symbol.asyncDispose]();
});

/** A lockout as a process of its own has it: nothing but the database is shared. */
function createLockout(settings: Readonly<Record<string, string>> = {}) {
	const config = readConfig({ SERVICE_SECRET: SECRET, ...settings });
	const lockout = new Lockout(config, storage.dbOfAnother(), deriveSigningKeys(config), () => clock.now);
	let checks = 0;
	/** `right`, `wrong`, or the seconds to wait while the account is locked. */
	async function attempt(password: "right" | "wrong", account = "ana@example.com", realm: Realm = "local") {
		try {
			const result = await lockout.attempt(realm, account, async () => {
				checks++;
				await sleep(2);
				return password === "right" ? true : undefined;
			});
			return result === undefined ? "wrong" : "right";
		} catch (error) {
			if (!(error instanceof UserError) || error.code !== "login_locked") throw error;
			return error.retryAfter;
		}
	}
	async function fail(times: number) {
		for (let time = 1; time <= times; time++) expect(await attempt("wrong")).toBe("wrong");
	}
	return { lockout, attempt, fail, checks: () => checks };
}

function rows() {
	return storage.db.read.selectFrom("login_attempts").selectAll().execute();
}

test("T005 attempts while locked do not extend the lock, and the count restarts after 300 s", async () => {
	const { attempt, fail, checks } = createLockout();
	await fail(4);
	clock.now += 60 * SECOND;
	await fail(1);
	expect(await attempt("right")).toBe(300);
	clock.now += 299 * SECOND;
	expect(await attempt("right")).toBe(1);
	expect(await attempt("wrong")).toBe(1);
	expect(checks()).toBe(5);
	clock.now += 2 * SECOND;
	await fail(4);
	expect(await attempt("right")).toBe("right");
	expect(await rows()).toEqual([]);
});

test("T004 of 60 simultaneous guesses five are checked, and the account is locked", async () => {
	const { attempt, checks } = createLockout();
	const answers = await Promise.all(Array.from({ length: 60 }, () => attempt("wrong")));
	expect(answers.filter((answer) => answer === "wrong")).toHaveLength(5);
	expect(checks()).toBe(5);
	expect(await attempt("right")).toBe(300);
});

test("T004 of 60 simultaneous guesses in two processes five are checked", async () => {
	const [one, other] = [createLockout(), createLockout()];
	await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? one : other).attempt("wrong")));
	expect(one.checks() + other.checks()).toBe(5);
});

test("ten right log-ins at once all succeed", async () => {
	const { attempt, fail } = createLockout();
	await fail(4);
	expect(await Promise.all(Array.from({ length: 10 }, () => attempt("right")))).toEqual(Array(10).fill("right"));
	expect(await rows()).toEqual([]);
});

test("failures count for 24 hours, and a success clears them", async () => {
	const { attempt, fail } = createLockout();
	await fail(4);
	clock.now += 23 * HOUR;
	await fail(1);
	expect(await attempt("right")).toBe(300);
	clock.now += HOUR;
	await fail(4);
	expect(await attempt("right")).toBe("right");
	await fail(4);
	clock.now += 24 * HOUR;
	await fail(4);
});

test("T021 a directory's name and an email that read alike are counted apart", async () => {
	const { attempt } = createLockout();
	for (let time = 1; time <= 5; time++) await attempt("wrong", "bob@example.com", "ldap");
	expect(await attempt("right", "bob@example.com", "ldap")).toBe(300);
	for (let time = 1; time <= 4; time++) expect(await attempt("wrong", "bob@example.com")).toBe("wrong");
	expect(await attempt("right", "bob@example.com")).toBe("right");
	expect(await attempt("right", "bob@example.com", "ldap")).toBe(300);
});

test("a check that ended with its process counts as failed after 30 s", async () => {
	const { attempt, fail } = createLockout();
	await fail(3);
	await storage.db.write((transaction) =>
		transaction.updateTable("login_attempts").set({ pending: 1, pending_since: clock.now }).execute(),
	);
	clock.now += 31 * SECOND;
	await fail(1);
	expect(await attempt("right")).toBe(300);
});

test("a check that takes longer than that is counted once", async () => {
	const { lockout, fail, attempt } = createLockout();
	await fail(3);
	await lockout.attempt("local", "ana@example.com", async () => {
		clock.now += 31 * SECOND;
		await attempt("wrong", "somebody@example.com");
		return undefined;
	});
	expect((await rows()).map(({ failures, pending }) => failures + pending).sort()).toEqual([1, 4]);
});

test("a check that cannot answer gives its slot back", async () => {
	const { lockout, fail, attempt } = createLockout();
	await fail(4);
	const isDown = new Error("the directory is down");
	for (let time = 1; time <= 6; time++) {
		await expect(lockout.attempt("local", "ana@example.com", () => Promise.reject(isDown))).rejects.toBe(isDown);
	}
	expect(await attempt("right")).toBe("right");
});

test("T022 the table is bounded, and keeps no name that was typed", async () => {
	const { attempt } = createLockout();
	const attempts = Array.from({ length: 100_000 }, (_, index) => [
		Buffer.from(`account ${index}`).toString("hex"),
		clock.now - 100_000 + index,
	]);
	await storage.db.write((transaction) =>
		sql`insert into login_attempts (account, failures, pending, last_failure_at)
			select account, 1, 0, at from ${table("typed", { account: "bytea", at: "bigint" }, attempts)}`.execute(
			transaction,
		),
	);
	await attempt("wrong", "my-password-typed-as-a-name");
	const kept = await rows();
	expect(kept.length).toBeLessThanOrEqual(50_001);
	expect(kept.some(({ account }) => Buffer.from(account).toString() === "account 99999")).toBe(true);
	expect(kept.some(({ account }) => Buffer.from(account).toString().includes("password"))).toBe(false);
});

test("T022 rows that no longer count are pruned", async () => {
	const { attempt } = createLockout();
	for (let account = 1; account <= 20; account++) await attempt("wrong", `${account}@example.com`);
	expect(await rows()).toHaveLength(20);
	clock.now += 25 * HOUR;
	await createLockout().attempt("wrong");
	expect(await rows()).toHaveLength(1);
});

test("a clock that is put back by hours locks nobody for hours", async () => {
	const { attempt, fail } = createLockout();
	await fail(5);
	clock.now -= 10 * HOUR;
	expect(await attempt("right")).toBe("right");
});

test("the settings say how many failures lock, and whether any do", async () => {
	const one = createLockout({ SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: "1" });
	await one.fail(1);
	expect(await one.attempt("right")).toBe(300);
	const off = createLockout({ SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: "true" });
	await off.fail(20);
	expect(await off.attempt("right")).toBe("right");
});

test("another password lifts the lock", async () => {
	const { lockout, fail, attempt } = createLockout();
	await fail(5);
	await storage.db.write((transaction) => lockout.clear(transaction, "local", "ana@example.com"));
	expect(await attempt("right")).toBe("right");
});
