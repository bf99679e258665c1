import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { createTestPlace } from "#test-storage.ts";
import { CALLBACK, ISSUER, ON, pkce, register, TestProgram } from "./test-program.ts";

let server: TestApp;
let user: TestPrincipal;
const program = () => new TestProgram(server);
const { challenge } = pkce();
const host = { host: "localhost:6006" };

beforeAll(async () => {
	server = await openTestApp({ ...ON });
	user = await server.signedIn("MEMBER");
});
afterAll(() => server[Symbol.asyncDispose]());

const authorize = (more: Record<string, unknown> = {}, of = program()) =>
	server.get(`/oauth2/authorize?${new URLSearchParams(of.query(challenge, more))}`, host);

describe("discovery", () => {
	test("R68 names what is there, for the issuer that was asked, and any origin may read it", async () => {
		const answer = await server.get("/.well-known/oauth-authorization-server", {
			...host,
			origin: "https://inspector.example",
		});
		expect(answer.headers).toMatchObject({ "access-control-allow-origin": "*" });
		expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
		expect(answer.json).toEqual({
			issuer: ISSUER,
			authorization_endpoint: `${ISSUER}/oauth2/authorize`,
			token_endpoint: `${ISSUER}/oauth2/token`,
			revocation_endpoint: `${ISSUER}/oauth2/revoke`,
			registration_endpoint: `${ISSUER}/oauth2/register`,
			device_authorization_endpoint: `${ISSUER}/oauth2/device_authorization`,
			response_types_supported: ["code"],
			response_modes_supported: ["query"],
			grant_types_supported: [
				...["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
			],
			code_challenge_methods_supported: ["S256"],
			token_endpoint_auth_methods_supported: ["none"],
			revocation_endpoint_auth_methods_supported: ["none"],
			authorization_response_iss_parameter_supported: true,
			service_documentation: `${ISSUER}/auth.md`,
		});
		// What clients of OpenID Connect require besides promises no ID tokens.
		expect((await server.get("/.well-known/openid-configuration", host)).json).toEqual({
			...answer.json,
			jwks_uri: `${ISSUER}/oauth2/jwks`,
			subject_types_supported: [],
			id_token_signing_alg_values_supported: [],
		});
		expect((await server.get("/oauth2/jwks", host)).json).toEqual({ keys: [] });
		expect((await server.get("/.well-known/oauth-protected-resource", host)).json).toMatchObject({
			resource: ISSUER,
			authorization_servers: [ISSUER],
		});
		expect(
			(await server.app.inject({ method: "HEAD", url: "/.well-known/oauth-protected-resource", headers: host }))
				.statusCode,
		).toBe(200);
		expect((await server.get("/auth.md", host)).text).toContain("permissions of the user who approved");
		const preflight = await server.app.inject({
			...{ method: "OPTIONS", url: "/oauth2/token" },
			headers: { ...host, origin: "https://inspector.example", "access-control-request-method": "POST" },
		});
		expect([preflight.statusCode, preflight.headers["access-control-allow-origin"]]).toEqual([204, "*"]);
		const decision = await server.app.inject({
			...{ method: "OPTIONS", url: "/oauth2/authorize/decision" },
			headers: { ...host, origin: "https://inspector.example", "access-control-request-method": "POST" },
		});
		expect(decision.headers["access-control-allow-origin"]).toBeUndefined();
	});

	test("challenges say where a program learns how to be admitted, except to who logs in", async () => {
		const { headers } = await server.get("/v1/projects", host);
		expect(headers["www-authenticate"]).toBe(
			`Bearer realm="service", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
		);
		const login = await server.call("POST", "/auth/login", { email: "a@example.com", password: "wrong" }, host);
		expect(login.headers["www-authenticate"]).toBe('Bearer realm="service"');
	});

	test("the issuer is SERVICE_ROOT_URL with the root path, and without it only this machine", async () => {
		expect((await server.get("/.well-known/oauth-authorization-server", { host: "spanward.example.com" })).status).toBe(
			404,
		);
		expect((await server.get("/v1/projects", { host: "evil.example" })).headers["www-authenticate"]).toBe(
			'Bearer realm="service"',
		);
		const settings = { SERVICE_ROOT_URL: "https://spanward.example.com", SERVICE_HOST_ROOT_PATH: "/traces" };
		await using elsewhere = await openTestApp({ ...ON, ...settings });
		const issuer = "https://spanward.example.com/traces";
		for (const path of ["/.well-known/oauth-authorization-server/traces", "/traces/.well-known/openid-configuration"]) {
			const { headers, json } = await elsewhere.get(path, {
				host: "evil.example",
				origin: "https://inspector.example",
			});
			expect(json).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth2/token` });
			expect([path, headers["access-control-allow-origin"]]).toEqual([path, "*"]);
		}
		const asked = await elsewhere.get(`/traces/oauth2/authorize?${new URLSearchParams(program().query(challenge))}`);
		expect(asked.headers["location"]).toMatch(/^\/traces\/oauth2\/consent\?client_id=spanward-cli&/);
	});

	test("R77 switched off, nothing of it is there, tokens have expired, and challenges are as before", async () => {
		await using place = await createTestPlace();
		const on = await openTestApp({ ...ON, ...place.settings });
		const tokens = await new TestProgram(on).tokens(await on.signedIn("MEMBER"));
		await on[Symbol.asyncDispose]();
		await using off = await openTestApp({
			...{ ...ON, SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER: "false" },
			...place.settings,
		});
		for (const path of [
			...[
				"/.well-known/oauth-authorization-server",
				"/.well-known/openid-configuration",
				"/auth.md",
				"/oauth2/consent",
			],
			...["/.well-known/oauth-protected-resource", "/oauth2/authorize", "/oauth2/authorize/request", "/device"],
			"/oauth2/jwks",
		]) {
			expect([path, (await off.get(path, host)).status]).toEqual([path, 404]);
		}
		for (const path of ["/oauth2/token", "/oauth2/register", "/oauth2/revoke", "/oauth2/device_authorization"]) {
			expect([path, (await off.call("POST", path, {}, host)).status]).toEqual([path, 404]);
		}
		const authorization = `Bearer ${tokens.access_token}`;
		const { headers, status, text } = await off.get("/v1/user", { ...host, authorization });
		expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="service", error="invalid_token"']);
		expect(text).toMatch(/expired/);
		expect((await off.get("/v1/user/oauth2_grants", (await off.signedIn("MEMBER")).headers)).status).toBe(200);
	});
});

