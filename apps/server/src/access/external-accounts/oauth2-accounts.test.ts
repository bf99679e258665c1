import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { UserRow } from "../users/queries.ts";
import { type Accounts, openAccounts, providerSettings } from "./test-log-ins.ts";

let accounts: Accounts;
beforeAll(async () => {
	accounts = await openAccounts({
		...providerSettings("twin", { CLIENT_ID: "client-of-acme" }),
		...providerSettings("other"),
		...providerSettings("tenants", { ALLOW_ISSUER_MISMATCH: "true" }),
		...providerSettings("trusting", { ALLOW_ISSUER_MISMATCH: "true", TRUST_EMAIL: "true" }),
	});
});
afterAll(() => accounts[Symbol.asyncDispose]());
beforeEach(async () => {
	await accounts.server.context.db.write((transaction) =>
		transaction.deleteFrom("users").where("email", "not in", ["admin@localhost", "system@localhost"]).execute(),
	);
});

const LOCAL = { method: "LOCAL", passwordHash: "of no password", isRandom: false, isDue: false } as const;

describe("somebody who comes for the first time", () => {
	test("gets an account with the identity, the picture and the role for new ones", async () => {
		const picture = "https://acme.example/ana.png";
		const role = { forNew: "MEMBER", forExisting: "ADMIN" } as const;
		const { user, headers } = await accounts.logIn(accounts.oauth2("acme", { picture, role }));
		expect(user).toMatchObject({
			username: "Ana",
			email: "ana@example.com",
			role: "MEMBER",
			auth_method: "OAUTH2",
			password_hash: null,
			oauth2_provider: "acme",
			oauth2_issuer: "https://acme.example",
			oauth2_client_id: "client-of-acme",
			oauth2_user_id: "ana-1",
			profile_picture_url: picture,
		});
		expect((await accounts.audited()).slice(-2)).toEqual([
			{ action: "user.create", details: { provider: "acme", role: "MEMBER", auth_method: "OAUTH2" } },
			{ action: "login", details: { provider: "acme" } },
		]);
		const { json } = await accounts.server.get("/v1/user", headers);
		expect(json.data).toMatchObject({ is_bound: true, oauth2_provider: "acme", oauth2_user_id: "ana-1" });
	});

	test("is refused where nobody is signed up, with the variable", async () => {
		const { code, step } = await accounts.refusal(accounts.oauth2("shut"));
		expect(code).toBe("sign_in_not_allowed");
		expect(step.settings).toEqual(["SERVICE_OAUTH2_SHUT_ALLOW_SIGN_UP"]);
	});

	test("T150: at once in many browsers makes one account", async () => {
		const logIn = () => accounts.logInOnly(accounts.oauth2("acme"));
		const users = await Promise.all(Array.from({ length: 8 }, logIn));
		expect(new Set(users.map(({ user }) => user.id)).size).toBe(1);
		expect((await accounts.users()).filter(({ auth_method }) => auth_method === "OAUTH2")).toHaveLength(1);
	});

	test("T146: the name gets a number where it is taken, also by one that looks like it", async () => {
		await accounts.insert({ username: "ANA", login: LOCAL, email: "someone@example.com" });
		const { user } = await accounts.logIn(accounts.oauth2("acme"));
		expect(user.username).toMatch(/^Ana-\d{5}$/);
	});

	test("T146: without a name it is the local part of the email; a long one leaves room for the number", async () => {
		const { user } = await accounts.logIn(accounts.oauth2("acme", { name: undefined }));
		expect(user.username).toBe("ana");
		const name = "x".repeat(128);
		const first = await accounts.logIn(accounts.oauth2("acme", { name, subject: "2", email: "b@example.com" }));
		const second = await accounts.logIn(accounts.oauth2("acme", { name, subject: "3", email: "c@example.com" }));
		expect(first.user.username).toBe(name);
		expect(second.user.username).toMatch(/^x{122}-\d{5}$/);
	});
});

