import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";
import { type Answer, type Behaviour, HostileProvider, type SigningAlgorithm, signInWith } from "./hostile-provider.ts";

const ME = "spanward";

let provider: HostileProvider;
let server: TestServer;

beforeAll(async () => {
	provider = await HostileProvider.start();
	server = await startWithAuth(provider.settings());
});

afterEach(() => {
	provider.behaviour = {};
});

afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
});

describe("T120: an ID token that the provider has not signed lets nobody in", () => {
	const forged: Record<string, Behaviour> = {
		"no signature": { sign: "none" },
		"HS256 by the public key": { sign: "hs256-public-key" },
		"HS256 by the client secret": { sign: "hs256-client-secret" },
		"another key of the same kid": { sign: "other-key" },
		"a key in its own header": { sign: "embedded-key" },
		"an unknown kid": { header: { kid: "nobody's" }, sign: "other-key" },
		"claims changed after it was signed": { sign: "broken" },
		"a key by jku": { header: { kid: "nobody's", jku: "http://127.0.0.1:9/keys" }, sign: "other-key" },
		"an unknown critical header": { header: { crit: ["exp"], exp: 1 } },
		"no token at all": { tokens: { id_token: "three.little.words" } },
		"an encrypted token": { tokens: { id_token: "a.b.c.d.e" } },
	};
	test.each(Object.entries(forged))("%s", async (_name, behaviour) => {
		await expectRefused(behaviour, "auth_failed", "id_token");
	});
});

describe("T121: honest signatures let in", () => {
	test.each<SigningAlgorithm>(["RS256", "PS256", "ES256", "ES384", "EdDSA"])("%s", async (algorithm) => {
		await expectLoggedIn({ algorithm });
	});

	test("by a key that the provider publishes only since a moment ago, again and again within a minute", async () => {
		await expectLoggedIn({});
		provider.rotateKeys();
		await expectLoggedIn({});
	});

	test("by a new key, for ten people at once", async () => {
		await using own = await HostileProvider.start();
		await using other = await startWithAuth(own.settings());
		await signInWith(other, own);
		own.rotateKeys();
		const before = own.count("/jwks");
		const signIns = await Promise.all(Array.from({ length: 10 }, () => signInWith(other, own)));
		expect(signIns.map(({ response }) => response.headers.get("location"))).toEqual(Array(10).fill("/"));
		expect(own.count("/jwks") - before).toBe(1);
	});

	test("without a kid, where several keys might be meant", async () => {
		await using own = await HostileProvider.start();
		await using other = await startWithAuth(own.settings());
		const honest = await fetch(`${own.issuer}/jwks`).then(async (answer) => (await answer.json()).keys);
		const foreign = await fetch(`${provider.issuer}/jwks`).then(async (answer) => (await answer.json()).keys);
		own.behaviour = {
			header: { kid: undefined },
			answers: { jwks: (_request, response) => response.end(JSON.stringify({ keys: [...foreign, ...honest] })) },
		};
		const { response } = await signInWith(other, own);
		expect(response.headers.get("location")).toBe("/");
	});

	test("keys that nobody knows have the provider asked once a minute, not each time", async () => {
		const before = provider.count("/jwks");
		for (let count = 0; count < 4; count++) await expectRefused({ sign: "other-key" }, "auth_failed");
		expect(provider.count("/jwks") - before).toBeLessThanOrEqual(1);
	});
});

describe("T122: claims of an ID token", () => {
	const now = () => Math.floor(Date.now() / 1_000);
	const refused: Record<string, () => Behaviour["idToken"]> = {
		"another audience": () => ({ aud: "somebody-else" }),
		"an audience that begins like ours": () => ({ aud: `${ME}-2` }),
		"a list without us": () => ({ aud: ["a", "b"] }),
		"no audience": () => ({ aud: undefined }),
		"an object as audience": () => ({ aud: { [ME]: true } }),
		"several audiences without azp": () => ({ aud: [ME, "other"] }),
		"several audiences and a foreign azp": () => ({ aud: [ME, "other"], azp: "other" }),
		"a foreign azp": () => ({ azp: "other" }),
		"another issuer": () => ({ iss: "https://accounts.example.com" }),
		"the issuer with a slash": () => ({ iss: `${provider.issuer}/` }),
		"no issuer": () => ({ iss: undefined }),
		"the nonce of another sign-in": () => ({ nonce: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }),
		"no nonce": () => ({ nonce: undefined }),
		"expired two minutes ago": () => ({ exp: now() - 120 }),
		"no end": () => ({ exp: undefined }),
		"an end that is a text": () => ({ exp: String(now() + 300) }),
		"issued in two minutes": () => ({ iat: now() + 120, exp: now() + 600 }),
		"no beginning": () => ({ iat: undefined }),
		"a beginning that is a text": () => ({ iat: "now" }),
		"valid in two minutes": () => ({ nbf: now() + 120 }),
		"no sub": () => ({ sub: undefined }),
		"an empty sub": () => ({ sub: "" }),
		"an object as sub": () => ({ sub: { toString: "x" } }),
		"a number as sub that two people may share": () => ({ sub: 2 ** 60 }),
	};
	test.each(Object.entries(refused))("refused: %s", async (_name, idToken) => {
		await expectRefused({ idToken: idToken() ?? {} }, "auth_failed", "id_token");
	});

	const accepted: Record<string, () => Behaviour["idToken"]> = {
		"a list with us alone": () => ({ aud: [ME] }),
		"several audiences, and we are azp": () => ({ aud: ["other", ME], azp: ME }),
		"expired half a minute ago": () => ({ exp: now() - 30 }),
		"issued in half a minute": () => ({ iat: now() + 30 }),
		"valid in half a minute": () => ({ nbf: now() + 30 }),
	};
	test.each(Object.entries(accepted))("accepted: %s", async (_name, idToken) => {
		await expectLoggedIn({ idToken: idToken() ?? {} });
	});

	test("a number as sub is the same person each time", async () => {
		const claims = { sub: 4711, email: "number@example.com", name: "Number" };
		await expectLoggedIn({ claims });
		const { client } = await expectLoggedIn({ claims: { ...claims, sub: "4711" } });
		expect(await client.data("GET", "/v1/user")).toMatchObject({ email: "number@example.com" });
	});

	test("the log says that the clocks differ", async () => {
		await expectRefused({ clock: 3_600 }, "auth_failed");
		expect(server.output).toContain("set the clocks");
	});
});

