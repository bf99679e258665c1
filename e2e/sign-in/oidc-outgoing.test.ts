import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client, logIn, startWithAuth } from "../access/accounts.ts";
import { freePort } from "../server.ts";
import { HostileProvider, signInWith } from "./hostile-provider.ts";

const AUTHORITY = join(import.meta.dirname, "../certificates/authority.pem");

/** What of this machine nobody may have the service ask for. */
let inside: Server;
let asked: string[];

beforeAll(async () => {
	asked = [];
	inside = createServer((request, response) => {
		asked.push(`${request.method} ${request.url}`);
		response.end("{}");
	}).listen(0, "127.0.0.1");
	await once(inside, "listening");
});

afterAll(() => inside?.close());

describe("T124: the discovery document of another issuer", () => {
	test("is refused, whatever it is", async () => {
		await using provider = await HostileProvider.start();
		const { issuer } = provider;
		const issuers = [
			"https://accounts.example.com",
			`${issuer}/other`,
			issuer.toUpperCase(),
			`${issuer}//`,
			"",
			5,
			undefined,
		];
		await using server = await startWithAuth(manyTimes(provider, issuers.length));
		for (const [index, wrong] of issuers.entries()) {
			provider.behaviour = { metadata: { issuer: wrong } };
			expect(await start(server, `p${index}`), String(wrong)).toBe("/login?error=oauth_error");
			expect(server.output).toContain(`SERVICE_OAUTH2_P${index}_OIDC_CONFIG_URL`);
		}
		expect(server.output).toContain("SERVICE_OAUTH2_P0_ALLOW_ISSUER_MISMATCH");
	});

	test("is taken with ALLOW_ISSUER_MISMATCH, and then its tokens have to be of that issuer", async () => {
		await using provider = await HostileProvider.start();
		const issuer = "https://sts.example.com/tenant";
		provider.behaviour = { metadata: { issuer }, idToken: { iss: issuer } };
		const trusting = {
			SERVICE_OAUTH2_HOSTILE_ALLOW_ISSUER_MISMATCH: "true",
			SERVICE_OAUTH2_HOSTILE_TRUST_EMAIL: "true",
		};
		await using server = await startWithAuth({ ...provider.settings(), ...trusting });
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
		provider.behaviour = { metadata: { issuer } };
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/login?error=auth_failed");
	});

	test("for several tenants: the issuer with the tenant of the token, and no other", async () => {
		await using provider = await HostileProvider.start();
		const tenant = "9188040d-6c67-4c5b-b112-36a304b66dad";
		const metadata = { issuer: `${provider.issuer}/{tenantid}/v2.0` };
		const trusting = {
			SERVICE_OAUTH2_HOSTILE_ALLOW_ISSUER_MISMATCH: "true",
			SERVICE_OAUTH2_HOSTILE_TRUST_EMAIL: "true",
		};
		await using server = await startWithAuth({ ...provider.settings(), ...trusting });
		const outcome = async (idToken: Record<string, unknown>) => {
			provider.behaviour = { metadata, idToken };
			return (await signInWith(server, provider)).response.headers.get("location");
		};
		expect(await outcome({ iss: `${provider.issuer}/${tenant}/v2.0`, tid: tenant })).toBe("/");
		for (const idToken of [
			{ iss: `${provider.issuer}/${tenant}/v2.0` },
			{ iss: `${provider.issuer}/{tenantid}/v2.0` },
			{ iss: `${provider.issuer}/../v2.0`, tid: ".." },
			{ iss: `${provider.issuer}/${tenant}/v2.0`, tid: "00000000-0000-0000-0000-000000000000" },
		]) {
			expect(await outcome(idToken)).toBe("/login?error=auth_failed");
		}
	});

	test("a slash at the end of the issuer is the same issuer", async () => {
		await using provider = await HostileProvider.start();
		const issuer = `${provider.issuer}/`;
		provider.behaviour = { metadata: { issuer }, idToken: { iss: issuer } };
		await using server = await startWithAuth(provider.settings());
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
	});

	test("an issuer with a folder is asked there", async () => {
		await using provider = await HostileProvider.start({ path: "/realms/main" });
		await using server = await startWithAuth(provider.settings());
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
	});
});

