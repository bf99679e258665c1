import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Accounts, openAccounts } from "./test-log-ins.ts";

const UNIQUE_ID = "57daddba-027c-4b88-8108-72c66d77a168";

let accounts: Accounts;
/** The same without sign-up, and with an admin of the list whose password nobody knows. */
let closed: Accounts;
beforeAll(async () => {
	accounts = await openAccounts();
	closed = await openAccounts({ SERVICE_LDAP_ALLOW_SIGN_UP: "false", SERVICE_ADMINS: "Lee=lee@example.com" });
});
afterAll(async () => {
	await accounts[Symbol.asyncDispose]();
	await closed[Symbol.asyncDispose]();
});
beforeEach(async () => {
	for (const { server } of [accounts, closed]) {
		await server.context.db.write((transaction) =>
			transaction
				.deleteFrom("users")
				.where("email", "not in", ["admin@localhost", "system@localhost", "lee@example.com"])
				.execute(),
		);
	}
});

const LOCAL = { method: "LOCAL", passwordHash: "of no password", isRandom: false, isDue: false } as const;

describe("somebody who comes for the first time", () => {
	test("gets an account with the unique id, the first email and the role", async () => {
		const emails = ["ana@example.com", "ana2@example.com"];
		const { user, headers } = await accounts.logIn(accounts.ldap({ emails }));
		expect(user).toMatchObject({
			username: "Ana",
			email: "ana@example.com",
			role: "MEMBER",
			auth_method: "LDAP",
			password_hash: null,
			ldap_unique_id: UNIQUE_ID,
		});
		expect((await accounts.audited()).slice(-2)).toEqual([
			{ action: "user.create", details: { directory: "ldap", role: "MEMBER", auth_method: "LDAP" } },
			{ action: "login", details: { directory: "ldap" } },
		]);
		const { json } = await accounts.server.get("/v1/user", headers);
		expect(json.data).toMatchObject({ auth_method: "LDAP", is_bound: true, ldap_unique_id: UNIQUE_ID });
	});

	test("gets a name of their own where it is taken", async () => {
		await accounts.insert({ username: "ａｎａ", login: LOCAL, email: "someone@example.com" });
		const { user } = await accounts.logIn(accounts.ldap({ name: " Ana\u202e " }));
		expect(user.username).toMatch(/^Ana \([0-9a-f]{6}\)$/);
	});

	test("has an account without email where emails are off", async () => {
		const { user, headers } = await accounts.logIn(accounts.ldap({ emails: [] }));
		expect(user.email).toBeNull();
		expect((await accounts.logIn(accounts.ldap({ emails: [] }))).user.id).toBe(user.id);
		expect((await accounts.server.get("/v1/user", headers)).json.data.email).toBe("");
	});

	test("T183: is refused where nobody is signed up, with the variable", async () => {
		const refusal = await closed.refusal(closed.ldap());
		expect(refusal.code).toBe("invalid_login");
		expect(refusal.step.settings).toEqual(["SERVICE_LDAP_ALLOW_SIGN_UP"]);
	});

	test("T183: is the user who was created beforehand with the email, under any name", async () => {
		const created = await closed.insert({
			username: "Somebody",
			login: { method: "LDAP" },
			email: "ana@example.com",
			role: "ADMIN",
		});
		expect((await closed.refusal(closed.ldap({ emails: ["eve@example.com"] }))).code).toBe("invalid_login");
		const { user } = await closed.logIn(closed.ldap());
		expect(user).toMatchObject({ id: created.id, username: "Somebody", role: "MEMBER", ldap_unique_id: UNIQUE_ID });
		expect((await closed.audited()).slice(-3)).toEqual([
			{ action: "user.bind", details: { directory: "ldap", auth_method_before: "LDAP" } },
			{ action: "user.update", details: { directory: "ldap", role_before: "ADMIN", role: "MEMBER" } },
			{ action: "login", details: { directory: "ldap" } },
		]);
	});
});

