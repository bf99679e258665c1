import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, type Json } from "../fixture-comparison.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans } from "../web/otlp-json.ts";
import { listJsonRoutes, plant } from "./json-samples.ts";
import { exchange, INSIDE, statusOf } from "./raw-exchange.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const JSON_TYPE = { "content-type": "application/json" };

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

	test("is refused or taken exactly, on every route that takes JSON", { timeout: 1_800_000 }, async () => {
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

describe("T194 filters", () => {
	const TEXTS = [
		"a".repeat(50_000),
		`${"(".repeat(10_000)}a${")".repeat(10_000)}`,
		"' or '1'='1",
		"'; drop table spans; --",
		"$.a' OR 1=1",
		'"a" OR 1=1:1',
		'a":1',
		"unknown_name == 'x'",
		"__proto__:1",
		"%",
		"_",
		"*",
		'" AND NEAR(',
	];

	test.each(["q", "attribute", "filter", "name", "user_id", "session_id", "model"])(
		"%s is data, never a program",
		async (param) => {
			const trace = "6".repeat(32);
			await sendSpans(server, [{ traceId: trace, spanId: "6".repeat(16), name: "kept", startMs: 0, endMs: 1 }]);
			for (const text of TEXTS) {
				const search = new URLSearchParams({ [param]: text });
				// Lists of traces know no attributes, and what a list does not know it leaves alone.
				for (const list of param === "attribute" ? ["spans"] : ["spans", "traces"]) {
					const response = await server.fetch(`/v1/projects/default/${list}?${search}`);
					const body = await response.text();
					if (response.status === 200) expect(body).toMatch(/^\{"data":\[\]/);
					else expect(`${param} ${response.status}`).toMatch(/ (400|422|431)$/);
					expect(body).not.toMatch(INSIDE);
				}
			}
			expect((await server.fetch(`/v1/projects/default/traces/${trace}`)).status).toBe(200);
		},
	);
});

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
			expect(statusOf(await exchange(server, `${head}${length}\r\n${body}`))).toBe(415);
			const spaced = await exchange(server, `${head}${length}content-type:  \t application/json \t\r\n\r\n${body}`);
			expect(statusOf(spaced)).toBe(422);
		}
	});
});
