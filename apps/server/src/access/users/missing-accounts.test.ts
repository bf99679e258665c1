import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import type { Config } from "#base/config.ts";
import { SecretText } from "#base/secret-text.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import { openContext } from "#server.ts";
import { openStorage } from "#storage/open-storage.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { testProvider } from "../oauth2/test-provider.ts";
import { createMissingAccounts } from "./missing-accounts.ts";

const ON = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" };
const ADMINS = [
	{ username: "Ana", email: "ana@example.com" },
	{ username: "Bo", email: "bo@example.com" },
];

let server: TestApp | undefined;
afterEach(() => server?.[Symbol.asyncDispose]());

/** A database as the first start with authentication finds it, and a function that starts on it. */
async function openUnseeded() {
	server = await openTestApp(ON);
	const { context } = server;
	await context.db.write((transaction) => transaction.deleteFrom("users").execute());
	const written: string[] = [];
	const log = pino({}, { write: (line) => written.push(line) });
	const start = (settings: Partial<Config> = {}, db = context.db) =>
		createMissingAccounts({ ...context, db, log, config: { ...context.config, SERVICE_ADMINS: ADMINS, ...settings } });
	const users = () =>
		context.db.read
			.selectFrom("users")
			.select(["username", "role", "auth_method", "password_hash"])
			.orderBy("id")
			.execute();
	return { context, start, users, lines: () => written };
}

test("T017 two processes that start at the same time on one database make each account once", async () => {
	const { context, start, users } = await openUnseeded();
	// A SQLite file has one process only.
	const { isShared } = context.db;
	await using other = isShared ? await openStorage(context.config, postgresSettings(context.config)) : undefined;
	await Promise.all([start(), start({}, other?.db), start(), start({}, other?.db)]);
	expect((await users()).map(({ username, role }) => [username, role])).toEqual([
		["system", "SYSTEM"],
		["admin", "ADMIN"],
		["Ana", "ADMIN"],
		["Bo", "ADMIN"],
	]);
	const before = await users();
	await start();
	expect(await users()).toEqual(before);
});

test("a second process with another SERVICE_SECRET does not start on the database", async () => {
	const { context } = await openUnseeded();
	if (!context.db.isShared) return;
	const config = { ...context.config, SERVICE_SECRET: new SecretText("other-secret-0123456789-abcdefghijklmnop") };
	await expect(openContext(config, pino({ level: "silent" }))).rejects.toThrow(/SERVICE_SECRET/);
	await using _same = await openContext(context.config, pino({ level: "silent" }));
});

test.for([
	["OAUTH2", { SERVICE_LDAP_HOST: [], OAUTH2_PROVIDERS: [testProvider()] }],
	["LDAP", { SERVICE_LDAP_HOST: ["ldap.example"], OAUTH2_PROVIDERS: [] }],
	["OAUTH2", { SERVICE_LDAP_HOST: ["ldap.example"], OAUTH2_PROVIDERS: [testProvider()] }],
] as const)("while passwords are off listed admins are users of %s with %j", async ([method, ways]) => {
	const { start, users } = await openUnseeded();
	await start({ SERVICE_DISABLE_BASIC_AUTH: true, ...ways });
	const [, admin, ...listed] = await users();
	expect(admin).toMatchObject({ username: "admin", auth_method: "LOCAL" });
	expect(listed).toMatchObject([
		{ username: "Ana", auth_method: method, password_hash: null },
		{ username: "Bo", auth_method: method, password_hash: null },
	]);
});

test("a start without passwords warns when no admin can log in otherwise", async () => {
	const { start, lines } = await openUnseeded();
	const settings = { SERVICE_DISABLE_BASIC_AUTH: true, OAUTH2_PROVIDERS: [testProvider()] };
	const warned = () => lines().filter((line) => line.includes('"level":40'));
	await start({ ...settings, SERVICE_ADMINS: [] });
	expect(warned()).toEqual([expect.stringContaining("SERVICE_ADMINS")]);
	await start(settings);
	expect(warned()).toHaveLength(1);
	expect(lines().at(-1)).toContain("have not yet logged in");
});

test("the random passwords differ, and nobody's is empty", async () => {
	const { start, users } = await openUnseeded();
	await start();
	const hashes = (await users()).map(({ password_hash }) => password_hash);
	expect(new Set(hashes).size).toBe(4);
	for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$/);
});
