import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Client, logIn, startWithAuth } from "../access/accounts.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { TestServer } from "../server.ts";
import { type Behaviour, HostileProvider, signInWith, startSignIn, visitProvider } from "./hostile-provider.ts";

const GROUPS = {
	SERVICE_OAUTH2_GROUPS_GROUPS_ATTRIBUTE_PATH: "groups",
	SERVICE_OAUTH2_GROUPS_ALLOWED_GROUPS: "/service/eng, ops",
};

let provider: HostileProvider;
let server: TestServer;

beforeAll(async () => {
	provider = await HostileProvider.start();
	server = await startWithAuth({ ...provider.settings(), ...provider.settings("GROUPS"), ...GROUPS });
});

afterEach(() => {
	provider.behaviour = {};
});

afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
});

test("an honest sign-in opens a session", async () => {
	const { response, client } = await signInWith(server, provider);
	expect(response.headers.get("location")).toBe("/");
	expect(await client.data("GET", "/v1/user")).toMatchObject({
		email: "mallory@example.com",
		username: "Mallory",
		role: "VIEWER",
		auth_method: "OAUTH2",
	});
});

test("the start asks for a code with state and nonce, and for nothing more", async () => {
	const address = new URL(await startSignIn(new Client(server)));
	const { state, nonce, ...rest } = Object.fromEntries(address.searchParams);
	expect([state?.length, nonce?.length]).toEqual([45, 32]);
	expect(rest).toEqual({
		client_id: "spanward",
		response_type: "code",
		redirect_uri: `${server.url}/oauth2/hostile/tokens`,
		scope: "openid email profile",
	});
	const again = new URL(await startSignIn(new Client(server)));
	expect(again.searchParams.get("state")).not.toBe(state);
	expect(again.searchParams.get("nonce")).not.toBe(nonce);
});

test("the start by a form is the same", async () => {
	for (const headers of [{}, { "content-type": "application/x-www-form-urlencoded" }]) {
		const response = await new Client(server).send("POST", "/oauth2/hostile/login?returnUrl=/x", undefined, headers);
		expect(response.status).toBe(302);
		expect(response.headers.get("location")).toContain(`${provider.issuer}/authorize?`);
	}
});

