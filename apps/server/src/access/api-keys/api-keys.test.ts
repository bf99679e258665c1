import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";

let server: TestApp;
const adminSecret = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
});
afterAll(() => server[Symbol.asyncDispose]());

type Headers = Record<string, string>;
const create = (headers: Headers, data: object = { name: "mine" }) =>
	server.call("POST", "/v1/user/api_keys", { data }, headers);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test("T061 a viewer makes and deletes a key of their own", async () => {
	const { headers } = await server.signedIn("VIEWER");
	const { status, json } = await create(headers, { name: "  notebook ", description: " my own " });
	expect(status).toBe(201);
	expect(json.data).toEqual({
		id: expect.any(String),
		name: "notebook",
		description: "my own",
		created_at: expect.any(String),
		hint: `${json.data.key.slice(0, 14)}…${json.data.key.slice(-4)}`,
		key: expect.stringMatching(/^sw_u_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/),
		permissions: null,
		projects: null,
		hidden_project_count: 0,
		include_library: false,
		ip_ranges: null,
		allowed_origins: null,
		limits: { requests_per_minute: null, spans_per_day: null },
		spans_today: null,
		last_used_ip: null,
		last_refused_at: null,
		last_refused_code: null,
		replaces: null,
		replaced_by: null,
	});
	expect((await server.get("/v1/projects", bearer(json.data.key))).status).toBe(200);

	const listed = await server.get("/v1/user/api_keys", headers);
	const { key, ...shown } = json.data;
	expect(listed.json).toEqual({ data: [shown], next_cursor: null });
	expect(listed.text).not.toContain(key);

	expect((await server.call("DELETE", `/v1/user/api_keys/${json.data.id}`, undefined, headers)).status).toBe(204);
	expect((await server.get("/v1/projects", bearer(key))).status).toBe(401);
	expect((await server.call("DELETE", `/v1/user/api_keys/${json.data.id}`, undefined, headers)).status).toBe(404);
});

test("T062 a member who deletes another's key is told that there is none; an admin deletes it, also with a key", async () => {
	const owner = await server.signedIn("MEMBER");
	const id = (await create(owner.headers)).json.data.id;
	const remove = async (headers: Headers) =>
		(await server.call("DELETE", `/v1/user/api_keys/${id}`, undefined, headers)).status;
	expect(await remove((await server.signedIn("MEMBER")).headers)).toBe(404);
	expect(await remove((await server.signedIn("VIEWER", "key")).headers)).toBe(404);
	expect(await remove((await server.signedIn("SYSTEM")).headers)).toBe(403);
	expect((await server.get("/v1/user/api_keys", owner.headers)).json.data).toHaveLength(1);
	expect(await remove((await server.signedIn("ADMIN", "key")).headers)).toBe(204);
});

test("T063 an owner that a body names is ignored", async () => {
	const victim = await server.signedIn("ADMIN");
	const viewer = await server.signedIn("VIEWER");
	const { json } = await create(viewer.headers, {
		name: "mine",
		user_id: encodeGlobalId("User", victim.userId),
		userId: victim.userId,
		role: "ADMIN",
		kind: "system",
		created_by: victim.userId,
	});
	const { data } = (await server.get("/v1/user", bearer(json.data.key))).json;
	expect(data).toMatchObject({ email: viewer.email, role: "VIEWER", credential: "user_key" });
	expect((await server.get("/v1/user/api_keys", victim.headers)).json.data).toEqual([]);
});

test.each([
	["2001-01-01T00:00:00Z", 422],
	["2001-01-01", 422],
	["00099-01-01", 422],
	["tomorrow", 422],
	["99999-02-30T00:00:00Z", 422],
	["99999-01-01T00:00:00Z", 201],
	["+099999-01-01T00:00:00Z", 201],
	["9999-12-31T23:59:59.999999Z", 201],
	["2100-01-01", 201],
])("T064 a key that expires at %s answers %i", async (expires_at, status) => {
	const { headers } = await server.signedIn("MEMBER");
	const answer = await create(headers, { name: "mine", expires_at });
	expect(answer.status).toBe(status);
	if (status !== 201) return;
	const shown = expires_at.startsWith("2100") ? "2100-01-01T00:00:00+00:00" : "9999-12-31T23:59:59+00:00";
	expect(answer.json.data.expires_at).toBe(shown);
	expect((await server.get("/v1/user/api_keys", headers)).json.data[0].expires_at).toBe(answer.json.data.expires_at);
	expect((await server.get("/v1/projects", bearer(answer.json.data.key))).status).toBe(200);
});