describe("T125: endpoints that must not be asked", () => {
	const addresses = [
		"http://10.0.0.7/x",
		"http://provider.example.com/x",
		"http://169.254.169.254/latest/meta-data/",
		"https://169.254.169.254/latest/meta-data/",
		"https://[fe80::1]/x",
		"https://[::ffff:169.254.169.254]/x",
		"https://2852039166/x",
		"https://0.0.0.0/x",
		"https://[::]/x",
		"https://user:password@provider.example.com/x",
		"file:///etc/passwd",
		"gopher://127.0.0.1/x",
		"javascript:alert(1)",
		"//provider.example.com/x",
		"",
	];
	test("are refused with the discovery document", async () => {
		await using provider = await HostileProvider.start();
		const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"];
		const documents = endpoints.flatMap((endpoint) => addresses.map((address) => ({ [endpoint]: address })));
		await using server = await startWithAuth(manyTimes(provider, documents.length));
		for (const [index, metadata] of documents.entries()) {
			provider.behaviour = { metadata };
			expect(await start(server, `p${index}`), JSON.stringify(metadata)).toBe("/login?error=oauth_error");
		}
	});

	test.each(["discovery", "jwks", "token", "userinfo"] as const)("%s: redirects are not followed", async (endpoint) => {
		await using provider = await HostileProvider.start();
		const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/secrets`;
		provider.behaviour = {
			claimsOnlyInUserinfo: true,
			answers: {
				[endpoint]: (_request: unknown, response: import("node:http").ServerResponse) =>
					response.writeHead(302, { location }).end(),
			},
		};
		await using server = await startWithAuth(provider.settings());
		const outcome =
			endpoint === "discovery"
				? await start(server)
				: (await signInWith(server, provider)).response.headers.get("location");
		expect(outcome).toMatch(/^\/login\?error=(oauth_error|auth_failed)$/);
		expect(asked).toEqual([]);
	});
});

describe("a provider that is not there", () => {
	test("stops neither the start nor log-ins with passwords, and is found when it is back", async () => {
		const port = await freePort();
		const settings = {
			SERVICE_OAUTH2_HOSTILE_CLIENT_ID: "spanward",
			SERVICE_OAUTH2_HOSTILE_CLIENT_SECRET: "hostile-client-secret-6b1f",
			SERVICE_OAUTH2_HOSTILE_OIDC_CONFIG_URL: `http://127.0.0.1:${port}/.well-known/openid-configuration`,
		};
		await using server = await startWithAuth(settings);
		expect(await start(server)).toBe("/login?error=oauth_error");
		await logIn(server, "admin@localhost", "admin");
		await using provider = await HostileProvider.start({ port });
		expect(
			await eventually(
				() => start(server),
				(location) => location.startsWith(provider.issuer),
			),
		).toBe(true);
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
	});

	test("is not hammered while it is down", async () => {
		await using provider = await HostileProvider.start();
		provider.behaviour = { answers: { discovery: (_request, response) => response.writeHead(503).end() } };
		await using server = await startWithAuth(provider.settings());
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => start(server)));
		expect(new Set(outcomes)).toEqual(new Set(["/login?error=oauth_error"]));
		expect(provider.requests.length).toBeLessThan(10);
	});

	test("does not keep others from logging in while it hangs", async () => {
		await using provider = await HostileProvider.start();
		provider.behaviour = { answers: { discovery: () => {} } };
		await using server = await startWithAuth(provider.settings());
		const hanging = start(server);
		const started = performance.now();
		await logIn(server, "admin@localhost", "admin");
		expect(performance.now() - started).toBeLessThan(8_000);
		expect(await hanging).toBe("/login?error=oauth_error");
	});
});

describe("certificates of a provider", () => {
	test("an authority of its own is trusted by CA_CERT_FILE, and named when it is missing", async () => {
		await using provider = await HostileProvider.start({ certificate: "server" });
		await using trusting = await startWithAuth({
			...provider.settings(),
			SERVICE_OAUTH2_HOSTILE_CA_CERT_FILE: AUTHORITY,
		});
		expect(await start(trusting)).toContain(`${provider.issuer}/authorize`);
		await using other = await startWithAuth(provider.settings());
		expect(await start(other)).toBe("/login?error=oauth_error");
		expect(other.output).toContain("SERVICE_OAUTH2_HOSTILE_CA_CERT_FILE");
	});

	test.each([
		["expired", "is not valid at this time"],
		["wrong-host", "is for other names"],
		["untrusted", "is signed by an authority that is not trusted here"],
	] as const)("%s: refused", async (certificate, sentence) => {
		await using provider = await HostileProvider.start({ certificate });
		await using server = await startWithAuth({
			...provider.settings(),
			SERVICE_OAUTH2_HOSTILE_CA_CERT_FILE: AUTHORITY,
		});
		expect(await start(server)).toBe("/login?error=oauth_error");
		expect(server.output).toContain(sentence);
	});
});

/** Settings of providers p0, p1 and so on, which are all the same. */
function manyTimes(provider: HostileProvider, count: number): Record<string, string> {
	return Object.assign({}, ...Array.from({ length: count }, (_, index) => provider.settings(`P${index}`)));
}

async function start(server: Parameters<typeof logIn>[0], idp = "hostile"): Promise<string> {
	const response = await new Client(server).send("GET", `/oauth2/${idp}/login`);
	expect(response.status).toBe(302);
	return response.headers.get("location") ?? "";
}

async function eventually(look: () => Promise<string>, isRight: (seen: string) => boolean): Promise<boolean> {
	for (let count = 0; count < 60; count++) {
		if (isRight(await look())) return true;
		await sleep(500);
	}
	return false;
}
