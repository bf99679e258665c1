import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, type Json } from "../fixture-comparison.ts";
import { startServer, type TestServer } from "../server.ts";
import { listJsonRoutes, plant } from "./json-samples.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const JSON_TYPE = { "content-type": "application/json" };
/** Never in an answer: stacks, paths, the words of the database. */
const INSIDE = /\n\s+at |node_modules|apps\/server|SQLITE|sqlite|NaN/;

function asAdmin(method: string, path: string, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) {
	return server.fetch(path, { method, body, headers: { authorization: `Bearer ${server.adminKey}`, ...headers } });
}

describe("T193 JSON that no client writes", () => {
	const TOKENS = [
		'"\\ud800"',
		'"\\u0000"',
		'"text\\u0000"',
		"1e400",
		"-1e400",
		"9".repeat(400),
		"null",
		"[]",
		"{}",
		'{"__proto__":{"role":"ADMIN"}}',
		'{"constructor":{"prototype":{"role":"ADMIN"}}}',
		"tru",
	];
	/** Not in the OpenAPI document of the API, or with a body that it says too little of. */
	const OTHERS = [
		{ method: "POST", path: "/auth/login", sample: { email: "nobody@example.com", password: "text" } },
		{ method: "POST", path: "/auth/password-reset-email", sample: { email: "nobody@example.com" } },
		{ method: "POST", path: "/auth/password-reset", sample: { token: "text", password: "text" } },
		{
			method: "POST",
			path: "/v1/traces",
			sample: { resourceSpans: [{ scopeSpans: [{ spans: [{ name: "text" }] }] }] },
		},
	];

	test("is refused or taken exactly, on every route that takes JSON", { timeout: 180_000 }, async () => {
		const routes = [...listJsonRoutes((await server.getJson("/openapi.json")) as Json), ...OTHERS];
		expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
			expect.arrayContaining(["POST /v1/users", "PUT /v1/secrets", "POST /v1/projects", "POST /v1/system/api_keys"]),
		);
		const failures: string[] = [];
		for (const { method, path, sample } of routes) {
			for (const body of TOKENS.flatMap((token) => plant(sample, token))) {
				const response = await asAdmin(method, path, body);
				const text = await response.text();
				const isFailure = response.status >= 500 && at(parse(text), "code") !== "mail_not_configured";
				if ((isFailure && response.status !== 503) || INSIDE.test(text))
					failures.push(`${method} ${path} ${body.slice(0, 200)} → ${response.status} ${text.slice(0, 200)}`);
			}
		}
		expect(failures).toEqual([]);
		expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
	});

	test.each([
		["a lone surrogate", '"name \\ud800"'],
		["a NUL", '"name \\u0000"'],
		["a number beyond doubles", "1e400"],
		["an object", '{"__proto__":{"toString":1}}'],
	])("%s is no name", async (_, name) => {
		for (const [path, body] of [
			["/v1/projects", `{"name":${name}}`],
			["/v1/system/api_keys", `{"data":{"name":${name}}}`],
			[
				"/v1/users",
				`{"user":{"auth_method":"LOCAL","email":"a@example.com","username":${name},"role":"MEMBER","password":"a password"}}`,
			],
			[
				"/v1/users",
				`{"user":{"auth_method":"LOCAL","email":${name},"username":"a","role":"MEMBER","password":"a password"}}`,
			],
		] as const) {
			const response = await asAdmin("POST", path, body);
			// Keys make no keys, so a key of an admin is refused there whatever the name.
			expect([422, 403]).toContain(response.status);
		}
	});

	test("a role in __proto__ or after a first one makes nobody an admin", async () => {
		const user = '"auth_method":"LOCAL","email":"twice@example.com","username":"twice","password":"a password"';
		for (const body of [
			`{"user":{${user},"role":"VIEWER","__proto__":{"role":"ADMIN"}}}`,
			`{"user":{${user.replaceAll("twice", "thrice")},"role":"VIEWER"},"__proto__":{"user":{"role":"ADMIN"}}}`,
		]) {
			const response = await asAdmin("POST", "/v1/users", body);
			const created = (await response.json()) as Json;
			if (response.status === 201) expect(at(created, "data", "role")).toBe("VIEWER");
			else expect(response.status).toBe(422);
		}
	});

	test("a body that is nested 100,000 deep is refused", async () => {
		for (const path of ["/auth/login", "/v1/users", "/v1/projects"]) {
			const response = await asAdmin("POST", path, `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
			expect(response.status).toBeGreaterThanOrEqual(400);
			expect(response.status).toBeLessThan(500);
		}
	});
});

function parse(text: string): Json | undefined {
	try {
		return JSON.parse(text) as Json;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

describe("T195 content types", () => {
	const OF_JSON = [
		"application/json",
		"APPLICATION/JSON",
		"application/json; charset=utf-8",
		"application/json;charset=UTF-8",
	];
	const OTHERS = [
		"application/json\ta",
		"application/json a",
		"application/jsonx",
		"application/json, text/plain",
		"application/json;charset=utf-7",
		"application/json;charset=utf-16",
		"text/plain",
		"text/plain;application/json",
		"text/json",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x",
		"*/*",
		";",
	];
	const ROUTES = [
		["POST", "/v1/projects", '{"name":5}'],
		["POST", "/v1/users", '{"user":{"role":"ADMIN"}}'],
		["PUT", "/v1/secrets", '{"secrets":5}'],
		["POST", "/v1/sessions/delete", "{}"],
		["POST", "/auth/login", '{"email":["a@example.com"],"password":"x"}'],
	] as const;

	test.each(OF_JSON)("%s is read and checked", async (type) => {
		for (const [method, path, body] of ROUTES) {
			const response = await asAdmin(method, path, body, { "content-type": type });
			expect(`${path} ${response.status}`).toBe(`${path} 422`);
		}
	});

	test.each(OTHERS)("%s is refused, whatever the body", async (type) => {
		for (const [method, path, body] of ROUTES) {
			for (const sent of [body, '{"name":"made by another type"}', "email=a"]) {
				const response = await asAdmin(method, path, sent, { "content-type": type });
				expect(`${path} ${response.status}`).toBe(`${path} 415`);
			}
		}
		const { data } = (await server.getJson("/v1/projects")) as { data: readonly { name: string }[] };
		expect(data.map(({ name }) => name)).not.toContain("made by another type");
	});

	test("a body without a type is refused, and spaces around a type do not matter", async () => {
		for (const [method, path, body] of ROUTES) {
			const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${server.adminKey}\r\n`;
			const length = `content-length: ${body.length}\r\n`;
			expect(statusOf(await exchange(`${head}${length}\r\n${body}`))).toBe(415);
			const spaced = await exchange(`${head}${length}content-type:  \t application/json \t\r\n\r\n${body}`);
			expect(statusOf(spaced)).toBe(422);
		}
	});
});

