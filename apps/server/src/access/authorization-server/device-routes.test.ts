import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { bearer, ISSUER, ON, postForm, TestProgram } from "./test-program.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
let server: TestApp;
let user: TestPrincipal;
beforeAll(async () => {
	server = await openTestApp({ ...ON });
	user = await server.signedIn("MEMBER");
});
afterAll(() => server[Symbol.asyncDispose]());

const own = { host: "localhost:6006", origin: ISSUER };
const ask = (more: object = {}, on = server) =>
	postForm(on, "/oauth2/device_authorization", { client_id: "spanward-cli", ...more });
const poll = (device_code: string, more: object = {}) =>
	postForm(server, "/oauth2/token", { grant_type: GRANT, device_code, client_id: "spanward-cli", ...more });
const look = (user_code: string, by = user, headers = own) =>
	server.call("POST", "/oauth2/device/request", { user_code }, { ...by.headers, ...headers });
const decide = (user_code: string, approved: boolean, more: object = {}, headers: object = own) =>
	server.call("POST", "/oauth2/device/decision", { user_code, approved, ...more }, { ...user.headers, ...headers });
/** As if the device had waited since it last asked. */
const rest = () =>
	server.context.db.write((transaction) =>
		transaction.updateTable("oauth2_device_codes").set({ polled_at: null }).execute(),
	);

test("R72 a code typed in lower case lets a program in on another device, once", async () => {
	const { status, json, headers } = await ask({ scope: "read annotate" });
	expect(status).toBe(200);
	expect(headers["cache-control"]).toBe("no-store");
	expect(json).toEqual({
		device_code: expect.stringMatching(/^[\w-]{43}$/),
		user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
		verification_uri: `${ISSUER}/device`,
		verification_uri_complete: `${ISSUER}/device?user_code=${json.user_code}`,
		...{ expires_in: 600, interval: 5 },
	});
	expect((await poll(json.device_code)).json.error).toBe("authorization_pending");
	// Opening the link approves nothing.
	await server.get(`/device?user_code=${json.user_code}`, { ...user.headers, host: "localhost:6006" });
	const typed = json.user_code.toLowerCase().replace("-", " ");
	const asked = await look(typed);
	expect(asked.json).toMatchObject({
		client: { client_id: "spanward-cli", kind: "seeded" },
		...{ user_code: json.user_code, requested: ["read", "annotate"], ip: "127.0.0.1", asked_at: expect.any(String) },
	});
	await rest();
	expect((await poll(json.device_code)).json.error).toBe("authorization_pending");
	for (const headers of [{ host: "localhost:6006" }, { ...own, origin: "https://evil.example" }]) {
		expect((await decide(typed, true, {}, headers)).status).toBe(403);
	}
	expect((await decide(typed, true, { permissions: ["read"] })).status).toBe(204);
	expect([(await decide(typed, true)).status, (await look(typed)).status]).toEqual([409, 409]);
	await rest();
	expect((await poll(json.device_code, { client_id: "phoenix-cli" })).json.error).toBe("invalid_grant");
	const both = await Promise.all([poll(json.device_code), poll(json.device_code)]);
	expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 400]);
	const tokens = both.find((answer) => answer.status === 200)?.json;
	expect(tokens).toMatchObject({ token_type: "Bearer", scope: "read" });
	expect((await server.get("/v1/user", bearer(tokens))).json.data).toMatchObject({ username: user.username });
	expect((await poll(json.device_code)).json.error).toBe("invalid_grant");
	expect((await new TestProgram(server).refresh(tokens.refresh_token)).status).toBe(200);
});

test("R72 asking too fast slows, refusals and expiry arrive", async () => {
	const { json } = await ask();
	await poll(json.device_code);
	expect((await poll(json.device_code)).json.error).toBe("slow_down");
	const { interval_seconds } = await server.context.db.read
		.selectFrom("oauth2_device_codes")
		.select("interval_seconds")
		.orderBy("id", "desc")
		.executeTakeFirstOrThrow();
	expect(interval_seconds).toBe(10);
	await rest();
	expect((await decide(json.user_code, false)).status).toBe(204);
	expect((await poll(json.device_code)).json.error).toBe("access_denied");
	const late = (await ask()).json;
	await server.context.db.write((transaction) =>
		transaction.updateTable("oauth2_device_codes").set({ expires_at: server.context.now() }).execute(),
	);
	expect((await poll(late.device_code)).json.error).toBe("expired_token");
	expect((await look(late.user_code)).status).toBe(410);
});

test("R72 who may ask: programs that are known to do so, and not too many from one address", async () => {
	const registered = await TestProgram.registered(server);
	expect((await ask({ client_id: registered.clientId })).json.error).toBe("unauthorized_client");
	expect((await ask({ client_id: "nobody" })).json.error).toBe("invalid_client");
	expect((await ask({ scope: "nothing" })).json.error).toBe("invalid_scope");
	expect((await ask({ resource: "https://other.example" })).json.error).toBe("invalid_target");
	// An admin who takes it away from a program means the codes that wait, too.
	const { json } = await ask({ client_id: "phoenix-cli" });
	const setFlow = (device_flow: 0 | 1) =>
		server.context.db.write((transaction) =>
			transaction.updateTable("oauth2_clients").set({ device_flow }).where("public_id", "=", "phoenix-cli").execute(),
		);
	await setFlow(0);
	expect((await look(json.user_code)).status).toBe(400);
	expect((await poll(json.device_code, { client_id: "phoenix-cli" })).json.error).toBe("unauthorized_client");
	await setFlow(1);
	await using other = await openTestApp({ ...ON });
	for (let count = 0; count < 20; count++) expect((await ask({}, other)).status).toBe(200);
	expect((await ask({}, other)).status).toBe(429);
	await using off = await openTestApp({ ...ON, SERVICE_OAUTH2_DEVICE_FLOW: "false" });
	expect((await ask({}, off)).status).toBe(404);
	const metadata = await off.get("/.well-known/oauth-authorization-server", own);
	expect(metadata.json.device_authorization_endpoint).toBeUndefined();
});

test("R72 ten wrong codes stop, for the account and the address", async () => {
	const { json } = await ask();
	const guesser = await server.signedIn("MEMBER");
	for (let count = 0; count < 10; count++) expect((await look("BBBB-BBBB", guesser)).status).toBe(404);
	const stopped = await look(json.user_code, guesser);
	expect([stopped.status, Number(stopped.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
	expect((await look(json.user_code)).status).toBe(429);
});