describe("somebody who comes again", () => {
	test("is the same account, whatever they are called now; the name stays", async () => {
		const { user } = await accounts.logIn(accounts.oauth2("acme"));
		const again = await accounts.logIn(accounts.oauth2("acme", { name: "Anastasia" }));
		expect(again.user).toMatchObject({ id: user.id, username: "Ana" });
		expect((await accounts.audited()).at(-1)?.action).toBe("login");
	});

	test("may come where nobody is signed up any more", async () => {
		const { user } = await accounts.logIn(accounts.oauth2("acme"));
		const again = await accounts.logIn(accounts.oauth2("shut", { issuer: "https://acme.example" }));
		expect(again.user).toMatchObject({ id: user.id, oauth2_provider: "shut", oauth2_client_id: "client-of-shut" });
	});

	test("has the picture that the provider says, or none", async () => {
		const picture = "https://acme.example/1.png";
		expect((await accounts.logIn(accounts.oauth2("acme", { picture }))).user.profile_picture_url).toBe(picture);
		expect((await accounts.logIn(accounts.oauth2("acme"))).user.profile_picture_url).toBeNull();
	});

	test("has the role that the rules give an existing account, at once in other sessions too", async () => {
		const asAdmin = { forNew: "ADMIN", forExisting: "ADMIN" } as const;
		const first = await accounts.logIn(accounts.oauth2("acme", { role: asAdmin }));
		expect((await accounts.server.get("/v1/users", first.headers)).status).toBe(200);
		const asViewer = { forNew: "VIEWER", forExisting: "VIEWER" } as const;
		const second = await accounts.logIn(accounts.oauth2("acme", { role: asViewer }));
		expect(second.user.role).toBe("VIEWER");
		expect((await accounts.server.get("/v1/users", first.headers)).status).toBe(403);
		expect(await accounts.audited()).toContainEqual({
			action: "user.update",
			details: { provider: "acme", role_before: "ADMIN", role: "VIEWER" },
		});
		const kept = { forNew: "ADMIN", forExisting: undefined } as const;
		expect((await accounts.logIn(accounts.oauth2("acme", { role: kept }))).user.role).toBe("VIEWER");
	});

	test("gets a new account after theirs was deleted, or is refused", async () => {
		const { user } = await accounts.logIn(accounts.oauth2("acme"));
		await accounts.server.context.db.write((transaction) =>
			transaction.deleteFrom("users").where("id", "=", user.id).execute(),
		);
		const shut = accounts.oauth2("shut", { issuer: "https://acme.example" });
		expect((await accounts.refusal(shut)).code).toBe("sign_in_not_allowed");
		expect((await accounts.logIn(accounts.oauth2("acme"))).user.id).toBeGreaterThan(user.id);
	});
});

describe("a changed email", () => {
	test("is taken over when it is free, and audited", async () => {
		const { user } = await accounts.logIn(accounts.oauth2("acme"));
		const email = "ana.new@example.com";
		const again = await accounts.logIn(accounts.oauth2("acme", { email, emailVerified: true }));
		expect(again.user).toMatchObject({ id: user.id, email });
		expect(await accounts.audited()).toContainEqual({
			action: "user.update",
			details: { provider: "acme", email_before: "ana@example.com", email },
		});
	});

	test.for(["bo@example.com", "admin@localhost", "system@localhost"])(
		"T144: to %s, which is taken, lets in with the old one and warns",
		async (email) => {
			await accounts.insert({ username: "Bo", login: LOCAL });
			await accounts.logIn(accounts.oauth2("acme"));
			const { user, steps } = await accounts.logIn(accounts.oauth2("acme", { email, emailVerified: true }));
			expect(user.email).toBe("ana@example.com");
			const [warning] = steps.filter(({ outcome }) => outcome === "warning");
			expect(warning).toMatchObject({ name: "email" });
			expect(warning?.text).not.toContain("@");
		},
	);

	test.for([
		["acme", false],
		["tenants", undefined],
	] as const)("of %s is kept out when email_verified is %s", async ([id, emailVerified]) => {
		await accounts.logIn(accounts.oauth2(id));
		const { user, steps } = await accounts.logIn(accounts.oauth2(id, { email: "boss@example.com", emailVerified }));
		expect(user.email).toBe("ana@example.com");
		expect(steps.some(({ outcome }) => outcome === "warning")).toBe(true);
	});
});