describe("asking", () => {
	test("R68 an unknown client or redirect address gets a page of ours, and nobody is sent anywhere", async () => {
		const wrong: Record<string, unknown>[] = [
			{ client_id: "nobody" },
			{ client_id: "https://client.example.com/metadata.json" },
			{ redirect_uri: undefined },
			...[
				...[
					"https://evil.example/callback",
					"http://127.0.0.1/other",
					"http://127.0.0.1:1/callback/",
					"http://127.0.0.2/callback",
				],
				...["http://localhost.evil.example/callback", "http://localhost@evil.example/callback", "//127.0.0.1/callback"],
				...[
					"http://127.0.0.1:80@evil.example/callback",
					"http://127.0.0.1:1\\@evil.example/callback",
					"javascript:alert(1)",
				],
				...[
					"http://127.0.0.1:1/callback#fragment",
					"http://127.0.0.1:99999/callback",
					"http://127.0.0.1:1/callback?x=1",
				],
				...[
					"https://127.0.0.1/callback",
					"http://127.0.0.1:1/callback/../other",
					"data:text/html,x",
					"http://127.1/callback",
				],
			].map((redirect_uri) => ({ redirect_uri })),
		];
		for (const more of wrong) {
			const { status, headers, text } = await authorize(more);
			expect([more, status, headers["location"], headers["content-type"]]).toEqual([
				...[more, 400, undefined, "text/html; charset=utf-8"],
			]);
			expect(text).not.toContain("evil");
			expect(headers["content-security-policy"]).toMatch(/frame-ancestors 'none'/);
		}
		const twice = new URLSearchParams(program().query(challenge));
		twice.append("redirect_uri", "https://evil.example/");
		expect((await server.get(`/oauth2/authorize?${twice}`, host)).status).toBe(400);
	});

	test("R68 other faults go back to the program, with state and issuer", async () => {
		const faults: [Record<string, unknown>, string][] = [
			[{ response_type: undefined }, "invalid_request"],
			[{ response_type: "token" }, "unsupported_response_type"],
			[{ response_type: "code id_token" }, "unsupported_response_type"],
			[{ code_challenge: undefined }, "invalid_request"],
			[{ code_challenge: "short" }, "invalid_request"],
			[{ code_challenge_method: undefined }, "invalid_request"],
			[{ code_challenge_method: "plain" }, "invalid_request"],
			[{ scope: "openid profile" }, "invalid_scope"],
			[{ resource: "https://other.example.com" }, "invalid_target"],
			[{ resource: `${ISSUER}/mcp#x` }, "invalid_target"],
			[{ request_uri: "https://evil.example/request" }, "invalid_request"],
			[{ response_mode: "form_post" }, "invalid_request"],
		];
		for (const [more, error] of faults) {
			const { status, headers } = await authorize(more);
			const to = new URL(String(headers["location"]));
			expect([more, status, to.origin + to.pathname, to.searchParams.get("error")]).toEqual([
				more,
				302,
				CALLBACK,
				error,
			]);
			expect([to.searchParams.get("state"), to.searchParams.get("iss"), to.searchParams.get("code")]).toEqual([
				...["st&te=1", ISSUER, null],
			]);
		}
		const long = new URL(String((await authorize({ state: "x".repeat(1_025) })).headers["location"]));
		expect([long.searchParams.get("error"), long.searchParams.get("state")]).toEqual(["invalid_request", null]);
	});

	test("R70 leads to the page that asks, whoever is logged in, and the page learns what is asked", async () => {
		const { status, headers } = await authorize({ scope: "read nonsense admin", resource: `${ISSUER}/` });
		expect(status).toBe(302);
		const [path, query = ""] = String(headers["location"]).split("?");
		expect(path).toBe("/oauth2/consent");
		expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
		expect((await server.get(`/oauth2/authorize/request?${query}`, host)).status).toBe(401);
		const { json } = await server.get(`/oauth2/authorize/request?${query}`, { ...host, ...user.headers });
		expect(json).toEqual({
			client: {
				...{ client_id: "spanward-cli", name: "Spanward command line", kind: "seeded" },
				created_at: expect.any(String),
			},
			redirect: { kind: "loopback", host: "127.0.0.1:43110" },
			user: { id: expect.any(String), username: user.username, email: user.email, role: "MEMBER" },
			requested: ["read", "admin"],
			suggested: ["read"],
			available: ["read", "ingest", "annotate", "write"],
			resource: { kind: "api", url: ISSUER },
			max_days: 90,
		});
		// What has no box must not be given by pressing the button.
		const viewer = await server.signedIn("VIEWER");
		const asked = new URLSearchParams(program().query(challenge));
		const { json: shown } = await server.get(`/oauth2/authorize/request?${asked}`, { ...host, ...viewer.headers });
		expect([shown.suggested, shown.available]).toEqual([["read"], ["read"]]);
		const wrong = await server.get(`/oauth2/authorize/request?${query}&code_challenge=x`, { ...host, ...user.headers });
		expect(wrong.status).toBe(400);
		const key = await server.signedIn("MEMBER", "key");
		expect((await server.get(`/oauth2/authorize/request?${query}`, { ...host, ...key.headers })).status).toBe(403);
	});

	test("R71 a decision that does not come from our own page is refused", async () => {
		for (const headers of [
			{ origin: "" },
			{ origin: "null" },
			{ origin: "https://evil.example" },
			{ origin: "http://localhost:6007" },
			{ origin: "http://127.0.0.1:6006" },
			{ origin: "https://localhost:6006" },
		]) {
			const answer = await program().decide(user, challenge, {}, headers);
			expect([headers, answer.status]).toEqual([headers, 403]);
		}
		// A page cannot frame ours, either.
		const page = await server.get("/oauth2/consent", host);
		expect(page.headers).toMatchObject({ "x-frame-options": "DENY" });
		expect(page.headers["content-security-policy"]).toMatch(/frame-ancestors 'none'/);
		const key = await server.signedIn("ADMIN", "key");
		expect((await program().decide(key, challenge)).status).toBe(403);
		expect((await program().decide({ ...user, headers: { authorization: "" } }, challenge)).status).toBe(401);
		// What the page sends is looked at again.
		for (const [more, status] of [
			[{ redirect_uri: "https://evil.example/" }, 400],
			[{ client_id: "nobody" }, 400],
			[{ code_challenge_method: "plain" }, 400],
			[{ unknown: 1 }, 422],
			[{ permissions: [] }, 422],
			[{ permissions: ["admin"] }, 422],
			[{ projects: ["of nobody"] }, 422],
			[{ projects: [] }, 422],
			[{ days: 91 }, 422],
		] as const) {
			const answer = await program().decide(user, challenge, more);
			expect([more, answer.status]).toEqual([more, status]);
		}
		await using lax = await openTestApp({ ...ON, SERVICE_OAUTH2_CONSENT_ORIGIN_CHECK: "off" });
		const allowed = await new TestProgram(lax).decide(await lax.signedIn("MEMBER"), challenge, {}, { origin: "" });
		expect(allowed.status).toBe(200);
	});

	test("a refusal goes back to the program, and is recorded", async () => {
		const { json } = await program().decide(user, challenge, { approved: false });
		expect(json.redirect_to).toBe(
			`${CALLBACK}?error=access_denied&state=${encodeURIComponent("st&te=1")}&iss=${encodeURIComponent(ISSUER)}`,
		);
		const { headers } = await server.signedIn("ADMIN");
		const events = await server.get("/v1/audit_events?action=oauth.grant.create", headers);
		expect(events.json.data[0]).toMatchObject({ outcome: "denied", actor: { username: user.username } });
	});
});

