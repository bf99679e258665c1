import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { TestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { createTestPlace, type TestPlace } from "#test-storage.ts";
import { type Accounts, openAccounts, providerSettings } from "./test-log-ins.ts";

const ADMIN = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };
const NO_DIRECTORY = {
	SERVICE_LDAP_HOST: "",
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: "",
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: "",
	SERVICE_LDAP_ATTR_EMAIL: "",
	SERVICE_LDAP_ATTR_UNIQUE_ID: "",
};
const NO_PASSWORDS = { SERVICE_DISABLE_BASIC_AUTH: "true" };

let place: TestPlace;
beforeEach(async () => {
	place = await createTestPlace();
});
afterEach(() => place[Symbol.asyncDispose]());

/** A server on the database of this test, with other settings at each start. */
async function start(settings: Readonly<Record<string, string>> = {}): Promise<Accounts> {
	return await openAccounts({ ...place.settings, ...settings });
}

test("sessions of a way to log in that is not in the settings any more end at the start, and no others", async () => {
	const headers = await (async () => {
		await using accounts = await start(providerSettings("old"));
		return {
			local: (await accounts.server.signedIn("MEMBER")).headers,
			key: (await accounts.server.signedIn("MEMBER", "key")).headers,
			acme: (await accounts.logIn(accounts.oauth2("acme"))).headers,
			old: (await accounts.logIn(accounts.oauth2("old", { email: "b@example.com" }))).headers,
			ldap: (await accounts.logIn(accounts.ldap({ emails: ["c@example.com"] }))).headers,
		};
	})();
	const alive = async ({ server }: Accounts) => {
		const names = Object.entries(headers);
		const answers = await Promise.all(names.map(([, sent]) => server.get("/v1/user", sent)));
		return names.filter((_, index) => answers[index]?.status === 200).map(([name]) => name);
	};
	const settings = [{}, NO_DIRECTORY, NO_PASSWORDS] as const;
	const found: string[][] = [];
	for (const changed of settings) {
		await using accounts = await start(changed);
		found.push(await alive(accounts));
	}
	expect(found).toEqual([
		["local", "key", "acme", "ldap"],
		["local", "key", "acme"],
		["key", "acme"],
	]);
	await using accounts = await start(providerSettings("old"));
	expect(await alive(accounts)).toEqual(["key", "acme"]);
});

describe("the last admin who can log in", () => {
	async function demote({ server }: Accounts, userId: number): Promise<number> {
		return (await server.call("PATCH", `/v1/users/${encodeGlobalId("User", userId)}`, { role: "VIEWER" }, ADMIN))
			.status;
	}

	test("may be deleted when another is bound to a provider or directory that is configured", async () => {
		await using accounts = await start(NO_PASSWORDS);
		const role = { forNew: "ADMIN", forExisting: undefined } as const;
		const { user: first } = await accounts.logIn(accounts.oauth2("acme", { role }));
		expect(await demote(accounts, first.id)).toBe(409);
		await accounts.insert({ username: "Waiting", login: { method: "OAUTH2" }, role: "ADMIN" });
		await accounts.insert({ username: "Waits", login: { method: "LDAP" }, role: "ADMIN" });
		await accounts.server.signedIn("ADMIN", "key");
		expect(await demote(accounts, first.id)).toBe(409);
		await accounts.logIn(accounts.ldap({ emails: ["b@example.com"], role: "ADMIN" }));
		expect(await demote(accounts, first.id)).toBe(200);
	});

	test("may not be deleted when the provider of the other is gone", async () => {
		const [first, second] = await (async () => {
			await using accounts = await start(providerSettings("old"));
			const role = { forNew: "ADMIN", forExisting: undefined } as const;
			const one = await accounts.logIn(accounts.oauth2("acme", { role }));
			const other = await accounts.logIn(accounts.oauth2("old", { role, email: "b@example.com" }));
			return [one.user.id, other.user.id];
		})();
		await using accounts = await start(NO_PASSWORDS);
		expect(await demote(accounts, first)).toBe(409);
		expect(await demote(accounts, second)).toBe(200);
	});

	test("may lose the binding: whoever has the email logs in again", async () => {
		await using accounts = await start(NO_PASSWORDS);
		const role = { forNew: "ADMIN", forExisting: undefined } as const;
		const { user } = await accounts.logIn(accounts.oauth2("acme", { role }));
		const path = `/v1/users/${encodeGlobalId("User", user.id)}/binding`;
		expect((await accounts.server.call("DELETE", path, undefined, ADMIN)).status).toBe(200);
		const again = await accounts.logIn(accounts.oauth2("acme", { issuer: "https://moved.example", subject: "x" }));
		expect(again.user).toMatchObject({ id: user.id, role: "ADMIN" });
	});
});

describe("while passwords are off", () => {
	let server: TestApp;
	let accounts: Accounts;
	beforeEach(async () => {
		accounts = await start(NO_PASSWORDS);
		server = accounts.server;
	});
	afterEach(() => accounts[Symbol.asyncDispose]());

	test("every way to a password is closed, with a code of its own", async () => {
		const { headers } = await accounts.logIn(accounts.oauth2("acme"));
		const wire = { accept: "application/problem+json" };
		const user = { auth_method: "LOCAL", email: "l@example.com", username: "L", role: "MEMBER" };
		const { data } = (await server.get("/v1/users", ADMIN)).json;
		const local = data.find(({ auth_method }: { auth_method: string }) => auth_method === "LOCAL");
		const answers = [
			await server.call("POST", "/auth/login", { email: "admin@localhost", password: "admin" }, wire),
			await server.call("POST", "/auth/password-reset-email", { email: "admin@localhost" }, wire),
			await server.call("POST", "/auth/password-reset", { token: "any", password: "any-password" }, wire),
			await server.call("POST", "/v1/users", { user }, { ...ADMIN, ...wire }),
			await server.call("PATCH", `/v1/users/${local.id}`, { password: "another-one" }, { ...ADMIN, ...wire }),
		];
		expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
			answers.map(() => [403, "basic_auth_disabled"]),
		);
		const own = { password: "another-one", current_password: "none" };
		expect((await server.call("PATCH", "/v1/user", own, headers)).status).toBe(409);
	});

	test("users of providers and directories can be created, without a password", async () => {
		const create = (user: object) =>
			server.call("POST", "/v1/users", { user: { role: "MEMBER", ...user }, send_welcome_email: false }, ADMIN);
		const ids = { oauth2_client_id: "client-of-acme", oauth2_user_id: "ana-1" };
		const one = { auth_method: "OAUTH2", email: "A@example.com", username: "A" };
		const other = { auth_method: "LDAP", email: "b@example.com", username: "B" };
		for (const user of [
			{ ...one, password: "given" },
			{ ...other, password: "given" },
			{ ...other, ...ids },
		]) {
			expect((await create(user)).status).toBe(422);
		}
		expect((await create({ ...one, ...ids })).json.data).toMatchObject({
			email: "a@example.com",
			is_bound: false,
			...ids,
		});
		expect((await create({ ...other, password: "" })).json.data).toMatchObject({
			auth_method: "LDAP",
			is_bound: false,
		});
	});
});
