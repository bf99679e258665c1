import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { problems } from "#base/settings/test-settings.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { ownHosts } from "./request-hosts.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const NOTHING = { SERVICE_HOST: null, SERVICE_ROOT_URL: null, SERVICE_ALLOWED_HOSTS: [] };

describe("names of this server", () => {
	test.each(["localhost", "LOCALHOST:6006", "127.0.0.1:6006", "[::1]:6006", "localhost.", "app.localhost:80"])(
		"%s always is one",
		(host) => expect(ownHosts(NOTHING)(host)).toBe(true),
	);

	test.each([
		"evil.example",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"evil.example:localhost",
		"localhost@evil.example",
		"localhost,evil.example",
		"evillocalhost",
		"192.0.2.7:6006",
		"[2001:db8::7]",
		"",
		"a b",
	])("%s is none by itself", (host) => expect(ownHosts(NOTHING)(host)).toBe(false));

	test("the address it listens on is one, and no other", () => {
		const isOwn = ownHosts({ ...NOTHING, SERVICE_HOST: "192.0.2.7" });
		expect([isOwn("192.0.2.7:6006"), isOwn("192.0.2.8:6006"), isOwn("evil.example")]).toEqual([true, false, false]);
	});

	test.each(["0.0.0.0", "::"])("on %s every address is one, as probes use, and no name", (host) => {
		const isOwn = ownHosts({ ...NOTHING, SERVICE_HOST: host });
		expect([isOwn("10.1.2.3:6006"), isOwn("[2001:db8::7]:6006"), isOwn("10.1.2.3.evil.example")]).toEqual([
			true,
			true,
			false,
		]);
	});

	test("the host of SERVICE_ROOT_URL is one at any port, and those of SERVICE_ALLOWED_HOSTS are", () => {
		const isOwn = ownHosts({
			...NOTHING,
			SERVICE_ROOT_URL: "https://traces.example.com:8443/a",
			SERVICE_ALLOWED_HOSTS: ["spanward", "*.internal.example"],
		});
		for (const host of [
			"traces.example.com",
			"Traces.Example.Com:8443",
			"spanward:6006",
			"a.internal.example",
			"a.b.internal.example",
		])
			expect(isOwn(host)).toBe(true);
		for (const host of ["example.com", "spanward.evil.example", "internal.example", "evilinternal.example"])
			expect(isOwn(host)).toBe(false);
	});
});

test("SERVICE_ALLOWED_HOSTS takes names and addresses, but no wildcard for everything and no URLs", () => {
	const of = (value: string) => problems({ SERVICE_ALLOWED_HOSTS: value });
	expect(of("spanward, Traces.Example.Com, 192.0.2.7, 2001:db8::7, *.example.com, bücher.example")).toEqual([]);
	for (const wrong of ["*", "*.com", "*.10.0.0.1", "https://a.example", "a.example:80", "a/b", "a b"])
		expect(of(wrong)).toEqual([expect.stringContaining("SERVICE_ALLOWED_HOSTS must be host names")]);
});

describe("while authentication is off, a request under a foreign name", () => {
	const host = "evil.example:6006";

	test("is refused before anything else, reading and writing, and told what to set", async () => {
		for (const url of ["/v1/projects", "/v1/traces", "/", "/login", "/metrics", "/v1/nothing", "/openapi.json"]) {
			const { status, text } = await server.get(url, { host });
			expect([url, status]).toEqual([url, 421]);
			expect(text).toContain("SERVICE_ALLOWED_HOSTS");
		}
		expect((await server.call("POST", "/v1/projects", { name: "from afar" }, { host })).status).toBe(421);
		expect((await server.get("/v1/projects/from%20afar")).status).toBe(404);
	});

	test("is answered where it is about health only", async () => {
		for (const url of ["/healthz", "/readyz"]) expect((await server.get(url, { host })).status).toBe(200);
	});

	test("is taken for an export from a program, but not from a page", async () => {
		const send = async (headers: Record<string, string>) =>
			(await server.call("POST", "/v1/traces", { resourceSpans: [] }, { host: "spanward:6006", ...headers })).status;
		expect(await send({})).toBe(200);
		expect(await send({ origin: "http://spanward:6006" })).toBe(421);
		expect(await send({ origin: "null" })).toBe(421);
		expect(await send({ "sec-fetch-site": "same-origin" })).toBe(421);
	});

	test("is taken under a name that settings allow, and under none that only a proxy's client claims", async () => {
		const { context } = server;
		const config = {
			...context.config,
			SERVICE_ALLOWED_HOSTS: ["traces.example.com"],
			SERVICE_TRUSTED_PROXIES: ["127.0.0.1"],
		};
		await using app = await buildApp({ ...context, config });
		const ask = async (headers: Record<string, string>) =>
			(await app.inject({ url: "/v1/projects", headers })).statusCode;
		expect(await ask({ host: "traces.example.com" })).toBe(200);
		expect(await ask({ host: "localhost", "x-forwarded-host": "traces.example.com" })).toBe(200);
		expect(await ask({ host: "localhost", "x-forwarded-host": "evil.example" })).toBe(421);
		expect(await ask({ host: "evil.example", "x-forwarded-host": "localhost" })).toBe(421);
	});
});

test("with authentication the name does not matter: credentials do", async () => {
	await using guarded = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	expect((await guarded.get("/v1/projects", { host: "traces.example.com" })).status).toBe(401);
});

test("two Host headers are 400 with headers as always, also where they are equal", async () => {
	const port = Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);
	const ask = async (lines: string) => {
		const socket = connect(port, "127.0.0.1");
		socket.write(`GET /v1/projects HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
		let answer = "";
		for await (const chunk of socket) answer += String(chunk);
		return answer;
	};
	expect(await ask("Host: localhost")).toMatch(/^HTTP\/1\.1 200 /);
	for (const lines of ["Host: localhost\r\nHost: evil.example", "host: localhost\r\nX-A: b\r\nHOST: localhost"]) {
		const answer = await ask(lines);
		expect(answer).toMatch(/^HTTP\/1\.1 400 /);
		expect(answer).toContain("x-content-type-options: nosniff");
	}
});