describe("T123: what is no good answer to a code ends in an error page, soon and never with 500", () => {
	const refused: Record<string, readonly [code: string, behaviour: Behaviour]> = {
		"no ID token": ["no_oidc_support", { tokens: { id_token: undefined } }],
		"an ID token that is no text": ["no_oidc_support", { tokens: { id_token: 1 } }],
		"an error": ["oauth_error", { answers: { token: answer(400, "application/json", '{"error":"invalid_grant"}') } }],
		"an error that is no JSON": ["oauth_error", { answers: { token: answer(400, "text/plain", "no") } }],
		"HTML with 500": ["oauth_error", { answers: { token: answer(500, "text/html", "<h1>Oops</h1>") } }],
		"HTML with 200": ["oauth_error", { answers: { token: answer(200, "text/html", "<h1>Log in</h1>") } }],
		"a list": ["oauth_error", { answers: { token: answer(200, "application/json", "[]") } }],
		"no content": ["oauth_error", { answers: { token: (_request, response) => response.writeHead(204).end() } }],
		"no access token": ["oauth_error", { tokens: { access_token: undefined } }],
		"an access token that is no text": ["oauth_error", { tokens: { access_token: {} } }],
		"tokens of another type": ["oauth_error", { tokens: { token_type: "mac" } }],
		"no token type": ["oauth_error", { tokens: { token_type: undefined } }],
		"10 MB": ["oauth_error", { answers: { token: answer(200, "application/json", `"${"x".repeat(10_000_000)}"`) } }],
		"a redirect": [
			"oauth_error",
			{
				answers: {
					token: (_request, response) => response.writeHead(307, { location: `${provider.issuer}/jwks` }).end(),
				},
			},
		],
		"a connection that ends": ["oauth_error", { answers: { token: (request) => request.socket.destroy() } }],
		"another protocol": [
			"oauth_error",
			{ answers: { token: (request) => request.socket.end("SSH-2.0-OpenSSH_9.6\r\n") } },
		],
	};
	test.each(Object.entries(refused))("%s", async (_name, [code, behaviour]) => {
		await expectRefused(behaviour, code, "tokens");
	});

	test("nothing at all: given up, and others do not wait for that", async () => {
		provider.behaviour = { answers: { token: () => {} } };
		let isStalled = true;
		const stalled = signInWith(server, provider).finally(() => {
			isStalled = false;
		});
		await sleep(500);
		provider.behaviour = {};
		await expectLoggedIn({});
		expect(isStalled).toBe(true);
		const { response } = await stalled;
		expect(response.headers.get("location")).toBe("/login?error=oauth_error");
	});

	test("a byte a second: given up as well", async () => {
		provider.behaviour = {
			answers: {
				token: (_request, response) => {
					response.writeHead(200, { "content-type": "application/json" });
					const timer = setInterval(() => response.write(" "), 1_000);
					response.on("close", () => clearInterval(timer));
				},
			},
		};
		const { response } = await signInWith(server, provider);
		expect(response.headers.get("location")).toBe("/login?error=oauth_error");
	});

	test("a lower-case token type and further members are fine", async () => {
		await expectLoggedIn({
			tokens: { token_type: "bearer", expires_in: "300", session_state: "x", refresh_token: "r" },
		});
	});
});

test("no token, code or secret is in the log", async () => {
	for (const secret of [provider.clientSecret, "hostile-access-token", "eyJhbGciOi"]) {
		expect(server.output).not.toContain(secret);
	}
	for (const { body } of provider.tokenRequests) expect(server.output).not.toContain(body.get("code"));
	expect(server.output).not.toContain("mallory@example.com");
});

async function expectRefused(behaviour: Behaviour, code: string, step?: string): Promise<void> {
	provider.behaviour = behaviour;
	const logged = server.output.length;
	const { response, client } = await signInWith(server, provider);
	expect(response.status).toBe(302);
	expect(response.headers.get("location")).toBe(`/login?error=${code}`);
	expect([...client.cookies.keys()]).toEqual([]);
	const warning =
		server.output
			.slice(logged)
			.split("\n")
			.find((line) => line.includes('"level":40')) ?? "";
	if (step !== undefined) expect(JSON.parse(warning)).toMatchObject({ provider: "hostile", code, step });
}

async function expectLoggedIn(behaviour: Behaviour) {
	provider.behaviour = behaviour;
	const signIn = await signInWith(server, provider);
	expect(signIn.response.headers.get("location")).toBe("/");
	expect([...signIn.client.cookies.keys()].sort()).toEqual(["service-access-token", "service-refresh-token"]);
	return signIn;
}

function answer(status: number, type: string, body: string): Answer {
	return (_request, response) => response.writeHead(status, { "content-type": type }).end(body);
}