describe("T133: PKCE", () => {
	test("with USE_PKCE the code needs its verifier, by S256", async () => {
		await using own = await HostileProvider.start({ pkce: "required" });
		await using pkce = await startWithAuth({ ...own.settings(), SERVICE_OAUTH2_HOSTILE_USE_PKCE: "true" });
		const address = new URL(await startSignIn(new Client(pkce)));
		expect(address.searchParams.get("code_challenge_method")).toBe("S256");
		expect(address.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
		expect((await signInWith(pkce, own)).response.headers.get("location")).toBe("/");
		expect(own.tokenRequests.at(-1)?.body.get("code_verifier")).toMatch(/^[\w-]{43,128}$/);
		const stripped = new Client(pkce);
		const downgraded = new URL(await startSignIn(stripped));
		downgraded.searchParams.set("code_challenge", "A".repeat(43));
		const callback = await visitProvider(downgraded.href, own);
		expect((await stripped.send("GET", callback)).headers.get("location")).toBe("/login?error=oauth_error");
		expect(pkce.output).toContain("SERVICE_OAUTH2_HOSTILE_USE_PKCE");
	});

	test("without it nothing of PKCE is sent, and a provider that wants it leads to the setting's name", async () => {
		await using refusing = await HostileProvider.start({ pkce: "refused" });
		await using requiring = await HostileProvider.start({ pkce: "required" });
		await using plain = await startWithAuth({ ...refusing.settings("REFUSING"), ...requiring.settings("REQUIRING") });
		const { response } = await signInWith(plain, refusing, { idp: "refusing" });
		expect(response.headers.get("location")).toBe("/");
		expect(refusing.tokenRequests.at(-1)?.body.has("code_verifier")).toBe(false);
		const refused = await signInWith(plain, requiring, { idp: "requiring" });
		expect(refused.response.headers.get("location")).toBe("/login?error=auth_failed");
		expect(plain.output).toContain("SERVICE_OAUTH2_REQUIRING_USE_PKCE");
	});
});

describe("T134: how the client authenticates", () => {
	const clientId = "a:b %+ü/?&=";
	const clientSecret = "s:e c%r+e t/?&=ü";
	test.each(["client_secret_basic", "client_secret_post", "none"] as const)(
		"%s, with characters that are encoded",
		async (clientAuthentication) => {
			await using own = await HostileProvider.start({ clientAuthentication, clientId, clientSecret });
			await using asking = await startWithAuth(own.settings());
			expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/");
			const sent = own.tokenRequests.at(-1);
			const isBasic = clientAuthentication === "client_secret_basic";
			expect(sent?.authorization !== undefined).toBe(isBasic);
			expect(sent?.body.has("client_secret")).toBe(clientAuthentication === "client_secret_post");
		},
	);

	test("client_assertion_jwt: the file is read anew each time", async () => {
		const folder = await mkdtemp(join(tmpdir(), "assertion-"));
		const file = join(folder, "token");
		await writeFile(file, "aaa.bbb.ccc\n");
		await using own = await HostileProvider.start({ clientAuthentication: "client_assertion_jwt" });
		await using asking = await startWithAuth({
			...own.settings(),
			SERVICE_OAUTH2_HOSTILE_CLIENT_ASSERTION_FILE: file,
		});
		expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/");
		await writeFile(file, "ddd.eee.fff");
		await signInWith(asking, own);
		expect(own.tokenRequests.map(({ body }) => body.get("client_assertion"))).toEqual(["aaa.bbb.ccc", "ddd.eee.fff"]);
		for (const wrong of ["no token", "x".repeat(70_000)]) {
			await writeFile(file, wrong);
			expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/login?error=oauth_error");
		}
		await rm(folder, { recursive: true });
		expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/login?error=oauth_error");
		expect(asking.output).toContain("SERVICE_OAUTH2_HOSTILE_CLIENT_ASSERTION_FILE");
		expect(asking.output).not.toContain("aaa.bbb.ccc");
	});

	test("a wrong secret is named in the log by its setting", async () => {
		await using asking = await startWithAuth({
			...provider.settings(),
			SERVICE_OAUTH2_HOSTILE_CLIENT_SECRET: "another-secret-9d2c",
		});
		expect((await signInWith(asking, provider)).response.headers.get("location")).toBe("/login?error=oauth_error");
		expect(asking.output).toContain("SERVICE_OAUTH2_HOSTILE_CLIENT_SECRET");
		expect(asking.output).toContain("SERVICE_OAUTH2_HOSTILE_TOKEN_ENDPOINT_AUTH_METHOD");
		expect(asking.output).not.toContain("another-secret-9d2c");
	});
});

describe("userinfo", () => {
	test("is not asked for when the ID token has all", async () => {
		const before = provider.count("/userinfo");
		await expectOutcome({}, "/");
		expect(provider.count("/userinfo")).toBe(before);
	});

	test("T138: has the groups that the ID token lacks", async () => {
		await expectOutcome({ userinfo: { groups: ["/service/eng"] } }, "/", "groups");
		await expectOutcome({ claimsOnlyInUserinfo: true, claims: { groups: ["/service/eng"] } }, "/", "groups");
		await expectOutcome({ userinfo: { groups: ["/service/sales"] } }, "/login?error=auth_failed", "groups");
	});

	test("T135: about somebody else is refused", async () => {
		for (const sub of ["mallory-2", "", undefined, null, ["mallory-1"].concat("x")]) {
			await expectOutcome({ userinfo: { sub, groups: ["ops"] } }, "/login?error=auth_failed", "groups");
		}
	});

	test("T139: the ID token goes before it", async () => {
		const claims = { sub: "conflict-1", name: "Conflict" };
		const behaviour = {
			claims,
			idToken: { email: "id-token@example.com" },
			userinfo: { email: "userinfo@example.com" },
		};
		const { client } = await expectOutcome(
			{ ...behaviour, userinfo: { ...behaviour.userinfo, groups: ["ops"] } },
			"/",
			"groups",
		);
		expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "id-token@example.com" });
		await expectOutcome(
			{ idToken: { groups: ["nobody"] }, userinfo: { groups: ["ops"] } },
			"/login?error=auth_failed",
			"groups",
		);
	});

	describe("T136: that fails, where it is needed, lets nobody in", () => {
		const json = { "content-type": "application/json" };
		const answers: Record<string, NonNullable<Behaviour["answers"]>["userinfo"]> = {
			"500": (_request, response) => response.writeHead(500).end(),
			"401": (_request, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end(),
			HTML: (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
			"a list": (_request, response) => response.writeHead(200, json).end("[]"),
			null: (_request, response) => response.writeHead(200, json).end("null"),
			"too much": (_request, response) => response.writeHead(200, json).end(`"${"x".repeat(2_000_000)}"`),
			"a connection that ends": (request) => request.socket.destroy(),
		};
		test.each(Object.entries(answers))("%s", async (_name, userinfo) => {
			const behaviour = userinfo === undefined ? {} : { answers: { userinfo } };
			await expectOutcome(behaviour, "/login?error=auth_failed", "groups");
		});
	});

	describe("T137: that is signed", () => {
		const groups = { groups: ["ops"] };
		test("by the provider counts", async () => {
			await expectOutcome({ signUserinfo: "honest", userinfo: groups }, "/", "groups");
		});

		const refused: Record<string, Behaviour> = {
			"by another key": { signUserinfo: "other-key", userinfo: groups },
			"by nobody": { signUserinfo: "none", userinfo: groups },
			"by another issuer": { signUserinfo: "honest", userinfo: { ...groups, iss: "https://other.example" } },
			"for another client": { signUserinfo: "honest", userinfo: { ...groups, aud: "other" } },
			"about somebody else": { signUserinfo: "honest", userinfo: { ...groups, sub: "mallory-2" } },
			expired: { signUserinfo: "honest", userinfo: { ...groups, exp: 1_700_000_000 } },
		};
		test.each(Object.entries(refused))("%s does not", async (_name, behaviour) => {
			await expectOutcome(behaviour, "/login?error=auth_failed", "groups");
		});
	});

	test("that does not exist leaves the claims as they are", async () => {
		await using own = await HostileProvider.start();
		own.behaviour = { metadata: { userinfo_endpoint: undefined }, idToken: { email: undefined } };
		await using asking = await startWithAuth(own.settings());
		expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/login?error=missing_email_scope");
	});
});

describe("T153: a provider that the log-in page goes to by itself", () => {
	test("log-outs and refusals lead to pages that do not start again", async () => {
		await using auto = await startWithAuth({ ...provider.settings(), SERVICE_OAUTH2_HOSTILE_AUTO_LOGIN: "true" });
		const { client } = await signInWith(auto, provider);
		const loggedOut = await client.send("GET", "/auth/logout");
		expect([loggedOut.status, loggedOut.headers.get("location")]).toEqual([302, "/logout"]);
		expect(await client.send("GET", "/v1/user").then(({ status }) => status)).toBe(401);
		provider.behaviour = { sign: "none" };
		expect((await signInWith(auto, provider)).response.headers.get("location")).toBe("/login?error=auth_failed");
		const page = await (await fetch(`${auto.url}/login`)).text();
		expect(page).toMatch(/autoLogin(&quot;|"):(&quot;|")hostile/);
	});

	test("without passwords the page of log-outs tells what went wrong, below the root path", async () => {
		await using own = await startWithAuth({
			...provider.settings(),
			SERVICE_DISABLE_BASIC_AUTH: "true",
			SERVICE_HOST_ROOT_PATH: "/app",
		});
		const { response, client } = await signInWith(own, provider, { query: "?returnUrl=/projects" });
		expect(response.headers.get("location")).toBe("/app/projects");
		expect((await client.send("GET", "/auth/logout")).headers.get("location")).toBe("/app/logout");
		provider.behaviour = { sign: "none" };
		expect((await signInWith(own, provider)).response.headers.get("location")).toBe("/app/logout?error=auth_failed");
	});
});

test("T155: what was seen before a log-out is in no cache", async () => {
	const { client, response } = await signInWith(server, provider);
	expect(response.headers.get("cache-control")).toBe("no-store");
	const seen = await client.send("GET", "/v1/user");
	expect(seen.headers.get("cache-control")).toContain("no-store");
	const loggedOut = await client.send("GET", "/auth/logout");
	expect(loggedOut.headers.get("clear-site-data")).toContain('"cache"');
	expect((await client.send("GET", "/v1/user")).status).toBe(401);
	expect([...client.cookies.keys()]).toEqual([]);
});

test("the session of a sign-in is a new one, whatever cookies the browser had", async () => {
	const client = await logIn(server, "admin@localhost", "admin");
	const before = client.cookies.get("service-access-token");
	await signInWith(server, provider, { client });
	expect(client.cookies.get("service-access-token")).not.toBe(before);
	expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "mallory@example.com" });
});