describe("somebody who comes again", () => {
	test("is known by the unique id; the name stays, role and email follow the directory", async () => {
		const { user } = await accounts.logIn(accounts.ldap());
		const again = await accounts.logIn(accounts.ldap({ name: "Eve", emails: ["ana.new@example.com"], role: "ADMIN" }));
		expect(again.user).toMatchObject({
			id: user.id,
			username: "Ana",
			email: "ana.new@example.com",
			role: "ADMIN",
		});
		expect((await accounts.audited()).at(-2)).toEqual({
			action: "user.update",
			details: {
				directory: "ldap",
				role_before: "MEMBER",
				role: "ADMIN",
				email_before: "ana@example.com",
				email: "ana.new@example.com",
			},
		});
	});

	test("keeps an email that the entry still has, wherever it stands", async () => {
		await accounts.logIn(accounts.ldap());
		const { user } = await accounts.logIn(accounts.ldap({ emails: ["a@example.com", "ana@example.com"] }));
		expect(user.email).toBe("ana@example.com");
	});

	test.for(["bo@example.com", "admin@localhost"])("keeps the email when the new one is %s", async (email) => {
		await accounts.insert({ username: "Bo", login: LOCAL });
		await accounts.logIn(accounts.ldap());
		const { user, steps } = await accounts.logIn(accounts.ldap({ emails: [email] }));
		expect(user.email).toBe("ana@example.com");
		expect(steps.some(({ name, outcome }) => name === "email" && outcome === "warning")).toBe(true);
	});

	test("keeps the email when the directory no longer has one, and gets one when it has", async () => {
		await accounts.logIn(accounts.ldap());
		expect((await accounts.logIn(accounts.ldap({ emails: [] }))).user.email).toBe("ana@example.com");
		await accounts.logIn(accounts.ldap({ uniqueId: "second", emails: [] }));
		const { user } = await accounts.logIn(accounts.ldap({ uniqueId: "second", emails: ["second@example.com"] }));
		expect(user.email).toBe("second@example.com");
	});

	test("is demoted by the directory, while somebody else is an admin who can log in", async () => {
		const first = await accounts.logIn(accounts.ldap({ role: "ADMIN" }));
		expect((await accounts.logIn(accounts.ldap({ role: "VIEWER" }))).user.role).toBe("VIEWER");
		expect((await accounts.server.get("/v1/users", first.headers)).status).toBe(403);
	});
});

describe("T171: an email that was given to somebody else", () => {
	test("does not give them the account of before", async () => {
		await accounts.logIn(accounts.ldap());
		const refusal = await accounts.refusal(accounts.ldap({ uniqueId: "another" }));
		expect(refusal.code).toBe("invalid_login");
		expect(refusal.step.settings).toEqual(["SERVICE_LDAP_ATTR_UNIQUE_ID"]);
		expect(refusal.step.text).not.toContain("@");
	});

	test("nor as a second value, which may be shared: they have an account of their own", async () => {
		const { user: before } = await accounts.logIn(accounts.ldap());
		const emails = ["new@example.com", "ana@example.com", "admin@localhost"];
		const { user } = await accounts.logIn(accounts.ldap({ uniqueId: "another", emails }));
		expect(user).toMatchObject({ email: "new@example.com" });
		expect(user.id).not.toBe(before.id);
	});

	test("an account that waits is found by a second value too", async () => {
		const created = await accounts.insert({ username: "Bo", login: { method: "LDAP" } });
		const emails = ["new@example.com", "bo@example.com"];
		expect((await accounts.logIn(accounts.ldap({ emails }))).user).toMatchObject({
			id: created.id,
			email: "bo@example.com",
		});
	});
});

describe("T172: the email of an account with another way to log in", () => {
	test.for(["admin@localhost", "system@localhost", "bo@example.com"])("%s lets nobody in", async (email) => {
		await accounts.insert({ username: "Bo", login: LOCAL });
		const refusal = await accounts.refusal(accounts.ldap({ emails: [email] }));
		expect(refusal.code).toBe("invalid_login");
		expect((await accounts.refusal(accounts.ldap({ uniqueId: undefined, emails: [email] }))).code).toBe(
			"invalid_login",
		);
	});

	test("nor does that of a user of a provider, bound or not", async () => {
		await accounts.insert({ username: "Bo", login: { method: "OAUTH2" } });
		expect((await accounts.refusal(accounts.ldap({ emails: ["bo@example.com"] }))).code).toBe("invalid_login");
		await accounts.logIn(accounts.oauth2("acme"));
		expect((await accounts.refusal(accounts.ldap())).code).toBe("invalid_login");
	});
});

