import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { GivenRole } from "#base/roles.ts";
import { createMissingAccounts } from "../users/missing-accounts.ts";
import { findKeptAdmin } from "./last-admin.ts";
import { type Accounts, openAccounts } from "./test-log-ins.ts";

/** A server where nobody has a password: admins come from a provider or the directory. */
let accounts: Accounts;
beforeAll(async () => {
	accounts = await openAccounts({ SERVICE_DISABLE_BASIC_AUTH: "true", SERVICE_ADMINS: "Lee=lee@example.com" });
});
afterAll(() => accounts[Symbol.asyncDispose]());
beforeEach(async () => {
	const { context } = accounts.server;
	await context.db.write(async (transaction) => {
		await transaction.deleteFrom("users").where("email", "not in", ["admin@localhost", "system@localhost"]).execute();
		await transaction.deleteFrom("audit_events").execute();
	});
	await createMissingAccounts(context);
});

const lee = () => accounts.ldap({ emails: ["lee@example.com"], uniqueId: "lee", role: "VIEWER" });
const leeAtAcme = (role: GivenRole) =>
	accounts.oauth2("acme", { subject: "lee", email: "lee@example.com", role: { forNew: role, forExisting: role } });
const kept = () => findKeptAdmin(accounts.server.context.db.read, accounts.server.context.config);

async function updates() {
	const rows = await accounts.server.context.db.read
		.selectFrom("audit_events")
		.select(["outcome", "code", "details"])
		.where("action", "=", "user.update")
		.orderBy("id")
		.execute();
	return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details ?? "null") }));
}

test("the last admin keeps the role at the first log-in and later ones, which steps and audit log report", async () => {
	for (const time of [1, 2]) {
		const { user, steps, headers } = await accounts.logIn(leeAtAcme("VIEWER"));
		expect(user).toMatchObject({ username: "Lee", role: "ADMIN", auth_method: "OAUTH2" });
		const warning = steps.find(({ outcome }) => outcome === "warning");
		expect(warning?.settings).toEqual(["SERVICE_OAUTH2_ACME_ROLE_ATTRIBUTE_PATH", "SERVICE_OAUTH2_ACME_ROLE_MAPPING"]);
		expect(warning?.text).toMatch(/gives the role VIEWER, and the account keeps ADMIN/);
		expect((await accounts.server.get("/v1/users", headers)).status).toBe(200);
		const details = { provider: "acme", role: "ADMIN", role_refused: "VIEWER" };
		expect((await updates()).filter(({ outcome }) => outcome === "denied")).toEqual(
			Array.from({ length: time }, () => ({ outcome: "denied", code: "last_admin", details })),
		);
		expect(await kept()).toEqual({ username: "Lee", role: "VIEWER" });
	}
});

test("by the directory, too", async () => {
	await accounts.insert({ username: "Dee", login: { method: "LDAP" }, role: "ADMIN" });
	await accounts.server.context.db.write((transaction) =>
		transaction.deleteFrom("users").where("username", "=", "Lee").execute(),
	);
	const { user, steps } = await accounts.logIn({ ...lee(), emails: ["dee@example.com"] });
	expect(user).toMatchObject({ username: "Dee", role: "ADMIN" });
	expect(steps.find(({ outcome }) => outcome === "warning")?.settings).toEqual(["SERVICE_LDAP_GROUP_ROLE_MAPPINGS"]);
	expect(await kept()).toEqual({ username: "Dee", role: "VIEWER" });
});

test("whoever is not the last one is demoted, and it is over once the provider gives ADMIN", async () => {
	await accounts.logIn(leeAtAcme("VIEWER"));
	await accounts.logIn(leeAtAcme("ADMIN"));
	expect(await kept()).toBeUndefined();
	const ana = { subject: "ana", role: { forNew: "ADMIN", forExisting: "ADMIN" } } as const;
	expect((await accounts.logIn(accounts.oauth2("acme", ana))).user.role).toBe("ADMIN");
	expect((await accounts.logIn(leeAtAcme("VIEWER"))).user.role).toBe("VIEWER");
	expect((await updates()).at(-1)).toMatchObject({
		outcome: "success",
		details: { role_before: "ADMIN", role: "VIEWER" },
	});
	expect(await kept()).toBeUndefined();
});

test("of two who log in at the same time one stays an admin", async () => {
	await accounts.logIn(leeAtAcme("ADMIN"));
	const ana = (role: GivenRole) =>
		accounts.oauth2("acme", { subject: "ana", role: { forNew: role, forExisting: role } });
	await accounts.logIn(ana("ADMIN"));
	await Promise.all([accounts.logInOnly(leeAtAcme("VIEWER")), accounts.logInOnly(ana("VIEWER"))]);
	const admins = (await accounts.users()).filter(
		({ role, auth_method }) => role === "ADMIN" && auth_method === "OAUTH2",
	);
	expect(admins).toHaveLength(1);
});
