import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client, logIn, startWithAuth } from "../access/accounts.ts";
import { freePort } from "../server.ts";
import { type Answer, HostileProvider, signInWith } from "./hostile-provider.ts";

const AUTHORITY = join(import.meta.dirname, "../certificates/authority.pem");

type Claims = Readonly<Record<string, unknown>>;

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
		const tenant = "9188040d-6c67-4c5b-b112-36a304b66dad";
		const sts = "https://sts.example.com/tenant";
		const several = { issuer: `${provider.issuer}/{tenantid}/v2.0` };
		await using server = await startWithAuth({
			...trusting(provider, "ONE"),
			...trusting(provider, "SEVERAL"),
		});
		const outcome = async (idp: string, metadata: Claims, idToken: Claims) => {
			provider.behaviour = { metadata, idToken };
			return (await signInWith(server, provider, { idp })).response.headers.get("location");
		};
		expect(await outcome("one", { issuer: sts }, { iss: sts })).toBe("/");
		expect(await outcome("one", { issuer: sts }, {})).toBe("/login?error=auth_failed");
		const right = {
			iss: `${provider.issuer}/${tenant}/v2.0`,
			tid: tenant,
			sub: "of-a-tenant",
			email: "tenant@example.com",
		};
		expect(await outcome("several", several, right)).toBe("/");
		for (const wrong of [
			{ tid: undefined },
			{ iss: `${provider.issuer}/{tenantid}/v2.0`, tid: undefined },
			{ iss: `${provider.issuer}/../v2.0`, tid: ".." },
			{ tid: "00000000-0000-0000-0000-000000000000" },
			{ tid: [tenant] },
		]) {
			expect(await outcome("several", several, { ...right, ...wrong })).toBe("/login?error=auth_failed");
		}
	});

	test("is not one with a slash at its end, and is looked for in its folder", async () => {
		await using provider = await HostileProvider.start();
		await using folder = await HostileProvider.start({ path: "/realms/main" });
		const issuer = `${provider.issuer}/`;
		provider.behaviour = { metadata: { issuer }, idToken: { iss: issuer } };
		folder.behaviour = { claims: { sub: "folder", email: "folder@example.com" } };
		await using server = await startWithAuth({ ...provider.settings(), ...folder.settings("FOLDER") });
		expect((await signInWith(server, provider)).response.headers.get("location")).toBe("/");
		const inFolder = await signInWith(server, folder, { idp: "folder" });
		expect(inFolder.response.headers.get("location")).toBe("/");
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

	test("redirects are not followed", async () => {
		await using provider = await HostileProvider.start();
		const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/secrets`;
		const redirect: Answer = (_request, response) => response.writeHead(302, { location }).end();
		const endpoints = ["discovery", "jwks", "token", "userinfo"] as const;
		await using server = await startWithAuth(manyTimes(provider, endpoints.length));
		for (const [index, endpoint] of endpoints.entries()) {
			provider.behaviour = {
				claimsOnlyInUserinfo: true,
				answers: { [endpoint]: redirect },
			};
			const outcome =
				endpoint === "discovery"
					? await start(server, `p${index}`)
					: (await signInWith(server, provider, { idp: `p${index}` })).response.headers.get("location");
			expect(outcome, endpoint).toMatch(/^\/login\?error=(oauth_error|auth_failed)$/);
		}
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

	test("is neither hammered nor waited for by others", async () => {
		await using down = await HostileProvider.start();
		await using hanging = await HostileProvider.start();
		down.behaviour = { answers: { discovery: (_request, response) => response.writeHead(503).end() } };
		hanging.behaviour = { answers: { discovery: () => {} } };
		await using server = await startWithAuth({ ...down.settings("DOWN"), ...hanging.settings("HANGING") });
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => start(server, "down")));
		expect(new Set(outcomes)).toEqual(new Set(["/login?error=oauth_error"]));
		expect(down.requests.length).toBeLessThan(10);
		let isWaiting = true;
		const waiting = start(server, "hanging").finally(() => {
			isWaiting = false;
		});
		await logIn(server, "admin@localhost", "admin");
		expect(isWaiting).toBe(true);
		expect(await waiting).toBe("/login?error=oauth_error");
	});
});

test("an authority of its own is trusted by CA_CERT_FILE, and what is wrong with a certificate is said", async () => {
	const names = ["server", "expired", "wrong-host", "untrusted"] as const;
	const started = await Promise.all(names.map((certificate) => HostileProvider.start({ certificate })));
	await using providers = new AsyncDisposableStack();
	for (const provider of started) providers.use(provider);
	const [good, expired, wrongHost, untrusted] = started;
	if (!good || !expired || !wrongHost || !untrusted) throw new Error("a provider is missing");
	await using server = await startWithAuth({
		...withAuthority(good, "GOOD"),
		...withAuthority(expired, "EXPIRED"),
		...withAuthority(wrongHost, "ELSEWHERE"),
		...withAuthority(untrusted, "UNTRUSTED"),
		...good.settings("UNNAMED"),
		// Of the environment of another program, such as a shell's.
		NODE_TLS_REJECT_UNAUTHORIZED: "0",
	});
	expect(await start(server, "good")).toContain(`${good.issuer}/authorize`);
	for (const [idp, sentence] of [
		["expired", "is not valid at this time"],
		["elsewhere", "is for other names"],
		["untrusted", "is signed by an authority that is not trusted here"],
		["unnamed", "SERVICE_OAUTH2_UNNAMED_CA_CERT_FILE"],
	] as const) {
		const logged = server.output.length;
		expect(await start(server, idp)).toBe("/login?error=oauth_error");
		expect(server.output.slice(logged)).toContain(sentence);
	}
});

function withAuthority(provider: HostileProvider, idp: string): Record<string, string> {
	return { ...provider.settings(idp), [`SERVICE_OAUTH2_${idp}_CA_CERT_FILE`]: AUTHORITY };
}

function trusting(provider: HostileProvider, idp: string): Record<string, string> {
	return {
		...provider.settings(idp),
		[`SERVICE_OAUTH2_${idp}_ALLOW_ISSUER_MISMATCH`]: "true",
		[`SERVICE_OAUTH2_${idp}_TRUST_EMAIL`]: "true",
	};
}

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
