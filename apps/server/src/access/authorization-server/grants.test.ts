import { afterAll, beforeAll, expect, test } from "vitest";
import { openSecondApp, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { bearer, ISSUER, ON, TestProgram, type Tokens } from "./test-program.ts";

let server: TestApp;
let admin: TestPrincipal;
let program: TestProgram;
let other: TestProgram;

beforeAll(async () => {
	server = await openTestApp({ ...ON, SERVICE_ENABLE_PROMETHEUS: "true" });
	admin = await server.signedIn("ADMIN");
	program = new TestProgram(server);
	other = await TestProgram.registered(server);
});
afterAll(() => server[Symbol.asyncDispose]());

async function makeProject(name: string): Promise<string> {
	const { json } = await server.call("POST", "/v1/projects", { name }, admin.headers);
	return json.data.id;
}

const annotation = (name: string) => ({
	data: [{ name, annotator_kind: "CODE", span_id: "ab".repeat(8), result: { score: 1 } }],
});

test("R69 what was chosen cuts what a token may, and the answer says so", async () => {
	const [a, b] = [await makeProject("oauth-a"), await makeProject("oauth-b")];
	const user = await server.signedIn("MEMBER");
	const tokens = await program.tokens(user, { permissions: ["read"], projects: ["oauth-a"] });
	expect(tokens.scope).toBe("read");
	const ask = async (path: string) => (await server.get(path, bearer(tokens))).status;
	expect([await ask(`/v1/projects/${a}`), await ask(`/v1/projects/${b}`)]).toEqual([200, 404]);
	expect((await server.get("/v1/projects", bearer(tokens))).json.data.map(({ id }: { id: string }) => id)).toEqual([a]);
	expect(await ask("/v1/datasets")).toBe(200);
	expect(await ask("/metrics")).toBe(403);
	const annotated = await server.call("POST", "/v1/span_annotations", annotation("x"), {
		...bearer(tokens),
		...{ host: "localhost:6006", accept: "application/problem+json" },
	});
	expect([annotated.status, annotated.json.code]).toEqual([403, "insufficient_scope"]);
	expect(annotated.headers["www-authenticate"]).toBe(
		`Bearer error="insufficient_scope", scope="annotate", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
	);
	const me = await server.get("/v1/user", bearer(tokens));
	expect(me.json.data).toMatchObject({
		permissions: ["read"],
		projects: [{ id: a, name: "oauth-a" }],
		include_library: false,
		expires_at: expect.any(String),
	});
	const renewed = (await program.refresh(tokens.refresh_token)).json as Tokens;
	expect(renewed.scope).toBe("read");
	expect((await server.get(`/v1/projects/${b}`, bearer(renewed))).status).toBe(404);
	const asked = await program.tokens(user, { scope: "read ingest admin" });
	expect(asked.scope).toBe("read ingest");
	expect((await server.call("POST", "/v1/traces", { resourceSpans: [] }, bearer(asked))).status).toBe(200);
	// The user's role of now counts, whatever was chosen.
	const viewer = await server.signedIn("VIEWER");
	const all = await program.tokens(viewer);
	expect((await server.call("POST", "/v1/projects", { name: "of a viewer" }, bearer(all))).status).toBe(403);
});

test("R75 what only admins do needs administration, and no token makes keys, sessions or authorizations", async () => {
	const plain = await program.tokens(admin);
	const given = await program.tokens(admin, { permissions: ["read", "write", "admin"] });
	expect(given.scope).toBe("read write admin");
	const status = async (tokens: Tokens, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
		method === "GET"
			? (await server.get(path, bearer(tokens))).status
			: (await server.call(method, path, body, bearer(tokens))).status;
	expect([await status(plain, "GET", "/v1/users"), await status(given, "GET", "/v1/users")]).toEqual([403, 200]);
	expect(await status(plain, "GET", `/v1/access_check?subject=user:${encodeURIComponent("VXNlcjox")}`)).toBe(404);
	const client = { name: "c", redirect_uris: ["http://localhost/cb"] };
	for (const [method, path, body] of [
		["POST", "/v1/user/api_keys", { data: { name: "k" } }],
		["POST", "/v1/system/api_keys", { data: { name: "k" } }],
		["GET", "/v1/user/sessions"],
		["GET", "/v1/user/oauth2_grants"],
		["DELETE", "/v1/user/oauth2_grants/T0F1dGgyR3JhbnQ6MQ=="],
		["DELETE", "/v1/oauth2_grants/T0F1dGgyR3JhbnQ6MQ=="],
		["POST", "/v1/oauth2_clients", client],
		["PATCH", "/v1/user", { username: "other" }],
		["POST", "/oauth2/authorize/decision", {}],
	] as const) {
		expect([path, await status(given, method, path, body)]).toEqual([path, 403]);
	}
	const user = await server.signedIn("MEMBER");
	const id = Buffer.from(`User:${user.userId}`).toString("base64");
	expect(await status(given, "PATCH", `/v1/users/${id}`, { password: "Another-password-1" })).toBe(403);
	// An admin who becomes a member takes it along.
	const former = await server.signedIn("ADMIN");
	const tokens = await program.tokens(former, { permissions: ["read", "admin"] });
	await server.context.db.write((transaction) =>
		transaction.updateTable("users").set({ role: "MEMBER" }).where("id", "=", former.userId).execute(),
	);
	server.context.auth.principals.invalidate();
	expect(await status(tokens, "GET", "/v1/users")).toBe(403);
});

test("a token is for one resource and unknown at another", async () => {
	const user = await server.signedIn("MEMBER");
	const tokens = await program.tokens(user, { resource: `${ISSUER}/mcp` });
	const { status, text } = await server.get("/v1/projects", bearer(tokens));
	expect([status, text]).toEqual([401, "Token is not valid for this resource."]);
});

test("R73 what a user ends is ended on every server, within two seconds", async () => {
	// Another process on the same database remembers tokens for itself.
	await using second = await openSecondApp(server);
	const user = await server.signedIn("MEMBER");
	const tokens = await other.tokens(user);
	expect((await second.get("/v1/user", bearer(tokens))).status).toBe(200);
	const { json } = await server.get("/v1/user/oauth2_grants", user.headers);
	expect(json.data).toMatchObject([
		{
			client: { client_id: other.clientId, name: "Test program", kind: "registered" },
			...{ permissions: null, projects: null, include_library: false, resource: "api" },
		},
	]);
	const [{ id }] = json.data;
	const stranger = await server.signedIn("MEMBER");
	expect((await server.call("DELETE", `/v1/user/oauth2_grants/${id}`, undefined, stranger.headers)).status).toBe(404);
	expect((await server.call("DELETE", `/v1/user/oauth2_grants/${id}`, undefined, user.headers)).status).toBe(204);
	const endedAt = performance.now();
	expect((await server.get("/v1/user", bearer(tokens))).status).toBe(401);
	await expect.poll(async () => (await second.get("/v1/user", bearer(tokens))).status, { interval: 50 }).toBe(401);
	expect(performance.now() - endedAt).toBeLessThan(20_000);
	expect((await other.refresh(tokens.refresh_token)).json.error).toBe("invalid_grant");
});

test("R73 a live view ends with its authorization", async () => {
	const user = await server.signedIn("MEMBER");
	const tokens = await other.tokens(user);
	await makeProject("oauth-live");
	await server.app.listen({ port: 0, host: "127.0.0.1" });
	const { port } = server.app.server.address() as { port: number };
	const stream = await fetch(`http://127.0.0.1:${port}/v1/projects/oauth-live/stream`, {
		headers: { ...bearer(tokens), accept: "text/event-stream" },
	});
	expect(stream.status).toBe(200);
	const text = stream.text();
	const grant = (await server.get("/v1/oauth2_grants?limit=1", admin.headers)).json.data[0];
	expect(grant).toMatchObject({ user: { username: user.username }, last_used_ip: null });
	await server.call("DELETE", `/v1/oauth2_grants/${grant.id}`, undefined, admin.headers);
	expect(await text).toContain("access_ended");
});