describe("registration", () => {
	test("R68 answers a public client, and takes the addresses that the rules allow", async () => {
		const { status, json, headers } = await register(server, {
			redirect_uris: ["cursor://anysphere.cursor/callback", "https://app.example.com/cb?x=1", "http://[::1]/cb"],
			token_endpoint_auth_method: "client_secret_basic",
			scope: "read",
		});
		expect(status).toBe(201);
		expect(headers["cache-control"]).toBe("no-store");
		expect(json).toMatchObject({
			client_id: expect.stringMatching(/^px_dcr_[A-Za-z0-9]{22}$/),
			token_endpoint_auth_method: "none",
		});
		expect(json.client_secret).toBeUndefined();
		const registered = new TestProgram(server, json.client_id);
		for (const [redirect_uri, expected] of [
			["cursor://anysphere.cursor/callback", 302],
			["cursor://anysphere.cursor/callback2", 400],
			["https://app.example.com/cb?x=1", 302],
			["https://app.example.com:8443/cb?x=1", 400],
			["https://app.example.com/cb", 400],
			["http://[::1]:5555/cb", 302],
			["http://localhost:5555/cb", 400],
		] as const) {
			expect([redirect_uri, (await authorize({ redirect_uri }, registered)).status]).toEqual([redirect_uri, expected]);
		}
		const { redirect_to } = (
			await registered.decide(user, challenge, { redirect_uri: "https://app.example.com/cb?x=1" })
		).json;
		expect(redirect_to).toMatch(/^https:\/\/app\.example\.com\/cb\?x=1&code=/);
	});

	test.each([
		"javascript:alert(1)",
		"JavaScript:/alert(1)",
		"data:text/html,<script>",
		"file:///etc/passwd",
		"blob:https://x/y",
		"about:blank",
		"vbscript:/x",
		"wss://x/y",
		"http://app.example.com/callback",
		"https://user@app.example.com/",
		"https://app.example.com/#x",
		"https:app.example.com",
		"urn:ietf:wg:oauth:2.0:oob",
		"/relative",
		`https://app.example.com/${"x".repeat(2_048)}`,
		"https://app.example.com/ x",
		"https://аpp.example.com/",
	])("R68 refuses the redirect address %s", async (uri) => {
		const { status, json } = await register(server, { redirect_uris: [uri] });
		expect([status, json.error]).toEqual([400, "invalid_redirect_uri"]);
	});

	test("R74 a name is shown without what hides or turns text, or is refused", async () => {
		const names: [string, string | undefined][] = [
			["Good\u200b\u202e tool\u0007", "Good tool"],
			["<b>Inspector</b>", "<b>Inspector</b>"],
			["\u200b\u202e", undefined],
			["x".repeat(10_000), undefined],
			["Clаude", undefined],
			["SPANWARD  command-line", undefined],
			["ｓｐａｎｗａｒｄ-cli", undefined],
			["Инспектор", "Инспектор"],
		];
		for (const [client_name, shown] of names) {
			const { status, json } = await register(server, { client_name });
			expect([client_name.slice(0, 40), status, json.client_name]).toEqual([
				...[client_name.slice(0, 40), shown === undefined ? 400 : 201, shown],
			]);
		}
		expect((await register(server, { client_name: 5 })).json.error).toBe("invalid_client_metadata");
		expect((await register(server, { grant_types: ["client_credentials"] })).json.error).toBe(
			"invalid_client_metadata",
		);
		expect((await register(server, { redirect_uris: undefined })).json.error).toBe("invalid_redirect_uri");
	});

	test("R68 settings say who may register, from where, and how often an address may try", async () => {
		await using few = await openTestApp({
			...ON,
			...{ SERVICE_DISABLE_RATE_LIMIT: "false", SERVICE_OAUTH2_DCR_RATE_LIMIT_PER_HOUR: "2" },
			...{ SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION: "local_only" },
		});
		expect((await register(few, { redirect_uris: ["https://app.example.com/"] })).json.error).toBe(
			"invalid_redirect_uri",
		);
		expect((await register(few, {})).status).toBe(201);
		const third = await register(few, {});
		expect([third.status, Number(third.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
		await using closed = await openTestApp({ ...ON, SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION: "disabled" });
		expect((await register(closed, {})).status).toBe(403);
		const metadata = await closed.get("/.well-known/oauth-authorization-server", host);
		expect(metadata.json.registration_endpoint).toBeUndefined();
		await using named = await openTestApp({
			...ON,
			SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS: "app.example.com,*.example.org",
		});
		for (const [uri, status] of [
			["https://app.example.com/cb", 201],
			["https://a.example.org/cb", 201],
			["https://example.org/cb", 400],
			["https://app.example.com.evil.example/cb", 400],
			["http://localhost/cb", 201],
		] as const) {
			expect([uri, (await register(named, { redirect_uris: [uri] })).status]).toEqual([uri, status]);
		}
	});
});
