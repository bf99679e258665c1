import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { asAdmin, Client, logIn, startWithAuth } from "../access/accounts.ts";
import { sendPlain } from "../access/plain-request.ts";
import { rawStatus } from "../access/raw-request.ts";
import type { TestServer } from "../server.ts";
import { HostileProvider, signInWith, startSignIn, visitProvider } from "./hostile-provider.ts";

const INVALID = "/login?error=invalid_state";

let provider: HostileProvider;
let other: HostileProvider;
let server: TestServer;

beforeAll(async () => {
	[provider, other] = await Promise.all([HostileProvider.start(), HostileProvider.start()]);
	server = await startWithAuth({ ...provider.settings(), ...provider.settings("TWIN"), ...other.settings("OTHER") });
});

afterEach(() => {
	provider.behaviour = {};
});

afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
	await other?.[Symbol.asyncDispose]();
});

describe("T126: the answer of one provider at the callback of another", () => {
	test.each([
		["hostile", "other"],
		["hostile", "twin"],
	])("the state of %s at %s", async (from, to) => {
		const client = new Client(server);
		const callback = await visitProvider(await startSignIn(client, from), provider);
		await expectRefused(client, callback.replace(`/oauth2/${from}/`, `/oauth2/${to}/`), INVALID);
		// It was completed by that.
		await expectRefused(client, callback, INVALID);
	});

	test.each([
		["a foreign iss", () => ({ iss: other.issuer })],
		["an empty iss", () => ({ iss: "" })],
		["iss with a slash", () => ({ iss: `${provider.issuer}/` })],
	])("%s", async (_name, callback) => {
		provider.behaviour = { callback: callback() };
		const tokens = provider.tokenRequests.length;
		const { response } = await signInWith(server, provider);
		expect(response.headers.get("location")).toBe(INVALID);
		expect(provider.tokenRequests.length).toBe(tokens);
	});

	test("iss is needed from who announces it, and good when it is right", async () => {
		await using announcing = await HostileProvider.start();
		const metadata = { authorization_response_iss_parameter_supported: true };
		announcing.behaviour = { metadata };
		await using own = await startWithAuth(announcing.settings());
		expect((await signInWith(own, announcing)).response.headers.get("location")).toBe(INVALID);
		announcing.behaviour = { metadata, callback: { iss: announcing.issuer } };
		expect((await signInWith(own, announcing)).response.headers.get("location")).toBe("/");
	});
});

describe("T127: what a browser comes back with counts once", () => {
	test("the same callback again, also with a code that the provider takes twice", async () => {
		provider.behaviour = { reusableCodes: true };
		const client = new Client(server);
		const address = await startSignIn(client);
		const before = new Map(client.cookies);
		const callback = await visitProvider(address, provider);
		expect((await client.send("GET", callback)).headers.get("location")).toBe("/");
		for (const [name, value] of before) client.cookies.set(name, value);
		const tokens = provider.tokenRequests.length;
		expect((await client.send("GET", callback)).headers.get("location")).toBe(INVALID);
		const further = await visitProvider(address, provider);
		for (const [name, value] of before) client.cookies.set(name, value);
		expect((await client.send("GET", further)).headers.get("location")).toBe(INVALID);
		expect(provider.tokenRequests.length).toBe(tokens);
	});

	test("twenty times at once: one session", async () => {
		provider.behaviour = { reusableCodes: true };
		const client = new Client(server);
		const callback = await visitProvider(await startSignIn(client), provider);
		const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => fetch(server.url + callback, { redirect: "manual", headers: { cookie } })),
		);
		const locations = answers.map(({ headers }) => headers.get("location"));
		expect(locations.filter((location) => location === "/")).toHaveLength(1);
		expect(locations.filter((location) => location === INVALID)).toHaveLength(19);
	});

	test("the state of one tab with the code of another", async () => {
		const client = new Client(server);
		const [one = "", two = ""] = [
			await visitProvider(await startSignIn(client), provider),
			await visitProvider(await startSignIn(client), provider),
		];
		const code = new URL(two, server.url).searchParams.get("code") ?? "";
		const mixed = one.replace(/code=[^&]*/, `code=${code}`);
		await expectRefused(client, mixed, "/login?error=auth_failed");
		// The code is spent; its own state gets no session with it.
		await expectRefused(client, two, "/login?error=oauth_error");
	});

	test.each([
		"",
		"?code=x",
		"?state=x",
		"?code=x&state=",
		"?code=x&state=aaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"?error=access_denied",
		"?code=x&state=%00%0d%0a",
		`?code=x&state=${"x".repeat(5_000)}`,
		"?code=x&state[]=a",
	])("nothing that was begun here: %s", async (query) => {
		await expectRefused(new Client(server), `/oauth2/hostile/tokens${query}`, INVALID);
	});

	test.each(["code", "state", "iss", "error"])("%s twice", async (name) => {
		const client = new Client(server);
		const callback = await visitProvider(await startSignIn(client), provider);
		const value = new URL(callback, server.url).searchParams.get(name) ?? "x";
		await expectRefused(client, `${callback}&${name}=${value}&${name}=${value}`, INVALID);
	});

	test("HEAD, POST and other methods complete nothing", async () => {
		const client = new Client(server);
		const callback = await visitProvider(await startSignIn(client), provider);
		for (const method of ["HEAD", "POST", "PUT", "DELETE"]) {
			const response = await client.send(method, callback);
			expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
		}
		const start = await client.send("PUT", "/oauth2/hostile/login");
		expect([start.status, start.headers.get("allow")]).toEqual([405, "GET, POST"]);
		expect((await client.send("GET", callback)).headers.get("location")).toBe("/");
	});
});

