import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSecondApp, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { bearer, CALLBACK, ISSUER, ON, pkce, postForm, TestProgram, type Tokens } from "./test-program.ts";

let server: TestApp;
let user: TestPrincipal;
let program: TestProgram;

beforeAll(async () => {
	server = await openTestApp({ ...ON });
	user = await server.signedIn("MEMBER");
	program = new TestProgram(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const statusOf = async (tokens: Pick<Tokens, "access_token">) => (await server.get("/v1/user", bearer(tokens))).status;

test("R68 a code becomes tokens of the user, which no cache keeps, and a refresh token becomes new ones", async () => {
	const { code, verifier } = await program.code(user);
	const answer = await program.redeem(code, verifier);
	expect(answer.status).toBe(200);
	expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
	expect(answer.json).toEqual({
		access_token: expect.stringMatching(/^sw_a_[\w-]{43}$/),
		token_type: "Bearer",
		expires_in: expect.any(Number),
		refresh_token: expect.stringMatching(/^sw_r_/),
	});
	expect(answer.json.expires_in).toBeGreaterThan(500);
	const me = await server.get("/v1/user", bearer(answer.json));
	expect(me.json.data).toMatchObject({
		username: user.username,
		credential: "oauth_token",
		permissions: null,
		projects: null,
		include_library: true,
		client: { client_id: "spanward-cli", name: "Spanward command line", authorized_until: expect.any(String) },
	});
	const next = await program.refresh(answer.json.refresh_token);
	expect(next.status).toBe(200);
	expect(await statusOf(next.json)).toBe(200);
	// What runs with the former access token goes on until that expires.
	expect(await statusOf(answer.json)).toBe(200);
});

test("R68 what does not fit a code consumes nothing", async () => {
	const { code, verifier } = await program.code(user);
	const wrong: [string, Record<string, unknown>, string][] = [
		["another verifier", { code_verifier: pkce().verifier }, "invalid_grant"],
		["no verifier", { code_verifier: undefined }, "invalid_request"],
		["a short verifier", { code_verifier: "short" }, "invalid_grant"],
		["the challenge as verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
		["another client", { client_id: "phoenix-cli" }, "invalid_grant"],
		["no client", { client_id: undefined }, "invalid_request"],
		["another redirect address", { redirect_uri: "http://127.0.0.1:43111/callback" }, "invalid_grant"],
		["no redirect address", { redirect_uri: undefined }, "invalid_request"],
		["another resource", { resource: `${ISSUER}/mcp` }, "invalid_target"],
		["a foreign resource", { resource: "https://other.example.com" }, "invalid_target"],
		["two resources", { resource: [ISSUER, `${ISSUER}/mcp`] }, "invalid_target"],
		["the code twice", { code: [code, code] }, "invalid_request"],
		["another grant", { grant_type: "client_credentials" }, "unsupported_grant_type"],
		["a password grant", { grant_type: "password", username: "a", password: "b" }, "unsupported_grant_type"],
	];
	for (const [what, fields, error] of wrong) {
		const answer = await program.redeem(code, verifier, fields);
		expect([what, answer.status, answer.json.error]).toEqual([what, 400, error]);
		expect(answer.text).not.toContain(code);
	}
	expect((await program.redeem(code, verifier, { resource: `${ISSUER}/` })).status).toBe(200);
	expect((await program.redeem("unknown", verifier)).json.error).toBe("invalid_grant");
	const json = await server.call("POST", "/oauth2/token", { grant_type: "refresh_token" }, { host: "localhost:6006" });
	expect([json.status, json.json.error]).toEqual([415, "invalid_request"]);
});

test("R68 a code that comes again after it was used ends what it gave, whoever sends it", async () => {
	const { code, verifier } = await program.code(user);
	const tokens = (await program.redeem(code, verifier)).json as Tokens;
	const again = await program.redeem(code, pkce().verifier);
	expect([again.status, again.json.error]).toEqual([400, "invalid_grant"]);
	expect(await statusOf(tokens)).toBe(401);
	expect((await program.refresh(tokens.refresh_token)).json.error).toBe("invalid_grant");
	const { json } = await server.get("/v1/audit_events?action=oauth.reuse", (await server.signedIn("ADMIN")).headers);
	expect(json.data[0]).toMatchObject({
		outcome: "denied",
		actor: { kind: "oauth_token", username: user.username },
		target: { type: "oauth2_grant", name: "Spanward command line" },
		details: { what: "authorization_code" },
	});
});

test("R68 a spent refresh token ends the authorization; an unknown one, and another client's, end nothing", async () => {
	const first = await program.tokens(user);
	const second = (await program.refresh(first.refresh_token)).json as Tokens;
	const forged = second.refresh_token.replace(/^sw_r_[\w-]{4}/, "sw_r_AAAA");
	for (const [token, more] of [
		[forged, {}],
		[second.refresh_token.slice(0, -1), {}],
		[`${second.refresh_token}x`, {}],
		[second.access_token, {}],
		[second.refresh_token, { client_id: "phoenix-cli" }],
	] as const) {
		expect((await program.refresh(token, more)).json.error).toBe("invalid_grant");
	}
	expect((await program.refresh(second.refresh_token, { resource: `${ISSUER}/mcp` })).json.error).toBe(
		"invalid_target",
	);
	expect((await program.refresh(second.refresh_token, { scope: "unknown" })).json.error).toBe("invalid_scope");
	const third = (await program.refresh(second.refresh_token)).json as Tokens;
	expect(await statusOf(third)).toBe(200);
	expect((await program.refresh(first.refresh_token)).json.error).toBe("invalid_grant");
	expect(await statusOf(third)).toBe(401);
	expect((await program.refresh(third.refresh_token)).json.error).toBe("invalid_grant");
});

test("R68 of several at once with one code or refresh token, at two servers, one wins and the others end nothing", async () => {
	// As a second process on the same database.
	await using second = await openSecondApp(server);
	const both = (fields: Record<string, unknown>) =>
		Promise.all([server, second, server, second].map((at) => postForm(at, "/oauth2/token", fields)));
	const { code, verifier } = await program.code(user);
	const redeemed = await both({
		...{ grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: CALLBACK },
		client_id: program.clientId,
	});
	expect(redeemed.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
	const tokens = redeemed.find(({ status }) => status === 200)?.json as Tokens;
	const refreshed = await both({
		...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: program.clientId },
	});
	expect(refreshed.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
	const last = refreshed.find(({ status }) => status === 200)?.json as Tokens;
	expect(await statusOf(last)).toBe(200);
	// Spent, it ends the authorization at whichever server it comes to.
	const reused = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: program.clientId };
	expect((await postForm(second, "/oauth2/token", reused)).json.error).toBe("invalid_grant");
	await expect.poll(() => statusOf(last), { interval: 50 }).toBe(401);
});

test("R68 revocation answers 200 whatever it gets, and any token of an authorization ends it", async () => {
	const revoke = (token: string, more = {}) => program.post("/oauth2/revoke", { token, ...more });
	const first = await program.tokens(user);
	expect((await revoke("unknown")).status).toBe(200);
	expect((await revoke(first.access_token, { client_id: "phoenix-cli" })).status).toBe(200);
	expect(await statusOf(first)).toBe(200);
	expect((await revoke(first.access_token, { token_type_hint: "refresh_token" })).status).toBe(200);
	expect(await statusOf(first)).toBe(401);
	const second = await program.tokens(user);
	const renewed = (await program.refresh(second.refresh_token)).json as Tokens;
	expect((await revoke(renewed.refresh_token, { client_id: program.clientId })).status).toBe(200);
	expect([await statusOf(second), await statusOf(renewed)]).toEqual([401, 401]);
	expect((await program.post("/oauth2/revoke", {})).json.error).toBe("invalid_request");
});

test("a program that an admin has disabled can still give its tokens back", async () => {
	const disable = (disabled: 0 | 1) =>
		server.context.db.write((transaction) =>
			transaction.updateTable("oauth2_clients").set({ disabled }).where("public_id", "=", other.clientId).execute(),
		);
	const other = await TestProgram.registered(server);
	for (const kind of ["access_token", "refresh_token"] as const) {
		const tokens = await other.tokens(user);
		await disable(1);
		expect((await other.post("/oauth2/revoke", { token: tokens[kind], client_id: other.clientId })).status).toBe(200);
		await disable(0);
		expect([kind, (await other.refresh(tokens.refresh_token)).json.error]).toEqual([kind, "invalid_grant"]);
	}
});

test("a program that renews its tokens all the time has only so many", async () => {
	let tokens = await program.tokens(user);
	const first = tokens;
	for (let times = 0; times < 20; times++) tokens = (await program.refresh(tokens.refresh_token)).json as Tokens;
	expect([await statusOf(first), await statusOf(tokens)]).toEqual([401, 200]);
});

test("text that no database keeps, and parameters that are missing, are told to the program", async () => {
	const nul = "a\0b";
	const refused: [string, Record<string, unknown>, string][] = [
		["/oauth2/token", {}, "invalid_request"],
		["/oauth2/token", { client_id: program.clientId }, "invalid_request"],
		["/oauth2/token", { client_id: program.clientId, grant_type: ["refresh_token", "x"] }, "invalid_request"],
		["/oauth2/token", { client_id: program.clientId, grant_type: "password" }, "unsupported_grant_type"],
		["/oauth2/token", { client_id: nul, grant_type: "refresh_token", refresh_token: nul }, "invalid_grant"],
		["/oauth2/device_authorization", { client_id: nul }, "invalid_client"],
		["/oauth2/revoke", { token: [nul, nul] }, "invalid_request"],
	];
	for (const [path, fields, error] of refused) {
		const answer = await program.post(path, fields);
		expect([path, fields, answer.status, answer.json?.error]).toEqual([path, fields, 400, error]);
	}
	const device = { client_id: program.clientId, scope: `read ${nul}` };
	expect((await program.post("/oauth2/device_authorization", device)).status).toBe(200);
	const query = new URLSearchParams({ ...program.query(pkce().challenge), client_id: nul });
	expect((await server.get(`/oauth2/authorize?${query}`, { host: "localhost:6006" })).status).toBe(400);
});

test("tokens and codes are nowhere in the database but as hashes, and in no audit entry", async () => {
	const { code, verifier } = await program.code(user);
	const tokens = (await program.redeem(code, verifier)).json as Tokens;
	const { read } = server.context.db;
	const rows = await Promise.all([
		read.selectFrom("oauth2_grants").selectAll().execute(),
		read.selectFrom("oauth2_access_tokens").selectAll().execute(),
		read.selectFrom("oauth2_codes").selectAll().execute(),
		read.selectFrom("audit_events").selectAll().execute(),
	]);
	const text = JSON.stringify(rows, (_name, value) =>
		value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
	);
	const [, family = "", own = ""] = /^sw_r_(.+)\.(.+)$/.exec(tokens.refresh_token) ?? [];
	for (const secret of [code, verifier, tokens.access_token.slice(5), family, own]) expect(text).not.toContain(secret);
	expect(text).toContain(CALLBACK);
});

test("an authorization ends after its days, and no token outlives it", async () => {
	await using brief = await openTestApp({ ...ON, SERVICE_OAUTH2_GRANT_EXPIRY_DAYS: "0.0001" });
	const briefProgram = new TestProgram(brief);
	const tokens = await briefProgram.tokens(await brief.signedIn("MEMBER"));
	expect(tokens.expires_in).toBeLessThanOrEqual(9);
	await sleep(9_000);
	expect((await brief.get("/v1/user", bearer(tokens))).status).toBe(401);
	expect((await briefProgram.refresh(tokens.refresh_token)).json.error).toBe("invalid_grant");
});