test("a sign-in asks the provider for tokens alone, once it is known", async () => {
	await signInWith(server, provider);
	const before = provider.requests.length;
	await signInWith(server, provider);
	const asked = provider.requests.slice(before).map((request) => request.split("?", 1)[0]);
	expect(asked).toEqual(["GET /authorize", "POST /token"]);
});

describe("an admin's try", () => {
	test("shows the whole way, logs nobody in and creates nobody", async () => {
		const admin = await adminOf(server);
		provider.behaviour = {
			claims: { sub: "tried-1", email: "tried@example.com", name: "Tried", at_hash: "secret-hash", sid: "secret-sid" },
		};
		const report = await tryWith(admin, "hostile");
		expect(report).toMatchObject({ method: "OAUTH2", provider: "hostile", accepted: true, code: null });
		expect(report.steps.map(({ name, outcome }: { name: string; outcome: string }) => `${name} ${outcome}`)).toEqual(
			expect.arrayContaining([
				"discovery ok",
				"callback ok",
				"tokens ok",
				"id_token ok",
				"userinfo skipped",
				"account ok",
			]),
		);
		expect(report.claims).toMatchObject({ sub: "tried-1", email: "tried@example.com" });
		for (const secret of ["secret-hash", "secret-sid", "hostile-access-token", "eyJ"]) {
			expect(JSON.stringify(report)).not.toContain(secret);
		}
		const { data: users } = await (await admin.send("GET", "/v1/users?limit=100")).json();
		expect(users.map(({ email }: { email: string }) => email)).not.toContain("tried@example.com");
	});

	test("that is refused says why, with the claims as far as they are known", async () => {
		const admin = await adminOf(server);
		provider.behaviour = { claims: { sub: "tried-2", email: "tried-2@example.com", groups: ["sales"] } };
		const report = await tryWith(admin, "groups");
		expect(report).toMatchObject({ accepted: false, code: "auth_failed", claims: { groups: ["sales"] } });
		expect(report.steps.at(-1)).toMatchObject({
			name: "groups",
			outcome: "failed",
			settings: expect.arrayContaining(["SERVICE_OAUTH2_GROUPS_ALLOWED_GROUPS"]),
		});
		provider.behaviour = {
			callback: { code: undefined, error: "access_denied", error_description: "No \u001b[31m<b>way</b>" },
		};
		const refused = await tryWith(admin, "hostile");
		expect(refused).toMatchObject({ accepted: false, code: "auth_failed", claims: null });
		expect(JSON.stringify(refused)).not.toContain("\\u001b");
	});

	test("ends no session and begins none; its callback counts once", async () => {
		const admin = await adminOf(server);
		const { authorization_url: address } = await admin.data("POST", "/v1/sign_in/providers/hostile/try", {});
		const before = new Map(admin.cookies);
		const callback = await visitProvider(address, provider);
		const response = await admin.send("GET", callback);
		expect(response.headers.get("location")).toMatch(/^\/settings\/sign-in\?try=[\w-]+$/);
		expect(admin.cookies.get("service-access-token")).toBe(before.get("service-access-token"));
		expect(await admin.data("GET", "/v1/user")).toMatchObject({ role: "ADMIN" });
		for (const [name, value] of before) admin.cookies.set(name, value);
		expect((await admin.send("GET", callback)).headers.get("location")).toBe("/login?error=invalid_state");
	});

	test("of a provider that is down says so, and that it is back", async () => {
		await using own = await HostileProvider.start();
		own.behaviour = { answers: { discovery: (_request, response) => response.writeHead(502).end() } };
		await using asking = await startWithAuth(own.settings());
		const admin = await adminOf(asking);
		const { authorization_url: address } = await admin.data("POST", "/v1/sign_in/providers/hostile/try", {});
		const report = await admin.data("GET", `/v1/sign_in/tries/${new URL(address, asking.url).searchParams.get("try")}`);
		expect(report).toMatchObject({ accepted: false, code: "oauth_error" });
		own.behaviour = {};
		await sleep(4_000);
		expect((await signInWith(asking, own)).response.headers.get("location")).toBe("/");
	});

	async function tryWith(admin: Client, idp: string) {
		const { authorization_url: address } = await admin.data("POST", `/v1/sign_in/providers/${idp}/try`, {});
		const response = await admin.send("GET", await visitProvider(address, provider));
		const id = new URL(response.headers.get("location") ?? "", server.url).searchParams.get("try");
		return await admin.data("GET", `/v1/sign_in/tries/${id}`);
	}
});