describe("T128: cookies of a sign-in", () => {
	test("without them there is none", async () => {
		const callback = await visitProvider(await startSignIn(new Client(server)), provider);
		await expectRefused(new Client(server), callback, INVALID);
		expect(server.output).toContain("SERVICE_ROOT_URL");
	});

	test("those of another tab do not matter: both end", async () => {
		const client = new Client(server);
		const [one, two] = [await startSignIn(client), await startSignIn(client)];
		expect([...client.cookies.keys()]).toHaveLength(2);
		expect((await client.send("GET", await visitProvider(two, provider))).headers.get("location")).toBe("/");
		expect((await client.send("GET", await visitProvider(one, provider))).headers.get("location")).toBe("/");
		expect([...client.cookies.keys()].filter((name) => name.includes("oauth2"))).toEqual([]);
	});

	test("a browser that begins a hundred times keeps few", async () => {
		const client = new Client(server);
		for (let count = 0; count < 30; count++) await startSignIn(client, "hostile", `?returnUrl=/${"x".repeat(900)}`);
		expect([...client.cookies].flat().join("").length).toBeLessThan(6_000);
	});

	test("the log-out forgets them", async () => {
		const { client } = await signInWith(server, provider);
		await startSignIn(client);
		await client.send("POST", "/auth/logout");
		expect([...client.cookies.keys()]).toEqual([]);
	});

	test("changed ones count for nothing", async () => {
		const client = new Client(server);
		const callback = await visitProvider(await startSignIn(client), provider);
		for (const [name, value] of client.cookies) client.cookies.set(name, `${value.slice(0, -4)}AAAA`);
		await expectRefused(client, callback, INVALID);
	});
});

test("T129: somebody else's code and state log nobody in", async () => {
	const attacker = new Client(server);
	const callback = await visitProvider(await startSignIn(attacker), provider);
	await expectRefused(new Client(server), callback, INVALID);
	const victim = new Client(server);
	await startSignIn(victim);
	await expectRefused(victim, callback, INVALID);
	const loggedIn = await logIn(server, "admin@localhost", "admin");
	expect((await loggedIn.send("GET", callback)).headers.get("location")).toBe(INVALID);
	expect(await loggedIn.data("GET", "/v1/user")).toMatchObject({ email: "admin@localhost" });
});

describe("T130: the redirect address", () => {
	const redirectUri = async (from: TestServer, headers: Record<string, string> = {}) => {
		const response = await new Client(from).send("GET", "/oauth2/hostile/login", undefined, headers);
		return new URL(response.headers.get("location") ?? "", from.url).searchParams.get("redirect_uri");
	};

	test("is ours, whatever the request says", async () => {
		const own = `${server.url}/oauth2/hostile/tokens`;
		for (const headers of [
			{ referer: "https://evil.example/x" },
			{ origin: "https://evil.example" },
			{ "x-forwarded-host": "evil.example" },
			{ "x-forwarded-proto": "https" },
			{ forwarded: "host=evil.example" },
		]) {
			expect(await redirectUri(server, headers)).toBe(own);
		}
	});

	test("is that of SERVICE_ROOT_URL, with the root path", async () => {
		await using own = await startWithAuth({
			...provider.settings(),
			SERVICE_ROOT_URL: "https://spanward.example",
			SERVICE_HOST_ROOT_PATH: "/app",
		});
		expect(await redirectUri(own, { host: "evil.example" })).toBe("https://spanward.example/app/oauth2/hostile/tokens");
	});

	test("is not known to a host that no setting names", async () => {
		const { headers } = await sendPlain("GET", `${server.url}/oauth2/hostile/login`, { host: "evil.example" });
		expect(headers.location).toBe("/login?error=oauth_error");
		expect(server.output).toContain("set SERVICE_ROOT_URL");
	});
});

describe("T131: the page to return to", () => {
	test.each([
		["/projects?tab=a%20b", "/projects?tab=a%20b"],
		["//evil.example", "/"],
		["/\\evil.example", "/"],
		["/%2Fevil.example", "/"],
		["https://evil.example", "/"],
		["javascript:alert(1)", "/"],
		["/\nSet-Cookie:x=1", "/"],
		["/..//evil.example", "/"],
		["/login?error=x", "/"],
		["/oauth2/hostile/login", "/"],
		[`/${"x".repeat(10_000)}`, "/"],
	])("%j", async (wanted, path) => {
		const { response } = await signInWith(server, provider, { query: `?returnUrl=${encodeURIComponent(wanted)}` });
		expect(response.headers.get("location")).toBe(path);
	});

	test("twice, or by another name", async () => {
		for (const query of [
			"?returnUrl=/a&returnUrl=//evil.example",
			"?return_to=https://evil.example",
			"?returnUrl[a]=b",
		]) {
			expect((await signInWith(server, provider, { query })).response.headers.get("location")).toBe("/");
		}
	});
});

