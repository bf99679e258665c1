import { afterEach, expect, test } from "vitest";
import type { Config } from "../config.ts";
import { openTestApp, type TestApp } from "../test-app.ts";
import { createMissingAccounts } from "./missing-accounts.ts";

const ON = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" };
const ADMINS = [
	{ username: "Ana", email: "ana@example.com" },
	{ username: "Bo", email: "bo@example.com" },
];

let server: TestApp | undefined;
afterEach(() => server?.[Symbol.asyncDispose]());

/** A database as the first start with authentication finds it, and a start on it. */
async function openUnseeded() {
	server = await openTestApp(ON);
	const { context } = server;
	await context.db.write((transaction) => transaction.deleteFrom("users").execute());
	const start = (settings: Partial<Config> = {}) =>
		createMissingAccounts({ ...context, config: { ...context.config, SERVICE_ADMINS: ADMINS, ...settings } });
	const users = () =>
		context.db.read
			.selectFrom("users")
			.select(["username", "role", "auth_method", "password_hash"])
			.orderBy("id")
			.execute();
	return { start, users };
}

test("T017 two processes that start at once on one database make each account once", async () => {
	const { start, users } = await openUnseeded();
	await Promise.all([start(), start(), start()]);
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

test("while passwords are off listed admins sign in elsewhere", async () => {
	const { start, users } = await openUnseeded();
	await start({ SERVICE_DISABLE_BASIC_AUTH: true });
	const [, admin, ...listed] = await users();
	expect(admin).toMatchObject({ username: "admin", auth_method: "LOCAL" });
	expect(listed).toMatchObject([
		{ username: "Ana", auth_method: "OAUTH2", password_hash: null },
		{ username: "Bo", auth_method: "OAUTH2", password_hash: null },
	]);
});

test("the random passwords differ, and nobody's is empty", async () => {
	const { start, users } = await openUnseeded();
	await start();
	const hashes = (await users()).map(({ password_hash }) => password_hash);
	expect(new Set(hashes).size).toBe(4);
	for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$/);
});