describe("T140: the email of a user with a password", () => {
	test.for([
		["acme", "email_in_use"],
		["shut", "sign_in_not_allowed"],
	] as const)("at %s is refused as %s, and the account stays as it is", async ([id, code]) => {
		await accounts.insert({ username: "Ana", login: LOCAL });
		const refusal = await accounts.refusal(accounts.oauth2(id, { emailVerified: true }));
		expect(refusal.code).toBe(code);
		expect(refusal.step.text).not.toContain("@");
	});

	test.for(["admin@localhost", "system@localhost"])("nor is %s anybody's", async (email) => {
		const refused = await accounts.refusal(accounts.oauth2("acme", { email, emailVerified: true }));
		expect(refused.code).toBe("email_in_use");
	});

	test("so is that of a user of the directory", async () => {
		await accounts.insert({ username: "Ana", login: { method: "LDAP" } });
		expect((await accounts.refusal(accounts.oauth2("acme", { emailVerified: true }))).code).toBe("email_in_use");
	});
});

describe("an account that was created beforehand", () => {
	test.for(["acme", "shut"])("is bound by its email at %s, and keeps the role that it was given", async (id) => {
		const created = await accounts.insert({ username: "Ana", login: { method: "OAUTH2" }, role: "ADMIN" });
		const { user } = await accounts.logIn(accounts.oauth2(id, { name: "Somebody" }));
		expect(user).toMatchObject({ id: created.id, username: "Ana", role: "ADMIN", oauth2_user_id: "ana-1" });
		expect((await accounts.audited()).slice(-2)).toEqual([
			{ action: "user.bind", details: { provider: id, auth_method_before: "OAUTH2" } },
			{ action: "login", details: { provider: id } },
		]);
	});

	test("has the role that the provider says where that is taken over", async () => {
		await accounts.insert({ username: "Ana", login: { method: "OAUTH2" }, role: "ADMIN" });
		const role = { forNew: "VIEWER", forExisting: "VIEWER" } as const;
		expect((await accounts.logIn(accounts.oauth2("acme", { role }))).user.role).toBe("VIEWER");
	});

	test.for([
		["acme", false, "email_in_use", []],
		["shut", false, "sign_in_not_allowed", []],
		["tenants", undefined, "email_in_use", ["SERVICE_OAUTH2_TENANTS_TRUST_EMAIL"]],
		["tenants", false, "email_in_use", []],
		["trusting", false, "email_in_use", []],
	] as const)("T141: is not bound at %s when email_verified is %s", async ([id, emailVerified, code, settings]) => {
		await accounts.insert({ username: "Ana", login: { method: "OAUTH2" } });
		const refusal = await accounts.refusal(accounts.oauth2(id, { emailVerified }));
		expect(refusal.code).toBe(code);
		expect(refusal.step.settings).toEqual(settings);
	});

	test.for([
		["tenants", true],
		["trusting", undefined],
		["trusting", true],
	] as const)("is bound at %s when email_verified is %s", async ([id, emailVerified]) => {
		const created = await accounts.insert({ username: "Ana", login: { method: "OAUTH2" } });
		expect((await accounts.logIn(accounts.oauth2(id, { emailVerified }))).user.id).toBe(created.id);
	});

	test.for(["acme", "shut", "other"])(
		"T141: once bound, is not given to another identity with its email at %s",
		async (id) => {
			await accounts.insert({ username: "Ana", login: { method: "OAUTH2" } });
			const { user } = await accounts.logIn(accounts.oauth2("acme"));
			const { code } = await accounts.refusal(accounts.oauth2(id, { subject: "eve", emailVerified: true }));
			expect(code).toBe(id === "shut" ? "sign_in_not_allowed" : "email_in_use");
			expect((await accounts.logIn(accounts.oauth2("acme"))).user.id).toBe(user.id);
		},
	);

	test.for([
		[{ oauth2_client_id: "client-of-other" }, "acme"],
		[{ oauth2_user_id: "another" }, "acme"],
		[{ oauth2_client_id: "client-of-acme", oauth2_user_id: "another" }, "acme"],
		[{ oauth2_client_id: "client-of-acme", oauth2_user_id: "ana-1" }, "other"],
	] as const)("for %j is not bound by somebody else of %s", async ([identity, id]) => {
		await accounts.insert({ username: "Ana", login: { method: "OAUTH2", identity } });
		expect((await accounts.refusal(accounts.oauth2(id, { emailVerified: true }))).code).toBe("email_in_use");
	});

	test("for a client id and user id is that person's, under whatever email", async () => {
		const identity = { oauth2_client_id: "client-of-other", oauth2_user_id: "ana-1" };
		const login = { method: "OAUTH2", identity } as const;
		const created = await accounts.insert({ username: "Ana", login, email: "old@example.com" });
		const { user } = await accounts.logIn(accounts.oauth2("other"));
		expect(user).toMatchObject({ id: created.id, email: "ana@example.com" });
	});

	test("T143: for a client id that two providers share is found only by its email", async () => {
		const identity = { oauth2_client_id: "client-of-acme", oauth2_user_id: "ana-1" };
		const login = { method: "OAUTH2", identity } as const;
		const created = await accounts.insert({ username: "Ana", login, email: "old@example.com" });
		const { user } = await accounts.logIn(accounts.oauth2("twin", { name: "Stranger" }));
		expect(user.id).not.toBe(created.id);
	});
});