describe("T132: an error of the provider is not shown to anybody", () => {
	const evil = "<script>alert(1)</script>\u001b[31m\r\nSet-Cookie: a=b";
	test.each(["access_denied", "invalid_scope", "invalid_request", "temporarily_unavailable", evil])(
		"%j",
		async (error) => {
			provider.behaviour = {
				callback: { code: undefined, error, error_description: evil, error_uri: "javascript:alert(1)" },
			};
			const logged = server.output.length;
			const { response, client } = await signInWith(server, provider);
			expect(response.headers.get("location")).toBe("/login?error=auth_failed");
			expect([...client.cookies.keys()]).toEqual([]);
			expect(await response.text()).toBe("");
			const written = server.output.slice(logged);
			expect(written).toContain('"step":"callback"');
			for (const text of ["script", "\u001b", "Set-Cookie", "[31m"]) expect(written).not.toContain(text);
		},
	);

	test("settings are named where they may help", async () => {
		provider.behaviour = { callback: { code: undefined, error: "invalid_scope" } };
		await signInWith(server, provider);
		expect(server.output).toContain("SERVICE_OAUTH2_HOSTILE_SCOPES");
	});
});

describe("T151: strangers who hammer the callback", () => {
	test("20 of them, without and with a sign-in of their own, keep nobody from logging in", async () => {
		const stop = new AbortController();
		const hammering = Array.from({ length: 20 }, async (_, index) => {
			while (!stop.signal.aborted) {
				const stranger = new Client(server);
				if (index % 2 === 0) await stranger.send("GET", "/oauth2/hostile/tokens?code=x&state=y");
				else {
					const state = new URL(await startSignIn(stranger)).searchParams.get("state");
					await stranger.send("GET", `/oauth2/hostile/tokens?code=guess&state=${state}`);
				}
			}
		});
		try {
			for (let count = 0; count < 5; count++) {
				expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
			}
			await logIn(server, "admin@localhost", "admin");
		} finally {
			stop.abort();
		}
		await Promise.all(hammering);
	});

	test("what they leave in the audit log and the log is bounded", async () => {
		await using own = await startWithAuth(provider.settings());
		const strangers = Array.from({ length: 300 }, () =>
			new Client(own).send("GET", "/oauth2/hostile/tokens?code=x&state=y"),
		);
		await Promise.all(strangers);
		const events: { code?: string }[] = await asAdmin(own).data("GET", "/v1/audit_events?limit=1000");
		const warnings = own.output.split("\n").filter((line) => line.includes('"invalid_state"'));
		for (const left of [events.filter(({ code }) => code === "invalid_state"), warnings]) {
			expect(left.length).toBeGreaterThan(0);
			// 120 in each of the two minutes that there may have been.
			expect(left.length).toBeLessThanOrEqual(240);
		}
	});

	test("who signs in at the provider as one who may not come in is noted in spite of them", async () => {
		const strangers = Array.from({ length: 300 }, () =>
			new Client(server).send("GET", "/oauth2/hostile/tokens?code=x&state=y"),
		);
		await Promise.all(strangers);
		provider.behaviour = { claims: { email: "admin@localhost", sub: "noted" } };
		await signInWith(server, provider);
		const events = await asAdmin(server).send("GET", "/v1/audit_events?limit=1000");
		const { data } = await events.json();
		expect(data.filter(({ code }: { code: string }) => code === "email_in_use")).toHaveLength(1);
	});
});

describe("T156: ids in the address that no provider has", () => {
	test.each([
		"register",
		"authorize",
		"HOSTILE",
		"a",
		"__proto__",
		"constructor",
		"hostile%00",
		"%E2%80%AE",
		"x".repeat(5_000),
	])("%s: unknown_idp", async (id) => {
		for (const path of [`/oauth2/${id}/login`, `/oauth2/${id}/tokens?code=x&state=y`]) {
			const response = await new Client(server).send("GET", path);
			expect([response.status, response.headers.get("location")]).toEqual([302, "/login?error=unknown_idp"]);
		}
	});

	test.each(["/oauth2/hostile", "/oauth2/hostile/x", "/oauth2/a/b/login", "/oauth2/x%2F..%2Fy/../login"])(
		"%s is not found",
		async (path) => {
			expect((await new Client(server).send("GET", path)).status).toBe(404);
		},
	);

	test("dots in a path lead nowhere else", async () => {
		expect(await rawStatus(server, "GET /oauth2/x/../hostile/login")).toBe(404);
	});
});

async function expectRefused(client: Client, callback: string, location: string): Promise<void> {
	const response = await client.send("GET", callback);
	expect([response.status, response.headers.get("location")]).toEqual([302, location]);
	expect(response.headers.get("cache-control")).toBe("no-store");
	expect([...client.cookies.keys()].filter((name) => name.includes("token"))).toEqual([]);
}
