import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";

const ADMIN = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };

let server: TestApp;
/** The same storage behind a server whose users sign in elsewhere. */
let withoutPasswords: App;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { context } = server;
	withoutPasswords = await buildApp({ ...context, config: { ...context.config, SERVICE_DISABLE_BASIC_AUTH: true } });
});
afterAll(async () => {
	await withoutPasswords.close();
	await server[Symbol.asyncDispose]();
});

function newUser(username: string, overrides: object = {}) {
	const email = `${username.toLowerCase()}@example.com`;
	return { user: { auth_method: "LOCAL", email, username, role: "MEMBER", password: "first-password", ...overrides } };
}

test("while passwords are off no route makes a local user or sets a password", async () => {
	const member = await server.signedIn("MEMBER");
	const id = encodeGlobalId("User", member.userId);
	const call = (method: "POST" | "PATCH", url: string, payload: object, headers: object = ADMIN) =>
		withoutPasswords.inject({ method, url, payload, headers: { ...headers } });
	const refused = [
		await call("POST", "/v1/users", newUser("Local")),
		await call("POST", "/v1/users", newUser("Local", { password: null })),
		await call("PATCH", `/v1/users/${id}`, { password: "another-one" }),
		await call("PATCH", "/v1/user", { password: "another-one", current_password: "first-password" }, member.headers),
	];
	for (const answer of refused) {
		expect(answer.statusCode).toBe(403);
		expect(answer.body).toContain("Passwords");
	}
	const elsewhere = await call("POST", "/v1/users", newUser("Elsewhere", { auth_method: "OAUTH2", password: null }));
	expect(elsewhere.statusCode).toBe(201);
});

test("while passwords are off a local admin does not count as one who can log in", async () => {
	const admin = await server.signedIn("ADMIN");
	await server.signedIn("ADMIN");
	const url = `/v1/users/${encodeGlobalId("User", admin.userId)}`;
	const answer = await withoutPasswords.inject({ method: "PATCH", url, payload: { role: "VIEWER" }, headers: ADMIN });
	expect(answer.statusCode).toBe(409);
	expect((await server.call("PATCH", url, { role: "VIEWER" }, ADMIN)).status).toBe(200);
});

test("an admin who is demoted while a request runs changes nothing", async () => {
	const admin = await server.signedIn("ADMIN");
	// The password of the new user takes long enough to hash for the other request to be first.
	const [created, demoted] = await Promise.all([
		server.call("POST", "/v1/users", newUser("Late"), admin.headers),
		server.call("PATCH", `/v1/users/${encodeGlobalId("User", admin.userId)}`, { role: "VIEWER" }, ADMIN),
	]);
	expect(demoted.status).toBe(200);
	expect([401, 403]).toContain(created.status);
	const { json } = await server.get("/v1/users", ADMIN);
	expect(json.data.filter(({ username }: { username: string }) => username === "Late")).toEqual([]);
});

test("every change is in the audit log, with who made it and without a password", async () => {
	const { context } = server;
	const events = () => context.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute();
	const before = (await events()).length;
	const admin = await server.signedIn("ADMIN");
	const created = await server.call("POST", "/v1/users", newUser("Audited"), admin.headers);
	const { id } = created.json.data;
	await server.call("PATCH", `/v1/users/${id}`, { role: "VIEWER", username: "Audited two" }, admin.headers);
	await server.call("PATCH", `/v1/users/${id}`, { password: "second-password" }, admin.headers);
	await server.call("DELETE", `/v1/users/${id}`, undefined, admin.headers);
	const written = (await events()).slice(before);
	expect(
		written.map(({ action, outcome, actor_id, actor_kind, target_name }) => [
			action,
			outcome,
			actor_id,
			actor_kind,
			target_name,
		]),
	).toEqual([
		["user.create", "success", admin.userId, "session", "Audited"],
		["user.update", "success", admin.userId, "session", "Audited two"],
		["password.reset", "success", admin.userId, "session", "Audited two"],
		["user.delete", "success", admin.userId, "session", "Audited two"],
	]);
	expect(JSON.parse(written[1]?.details ?? "{}")).toEqual({
		username_before: "Audited",
		role_before: "MEMBER",
		role: "VIEWER",
	});
	expect(JSON.stringify(written)).not.toMatch(/first-password|second-password|argon2/);
});
