import { expect, test } from "vitest";
import { openAccounts } from "#access/external-accounts/test-log-ins.ts";
import { openTestApp } from "#test-app.ts";
import { checkAdmins } from "./admins.ts";

test("names an admin whom the provider would demote, unless there is another admin", async () => {
	await using accounts = await openAccounts({
		SERVICE_DISABLE_BASIC_AUTH: "true",
		SERVICE_ADMINS: "Lee=lee@example.com",
	});
	const { config, db } = accounts.server.context;
	const admins = async () => (await checkAdmins(config, db)).steps;
	const as = (subject: string, role: "ADMIN" | "VIEWER") =>
		accounts.oauth2("acme", { subject, email: `${subject}@example.com`, role: { forNew: role, forExisting: role } });
	expect(await admins()).toMatchObject([
		{ outcome: "warning", text: expect.stringMatching(/^No admin has logged in/) },
	]);
	await accounts.logInOnly(as("lee", "VIEWER"));
	expect(await admins()).toMatchObject([
		{
			outcome: "warning",
			text: expect.stringContaining("gives VIEWER"),
			facts: [{ name: "account", value: "Lee" }],
		},
	]);
	await accounts.logInOnly(as("ana", "ADMIN"));
	expect(await admins()).toMatchObject([{ outcome: "ok" }]);
});

test("finds the default admin with passwords on", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { config, db } = server.context;
	expect((await checkAdmins(config, db)).steps).toMatchObject([{ outcome: "ok" }]);
});