describe("without unique ids", () => {
	test("the email says whose the account is", async () => {
		const { user } = await accounts.logIn(accounts.ldap({ uniqueId: undefined }));
		expect(user.ldap_unique_id).toBeNull();
		expect((await accounts.logIn(accounts.ldap({ uniqueId: undefined }))).user.id).toBe(user.id);
		const other = await accounts.logIn(accounts.ldap({ uniqueId: undefined, emails: ["ana.new@example.com"] }));
		expect(other.user.id).not.toBe(user.id);
	});

	test("only the first email counts", async () => {
		const { user } = await accounts.logIn(accounts.ldap({ uniqueId: undefined }));
		const emails = ["eve@example.com", "ana@example.com"];
		expect((await accounts.logIn(accounts.ldap({ uniqueId: undefined, emails, name: "Eve" }))).user.id).not.toBe(
			user.id,
		);
	});

	test("an account is bound when unique ids are read later", async () => {
		const { user } = await accounts.logIn(accounts.ldap({ uniqueId: undefined }));
		expect((await accounts.logIn(accounts.ldap())).user).toMatchObject({ id: user.id, ldap_unique_id: UNIQUE_ID });
	});

	test("an entry without email is refused", async () => {
		const refusal = await accounts.refusal(accounts.ldap({ uniqueId: undefined, emails: [] }));
		expect(refusal.step.settings).toEqual(["SERVICE_LDAP_ATTR_EMAIL", "SERVICE_LDAP_ATTR_UNIQUE_ID"]);
	});
});

test("a cleared binding lets the next entry with the email have the account", async () => {
	const { user, headers } = await accounts.logIn(accounts.ldap());
	const id = Buffer.from(`User:${user.id}`).toString("base64");
	const admin = await accounts.server.signedIn("ADMIN");
	const answer = await accounts.server.call("DELETE", `/v1/users/${id}/binding`, undefined, admin.headers);
	expect(answer.json.data).toMatchObject({ is_bound: false });
	expect((await accounts.server.get("/v1/user", headers)).status).toBe(401);
	const { user: again } = await accounts.logIn(accounts.ldap({ uniqueId: "of-the-new-server" }));
	expect(again).toMatchObject({ id: user.id, ldap_unique_id: "of-the-new-server" });
});

describe("an admin of the list", () => {
	test("whose password nobody knows is not a provider's, and the list is named", async () => {
		const refusal = await closed.refusal(closed.oauth2("acme", { email: "lee@example.com", emailVerified: true }));
		expect(refusal.code).toBe("email_in_use");
		expect(refusal.step.settings).toEqual(["SERVICE_ADMINS"]);
	});

	test("whose password nobody ever knew becomes a user of the directory", async () => {
		const lee = (await closed.users()).find(({ username }) => username === "Lee");
		expect(lee).toMatchObject({ auth_method: "LOCAL", role: "ADMIN" });
		const identity = closed.ldap({ emails: ["lee@example.com"], name: "Lee Li", role: "MEMBER" });
		const { user } = await closed.logIn(identity);
		expect(user).toMatchObject({
			id: lee?.id,
			username: "Lee",
			auth_method: "LDAP",
			password_hash: null,
			password_due: 0,
			ldap_unique_id: UNIQUE_ID,
			role: "MEMBER",
		});
		expect(await closed.audited()).toContainEqual({
			action: "user.bind",
			details: { directory: "ldap", auth_method_before: "LOCAL" },
		});
	});

	test("who has a password keeps it, and is not the directory's", async () => {
		await closed.server.context.db.write(async (transaction) => {
			await transaction.deleteFrom("users").where("email", "=", "lee@example.com").execute();
		});
		await closed.insert({ username: "Lee", login: LOCAL });
		expect((await closed.refusal(closed.ldap({ emails: ["lee@example.com"] }))).code).toBe("invalid_login");
	});

	test("is not just anybody with a random password", async () => {
		await closed.insert({ username: "Bo", login: { ...LOCAL, isRandom: true } });
		expect((await closed.refusal(closed.ldap({ emails: ["bo@example.com"] }))).code).toBe("invalid_login");
	});
});