test("admins make, change, disable and delete clients, and those that are known everywhere only disable", async () => {
	const body = { name: "Desktop", redirect_uris: ["com.example.desktop:/cb"], device_flow: true };
	const made = await server.call("POST", "/v1/oauth2_clients", body, admin.headers);
	expect(made.status).toBe(201);
	expect(made.json.data).toMatchObject({
		kind: "admin",
		grant_count: 0,
		created_by: { username: admin.username },
		...body,
	});
	const { id, client_id } = made.json.data;
	const user = await server.signedIn("MEMBER");
	const desktop = new TestProgram(server, client_id);
	const approve = { redirect_uri: "com.example.desktop:/cb" };
	const { code, verifier } = await desktop.code(user, approve);
	const tokens = (await desktop.redeem(code, verifier, approve)).json as Tokens;
	const status = async () => (await server.get("/v1/user", bearer(tokens))).status;
	expect(await status()).toBe(200);
	const patch = (changes: object, client = id) =>
		server.call("PATCH", `/v1/oauth2_clients/${client}`, changes, admin.headers);
	expect((await patch({ disabled: true })).json.data).toMatchObject({ disabled: true, grant_count: 1 });
	expect([await status(), (await desktop.refresh(tokens.refresh_token)).json.error]).toEqual([
		401,
		"unauthorized_client",
	]);
	expect((await patch({ disabled: false, name: "Desk" })).json.data).toMatchObject({ disabled: false, name: "Desk" });
	expect(await status()).toBe(200);
	expect((await patch({ redirect_uris: ["javascript:/x"] })).status).toBe(422);
	expect((await patch({ unknown: 1 })).status).toBe(422);
	expect((await server.call("DELETE", `/v1/oauth2_clients/${id}`, undefined, admin.headers)).status).toBe(204);
	expect([await status(), (await patch({})).status]).toEqual([401, 404]);
	const all = (await server.get("/v1/oauth2_clients", admin.headers)).json.data;
	const seeded = all.find(({ client_id }: { client_id: string }) => client_id === "phoenix-cli");
	expect((await patch({ name: "x" }, seeded.id)).status).toBe(409);
	expect((await server.call("DELETE", `/v1/oauth2_clients/${seeded.id}`, undefined, admin.headers)).status).toBe(409);
	expect((await patch({ disabled: true }, seeded.id)).status).toBe(200);
	expect((await patch({ disabled: false }, seeded.id)).status).toBe(200);
	const actions = (await server.get("/v1/audit_events?action=oauth.client.delete", admin.headers)).json.data;
	expect(actions[0]).toMatchObject({ target: { type: "oauth2_client", name: "Desk" }, details: { authorizations: 1 } });
});

