import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestStorage, type TestStorage } from "#test-storage.ts";
import { type AuditEntry, AuditLog } from "./audit.ts";

const MINUTE = 60_000_000;
const START = 1_800_000_000_000_000;
const REQUEST = { ip: "192.0.2.1", id: "request", headers: {} };
const UNKNOWN: AuditEntry = { action: "login", outcome: "failure", code: "invalid_login", request: REQUEST };
const KNOWN: AuditEntry = { ...UNKNOWN, action: "login.locked", outcome: "denied", target: { type: "user", id: 7 } };

let storage: TestStorage;
let audit: AuditLog;
const clock = { now: START };

beforeAll(async () => {
	storage = await openTestStorage();
});
beforeEach(async () => {
	clock.now = START;
	audit = new AuditLog(storage.db, () => clock.now);
	await storage.db.write((transaction) => transaction.deleteFrom("audit_events").execute());
});
afterAll(async () => {
	await storage[Symbol.asyncDispose]();
});

async function entries() {
	return await storage.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute();
}

async function record(entry: AuditEntry, times: number): Promise<void> {
	for (let count = 0; count < times; count++) await audit.record(entry);
}

test("log-ins to accounts that do not exist cannot fill the disk; the first entry after a minute counts those left out", async () => {
	await record(UNKNOWN, 160);
	expect(await entries()).toHaveLength(120);
	clock.now += MINUTE;
	await record(UNKNOWN, 2);
	const [next, last] = (await entries()).slice(120);
	expect(JSON.parse(next?.details ?? "{}")).toEqual({ left_out: 40 });
	expect(last?.details).toBeNull();
});

test("nor can log-ins to an account that is locked", async () => {
	await record(KNOWN, 40);
	expect(await entries()).toHaveLength(30);
});

test("a flood of callbacks without a sign-in hides neither log-ins nor refusals by account", async () => {
	const at = (step: string, by: Record<string, string>) => ({ ...UNKNOWN, details: { ...by, step } });
	await record(at("callback", { provider: "acme" }), 130);
	await record(at("account", { provider: "acme" }), 1);
	await record(at("user_bind", { directory: "ldap" }), 1);
	await record(UNKNOWN, 1);
	expect(await entries()).toHaveLength(123);
});

test("a flood about one account hides neither another account nor what was proved", async () => {
	await record(UNKNOWN, 130);
	await record(KNOWN, 40);
	await record({ ...KNOWN, target: { type: "user", id: 8 } }, 1);
	await record({ action: "password.reset", outcome: "success", target: { type: "user", id: 7 }, request: REQUEST }, 1);
	await record({ action: "session.reuse", outcome: "denied", target: { type: "session", id: 7 }, request: REQUEST }, 1);
	await record({ action: "service.start", outcome: "success" }, 1);
	const actions = (await entries()).slice(150).map(({ action, target_id }) => [action, target_id]);
	expect(actions).toEqual([
		["login.locked", 8],
		["password.reset", 7],
		["session.reuse", 7],
		["service.start", null],
	]);
});