test("T143: one subject at two issuers is two people, also with one client id", async () => {
	const { user: first } = await accounts.logIn(accounts.oauth2("acme"));
	const { user: second } = await accounts.logIn(accounts.oauth2("twin", { email: "other@example.com" }));
	expect(second.id).not.toBe(first.id);
	expect((await accounts.logIn(accounts.oauth2("acme"))).user.id).toBe(first.id);
});

describe("a cleared binding", () => {
	async function unbind(user: UserRow, headers?: Record<string, string>) {
		const id = Buffer.from(`User:${user.id}`).toString("base64");
		const admin = headers ?? (await accounts.server.signedIn("ADMIN")).headers;
		return await accounts.server.call("DELETE", `/v1/users/${id}/binding`, undefined, admin);
	}

	test("ends the sessions and lets the next identity with the email have the account", async () => {
		const { user, headers } = await accounts.logIn(accounts.oauth2("acme"));
		const answer = await unbind(user);
		expect(answer.status).toBe(200);
		expect(answer.json.data).toMatchObject({ auth_method: "OAUTH2", is_bound: false, email: "ana@example.com" });
		expect(answer.json.data).not.toHaveProperty("oauth2_user_id");
		expect((await accounts.server.get("/v1/user", headers)).status).toBe(401);
		expect((await accounts.audited()).at(-1)).toEqual({
			action: "user.unbind",
			details: { auth_method: "OAUTH2", provider: "acme", issuer: "https://acme.example", user_id: "ana-1" },
		});
		expect((await accounts.logIn(accounts.oauth2("other", { subject: "new" }))).user.id).toBe(user.id);
	});

	test("is for admins who are logged in, and the admin secret", async () => {
		const { user, headers } = await accounts.logIn(accounts.oauth2("acme"));
		expect((await unbind(user, headers)).status).toBe(403);
		expect((await unbind(user, (await accounts.server.signedIn("ADMIN", "key")).headers)).status).toBe(403);
		expect((await unbind(user, (await accounts.server.signedIn("SYSTEM")).headers)).status).toBe(403);
		expect((await unbind(user)).status).toBe(200);
	});

	test("is a conflict where there is none", async () => {
		const local = await accounts.insert({ username: "Bo", login: LOCAL });
		const waiting = await accounts.insert({ username: "Cy", login: { method: "OAUTH2" } });
		for (const user of [local, waiting]) {
			const answer = await unbind(user);
			expect(answer.status).toBe(409);
			expect(answer.text).toContain("not bound");
		}
	});

	test("is refused for an account that only its binding identifies", async () => {
		const { user } = await accounts.logIn(accounts.ldap({ emails: [] }));
		const answer = await unbind(user);
		expect(answer.status).toBe(409);
		expect(answer.text).toContain("no email");
	});
});