describe("oidc-provider", () => {
	test.each(["client_secret_basic", "client_secret_post", "none"] as const)("T134: %s", async (method) => {
		await using peer = await startOidcProvider();
		await using asking = await startWithAuth({
			...peer.settings(method),
			...(method === "none" ? { SERVICE_OAUTH2_OIDC_USE_PKCE: "true" } : {}),
		});
		peer.allow([asking.url]);
		const client = new Client(asking);
		expect((await client.send("GET", await visitPeer(await startSignIn(client, "oidc")))).headers.get("location")).toBe(
			"/",
		);
		expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "alice@example.com", username: "Alice" });
	});

	test("claims only in userinfo, as its specification has it", async () => {
		await using peer = await startOidcProvider({ claimsOnlyInUserinfo: true });
		await using asking = await startWithAuth(peer.settings());
		peer.allow([asking.url]);
		const client = new Client(asking);
		expect((await client.send("GET", await visitPeer(await startSignIn(client, "oidc")))).headers.get("location")).toBe(
			"/",
		);
		expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "alice@example.com" });
	});

	/** Follows the provider's redirects with its cookies. @returns path and query of the way back */
	async function visitPeer(address: string): Promise<string> {
		const cookies = new Map<string, string>();
		let next = address;
		for (let count = 0; count < 10; count++) {
			const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
			const response = await fetch(next, { redirect: "manual", headers: { cookie } });
			for (const line of response.headers.getSetCookie()) {
				const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
				cookies.set(name, value);
			}
			const location = response.headers.get("location");
			if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
			const url = new URL(location, next);
			if (url.pathname.startsWith("/oauth2/")) return url.pathname + url.search;
			next = url.href;
		}
		throw new Error("the provider redirects without end");
	}
});

async function expectOutcome(behaviour: Behaviour, location: string, idp = "hostile") {
	provider.behaviour = behaviour;
	const signIn = await signInWith(server, provider, { idp });
	expect(signIn.response.headers.get("location"), JSON.stringify(behaviour)).toBe(location);
	return signIn;
}

/** The first admin, with a password of their own. */
async function adminOf(of: TestServer): Promise<Client> {
	const password = "second-Password2!";
	try {
		return await logIn(of, "admin@localhost", password);
	} catch {
		const client = await logIn(of, "admin@localhost", "admin");
		await client.data("PATCH", "/v1/user", { password, current_password: "admin" });
		return await logIn(of, "admin@localhost", password);
	}
}