test("a deleted user's programs end, and a check of access says what a program may and why", async () => {
	const user = await server.signedIn("MEMBER");
	const tokens = await program.tokens(user, { permissions: ["read"], projects: ["oauth-a"] });
	const grant = (await server.get("/v1/user/oauth2_grants", user.headers)).json.data[0];
	const check = async (project: string) =>
		(await server.get(`/v1/access_check?subject=oauth2_grant:${grant.id}&project=${project}`, user.headers)).json.data;
	expect(await check("oauth-a")).toMatchObject({
		subject: { type: "oauth2_grant", name: "Spanward command line" },
		...{ sees: true, may: { read: true, annotate: false, write: false, manage: false } },
	});
	expect(await check("oauth-b")).toMatchObject({
		sees: false,
		not: expect.arrayContaining([
			expect.objectContaining({ text: "This program is limited to projects oauth-a: oauth-b is not among them" }),
		]),
	});
	const id = Buffer.from(`User:${user.userId}`).toString("base64");
	expect((await server.call("DELETE", `/v1/users/${id}`, undefined, admin.headers)).status).toBe(204);
	expect((await server.get("/v1/user", bearer(tokens))).status).toBe(401);
});

test("metrics count what programs ask for, without names", async () => {
	const metrics = await server.get("/metrics", admin.headers);
	expect(metrics.text).toMatch(/spanward_oauth_tokens_total\{grant_type="authorization_code",outcome="success"\} \d+/);
	expect(metrics.text).toMatch(/spanward_oauth_tokens_total\{grant_type="refresh_token",outcome="invalid_grant"\} \d+/);
});