describe("T197 what is no HTTP, or not quite", () => {
	const AUTHORIZED = () => `host: x\r\nauthorization: Bearer ${server.key}\r\n`;

	test.each([
		["no request", "hello\r\n\r\n"],
		["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
		["no version", "GET /v1/projects\r\n\r\n"],
		["HTTP/9.9", "GET / HTTP/9.9\r\nhost: x\r\n\r\n"],
		["no address", "GET  HTTP/1.1\r\nhost: x\r\n\r\n"],
		["an unknown method", "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n"],
		["a NUL in the address", "GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n"],
		["a space before the colon", "GET / HTTP/1.1\r\nhost : x\r\n\r\n"],
		["a bare line feed in a header", "GET / HTTP/1.1\r\nhost: x\nx-a: b\r\n\r\n"],
		["two lengths", "POST /v1/projects HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
		["a negative length", "POST /v1/projects HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"],
		[
			"length and chunks",
			"POST /v1/projects HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
		],
		[
			"an unknown transfer encoding",
			"POST /v1/projects HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		],
		["a chunk of no length", "POST /v1/projects HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n"],
	])("%s is answered with 400 or hung up on", async (_, request) => {
		const answer = await exchange(request);
		// A request without a version is read as HTTP/1.0 would be, and asked for a key.
		expect([400, 401, 404, 405, 501, 505, undefined]).toContain(statusOf(answer));
		expect(answer).not.toMatch(INSIDE);
		expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
	});

	test.each([
		["length before chunks", "content-length: 6\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\nG"],
		["chunks before length", "transfer-encoding: chunked\r\ncontent-length: 6\r\n", "0\r\n\r\nG"],
		["a disguised chunked", "content-length: 0\r\ntransfer-encoding : chunked\r\n", "0\r\n\r\n"],
		["chunked after a line break", "content-length: 0\r\nx: y\r\n transfer-encoding: chunked\r\n", "0\r\n\r\n"],
	])("no second request is smuggled in by %s", async (_, headers, body) => {
		const smuggled = `GET /v1/projects HTTP/1.1\r\n${AUTHORIZED()}\r\n`;
		const answer = await exchange(`POST /healthz HTTP/1.1\r\nhost: x\r\n${headers}\r\n${body}${smuggled}`);
		// Whoever is in front of the server sees one request and must get one answer.
		expect(answer.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0).toBeLessThanOrEqual(1);
		expect(answer).not.toContain('"data"');
	});

	test.each([
		"GET http://example.com/v1/projects HTTP/1.1",
		"GET //v1/projects HTTP/1.1",
		"GET /v1/projects/%zz HTTP/1.1",
	])("%s opens nothing without a key", async (line) => {
		const answer = await exchange(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
		expect(answer).not.toContain('"data"');
		expect(statusOf(answer)).toBeGreaterThanOrEqual(200);
		expect(statusOf(answer)).toBeLessThan(500);
	});

	test("headers of 100 kB are read, of 200 kB refused", async () => {
		const withHeader = (bytes: number) =>
			`GET /v1/projects HTTP/1.1\r\n${AUTHORIZED()}connection: close\r\nx-long: ${"x".repeat(bytes)}\r\n\r\n`;
		expect(statusOf(await exchange(withHeader(100_000)))).toBe(200);
		// The rest of what was sent may reset the connection before the answer is read.
		expect([431, undefined]).toContain(statusOf(await exchange(withHeader(200_000))));
		const many = Array.from({ length: 20_000 }, (_, n) => `x-${n}: y\r\n`).join("");
		expect([431, undefined]).toContain(statusOf(await exchange(`GET /healthz HTTP/1.1\r\nhost: x\r\n${many}\r\n`)));
		expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
	});

	test("a request whose headers never end is hung up on, and hinders nobody", async () => {
		const slow = Array.from({ length: 200 }, () => {
			const socket = connect(server.port, "127.0.0.1");
			socket.on("error", () => undefined); // hung up on by the server, as it has to be
			socket.write("GET /v1/projects HTTP/1.1\r\nhost: x\r\nx-a");
			return socket;
		});
		const dripping = setInterval(() => {
			for (const socket of slow) if (socket.writable) socket.write("a");
		}, 500);
		expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
		await Promise.all(
			slow.map((socket) => socket.closed || new Promise((resolve) => socket.resume().once("close", resolve))),
		);
		clearInterval(dripping);
		expect((await server.fetch("/v1/projects")).status).toBe(200);
	});
});

/** Writes bytes to the server and reads until it hangs up, for at most two seconds. */
async function exchange(request: string): Promise<string> {
	const socket = connect(server.port, "127.0.0.1");
	let answer = "";
	socket.setEncoding("latin1").on("data", (text: string) => {
		answer += text;
	});
	socket.on("error", () => undefined); // a reset is a way to hang up
	const closed = new Promise((resolve) => socket.once("close", resolve));
	socket.write(Buffer.from(request, "latin1"));
	await Promise.race([closed, sleep(2_000)]);
	socket.destroy();
	return answer;
}

function statusOf(answer: string): number | undefined {
	const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
	return status === undefined ? undefined : Number(status);
}