test.each([
	["2100-01-01T00:00:00.123456+00:00", "2100-01-01T00:00:00.123000+00:00"],
	["2100-01-01T00:00:00.999999999Z", "2100-01-01T00:00:00.999000+00:00"],
])("T064 an expiry as exact as programs write it, %s, is cut to milliseconds", async (expires_at, shown) => {
	const { headers } = await server.signedIn("MEMBER");
	const answer = await create(headers, { name: "mine", expires_at });
	expect([answer.status, answer.json.data?.expires_at]).toEqual([201, shown]);
	expect((await server.get("/v1/projects", bearer(answer.json.data.key))).status).toBe(200);
});

test("T064 a time without an offset is UTC, and a key is refused from its expiry on", async () => {
	const { headers } = await server.signedIn("MEMBER");
	const at = new Date(Date.now() + 3_000);
	const { json } = await create(headers, { name: "mine", expires_at: at.toISOString().replace("Z", "") });
	expect(Date.parse(json.data.expires_at)).toBe(at.getTime());
	const before = await server.get("/v1/projects", bearer(json.data.key));
	// A machine may stand still for so long.
	if (Date.now() < at.getTime()) expect(before.status).toBe(200);
	await new Promise((resolve) => setTimeout(resolve, Math.max(0, at.getTime() - Date.now()) + 5));
	const refused = await server.get("/v1/projects", { ...bearer(json.data.key), accept: "application/problem+json" });
	expect(refused.json).toMatchObject({ status: 401, code: "expired_token" });
	expect(refused.headers["www-authenticate"]).toMatch(
		/^Bearer realm="service", error="invalid_token", resource_metadata="/,
	);
});

test.each([
	[{}],
	[{ name: "" }],
	[{ name: "   " }],
	[{ name: "a\nb" }],
	[{ name: "a\u0000" }],
	[{ name: "n".repeat(256) }],
	[{ name: 7 }],
	[{ name: ["a"] }],
	[{ name: "a", expires_at: 7 }],
	[{ name: "a", description: "\u001b[31m" }],
	[{ name: "a", description: {} }],
])("refuses %j", async (data) => {
	const { headers } = await server.signedIn("MEMBER");
	expect((await create(headers, data)).status).toBe(422);
	expect((await server.get("/v1/user/api_keys", headers)).json.data).toEqual([]);
});

test("T067 a system key works after the admin who made it is deleted", async () => {
	const admin = await server.signedIn("ADMIN");
	const made = await server.call("POST", "/v1/system/api_keys", { data: { name: "ci" } }, admin.headers);
	expect(made.status).toBe(201);
	expect(made.json.data).toMatchObject({
		key: expect.stringMatching(/^sw_s_/),
		created_by: { id: encodeGlobalId("User", admin.userId), username: admin.username },
	});
	const deleted = await server.call(
		"DELETE",
		`/v1/users/${encodeGlobalId("User", admin.userId)}`,
		undefined,
		adminSecret,
	);
	expect(deleted.status).toBe(204);
	expect((await server.get("/v1/projects", bearer(made.json.data.key))).status).toBe(200);
	const listed = (await server.get("/v1/system/api_keys", adminSecret)).json.data;
	const key = listed.find(({ id }: { id: string }) => id === made.json.data.id);
	expect(key).toMatchObject({ name: "ci" });
	expect(key).not.toHaveProperty("created_by");
});

test("T041 the key of a deleted user is refused at once", async () => {
	const member = await server.signedIn("MEMBER", "key");
	expect((await server.get("/v1/projects", member.headers)).status).toBe(200);
	await server.call("DELETE", `/v1/users/${encodeGlobalId("User", member.userId)}`, undefined, adminSecret);
	expect((await server.get("/v1/projects", member.headers)).status).toBe(401);
});

test("T042 a demoted admin's key loses its rights at once", async () => {
	const admin = await server.signedIn("ADMIN", "key");
	expect((await server.get("/v1/users", admin.headers)).status).toBe(200);
	const path = `/v1/users/${encodeGlobalId("User", admin.userId)}`;
	expect((await server.call("PATCH", path, { role: "VIEWER" }, adminSecret)).status).toBe(200);
	expect((await server.get("/v1/users", admin.headers)).status).toBe(403);
	expect((await server.call("POST", "/v1/projects", { name: "x" }, admin.headers)).status).toBe(403);
	expect((await server.get("/v1/projects", admin.headers)).status).toBe(200);
});

test("T068 keys make no keys, and a system key is no admin", async () => {
	const body = { data: { name: "another" } };
	for (const role of ["VIEWER", "MEMBER", "ADMIN", "SYSTEM"] as const) {
		const { headers } = await server.signedIn(role, "key");
		for (const path of ["/v1/user/api_keys", "/v1/system/api_keys"]) {
			const answer = await server.call("POST", path, body, { ...headers, accept: "application/problem+json" });
			expect(answer.status, `${role} ${path}`).toBe(403);
			if (role === "ADMIN") expect(answer.json.code).toBe("api_key_cannot_mint");
		}
	}
	const system = await server.signedIn("SYSTEM");
	for (const path of ["/v1/users", "/v1/users/api_keys", "/v1/system/api_keys"]) {
		expect((await server.get(path, system.headers)).status, path).toBe(403);
	}
	expect((await server.get("/v1/user/api_keys", system.headers)).json).toEqual({ data: [], next_cursor: null });
	expect((await server.call("POST", "/v1/user/api_keys", body, adminSecret)).status).toBe(403);
	expect((await server.call("POST", "/v1/system/api_keys", body, adminSecret)).status).toBe(201);
});

test("T069 no key is made or listed while authentication is off", async () => {
	await using off = await openTestApp();
	for (const [method, path] of [
		["POST", "/v1/user/api_keys"],
		["POST", "/v1/system/api_keys"],
		["DELETE", "/v1/user/api_keys/x"],
		["DELETE", "/v1/system/api_keys/x"],
	] as const) {
		expect((await off.call(method, path, { data: { name: "x" } })).status, path).toBe(403);
	}
	for (const path of ["/v1/user/api_keys", "/v1/users/api_keys", "/v1/system/api_keys"]) {
		expect((await off.get(path)).status, path).toBe(403);
	}
});

test("T078 an id of another kind never names a key", async () => {
	const admin = await server.signedIn("ADMIN");
	const own = await server.signedIn("MEMBER", "key");
	const system = await server.signedIn("SYSTEM");
	const status = async (path: string) => (await server.call("DELETE", path, undefined, admin.headers)).status;
	const wire = (type: "UserApiKey" | "SystemApiKey" | "User", id: number) =>
		encodeURIComponent(encodeGlobalId(type, id));
	for (const id of [
		"1",
		"UserApiKey:1",
		`${own.rowId}`,
		wire("SystemApiKey", own.rowId),
		wire("User", own.rowId),
		"%00",
	]) {
		expect(await status(`/v1/user/api_keys/${id}`), id).toBe(422);
	}
	expect(await status(`/v1/user/api_keys/${wire("UserApiKey", system.rowId)}`)).toBe(404);
	expect(await status(`/v1/system/api_keys/${wire("UserApiKey", own.rowId)}`)).toBe(422);
	expect(await status(`/v1/system/api_keys/${wire("SystemApiKey", own.rowId)}`)).toBe(404);
	expect((await server.get("/v1/projects", own.headers)).status).toBe(200);
	expect((await server.get("/v1/projects", system.headers)).status).toBe(200);
});

test("lists the keys of all users to admins, page by page, with their owners", async () => {
	await using fresh = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const owners = [];
	for (let count = 0; count < 3; count++) owners.push(await fresh.signedIn("MEMBER", "key"));
	await fresh.signedIn("SYSTEM");
	const seen = [];
	let cursor = "";
	do {
		const { json } = await fresh.get(`/v1/users/api_keys?limit=2&cursor=${encodeURIComponent(cursor)}`, adminSecret);
		seen.push(...json.data.map(({ user }: { user: { email: string; role: string } }) => [user.email, user.role]));
		cursor = json.next_cursor ?? "";
	} while (cursor !== "");
	expect(seen).toEqual(owners.map(({ email }) => [email, "MEMBER"]).reverse());
});

test("a user has at most 1,000 keys", async () => {
	const { context } = server;
	const member = await server.signedIn("MEMBER");
	await context.db.write(async (transaction) => {
		for (let count = 0; count < 1_000; count++) {
			await transaction
				.insertInto("api_keys")
				.values({
					kind: "user",
					user_id: member.userId,
					created_by: member.userId,
					public_id: `full${count}`,
					secret_hash: new Uint8Array(32),
					last_characters: "abcd",
					name: "one",
					description: null,
					created_at: 1,
					expires_at_ms: null,
					last_used_at: null,
				})
				.execute();
		}
	});
	expect((await create(member.headers)).status).toBe(409);
});

test("making and deleting keys is in the audit log, the keys are not", async () => {
	const { headers, userId } = await server.signedIn("MEMBER");
	const { data } = (await create(headers)).json;
	await server.call("DELETE", `/v1/user/api_keys/${data.id}`, undefined, headers);
	const entries = await server.context.db.read
		.selectFrom("audit_events")
		.selectAll()
		.where("actor_id", "=", userId)
		.execute();
	const id = decodeGlobalId(data.id, "UserApiKey");
	expect(entries.map(({ action, target_type, target_id }) => [action, target_type, target_id])).toEqual([
		["api_key.create", "user_api_key", id],
		["api_key.delete", "user_api_key", id],
	]);
	expect(JSON.stringify(entries)).not.toContain(data.key.slice(14));
});
