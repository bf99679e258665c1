import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, type TestApp } from "./test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("every answer", () => {
	test.each(["/healthz", "/v1/projects", "/v1/nothing", "/v1/projects?limit=0", "/"])(
		"of %s says the versions",
		async (url) => {
			const { headers } = await server.get(url);
			expect(headers["x-phoenix-server-version"]).toBe("20.26.1");
			expect(headers["x-spanward-version"]).toMatch(/^\d+\.\d+\.\d+/);
			expect(headers["x-colab-notebook-cache-control"]).toBe("no-cache");
			expect(headers["vary"]).toMatch(/accept-encoding/i);
			expect(headers["content-security-policy"]).toMatch(
				url.startsWith("/v1/") ? /^default-src 'none'/ : /script-src 'self'/,
			);
		},
	);

	test.each([
		["gzip, deflate, br, zstd", "br", brotliDecompressSync],
		["gzip", "gzip", gunzipSync],
	])("is compressed as the caller takes it: %s", async (accepted, encoding, decompress) => {
		const response = await server.app.inject({ url: "/openapi.json", headers: { "accept-encoding": accepted } });
		expect(response.headers["content-encoding"]).toBe(encoding);
		expect(JSON.parse(decompress(response.rawPayload).toString()).openapi).toBe("3.1.0");
	});
});

describe("errors", () => {
	test("are the bare message", async () => {
		const { status, headers, text } = await server.get("/v1/projects/nobody");
		expect([status, headers["content-type"], text]).toEqual([
			404,
			"text/plain; charset=utf-8",
			"Project with name nobody not found",
		]);
	});

	test("are RFC 9457 with a stable code for callers that ask for it", async () => {
		const { status, headers, json } = await server.get("/v1/projects/nobody", {
			accept: "application/json, application/problem+json",
		});
		expect([status, headers["content-type"]]).toEqual([404, "application/problem+json; charset=utf-8"]);
		expect(json).toEqual({
			type: "/docs/problems/project_not_found",
			title: "Not Found",
			status: 404,
			detail: "Project with name nobody not found",
			code: "project_not_found",
		});
	});

	test("of validation name the place", async () => {
		const { status, json } = await server.call("POST", "/v1/projects/x/spans", { data: [{ name: "a" }, 7] });
		expect(status).toBe(422);
		expect(json.detail).toContainEqual({
			type: "missing",
			loc: ["body", "data", 0, "start_time"],
			msg: "Field required",
		});
		expect(json.detail).toContainEqual({
			type: "dict_type",
			loc: ["body", "data", 1],
			msg: "Input should be a valid dictionary",
			input: 7,
		});
	});

	test.each([
		["/v1/projects?limit=0", "greater_than", ["query", "limit"]],
		["/v1/projects?limit=abc", "int_parsing", ["query", "limit"]],
		["/v1/projects?limit=1.5", "int_parsing", ["query", "limit"]],
		["/v1/projects/default/traces?limit=1001", "less_than_equal", ["query", "limit"]],
		["/v1/projects/default/traces?sort=name", "literal_error", ["query", "sort"]],
		["/v1/projects/default/traces?include_spans=maybe", "bool_parsing", ["query", "include_spans"]],
		["/v1/projects/default/spans?include=semantic,zz", "literal_error", ["query", "include", 1]],
		["/v1/projects/default/traces?start_time=soon", "datetime_from_date_parsing", ["query", "start_time"]],
	])("%s is %s", async (url, type, loc) => {
		const { status, json } = await server.get(url);
		expect(status).toBe(422);
		expect(json.detail[0]).toMatchObject({ type, loc });
	});

	test("of a body that is not JSON, or that is missing", async () => {
		const broken = await server.app.inject({
			method: "POST",
			url: "/v1/projects",
			headers: { "content-type": "application/json" },
			payload: "{",
		});
		expect([broken.statusCode, broken.json().detail[0].type]).toEqual([422, "json_invalid"]);
		const missing = await server.call("POST", "/v1/projects");
		expect([missing.status, missing.json.detail[0]]).toEqual([
			422,
			{ type: "missing", loc: ["body"], msg: "Field required" },
		]);
	});
});

test.each(["text/plain", "application/x-www-form-urlencoded"])("a body of %s is not read as JSON", async (type) => {
	const request = { method: "POST", url: "/v1/projects", headers: { "content-type": type } } as const;
	const { statusCode } = await server.app.inject({ ...request, payload: '{"name":"planted"}' });
	expect(statusCode).toBe(415);
});

test("an address that does not decode is the caller's error", async () => {
	const { status, headers } = await server.get("/v1/projects/%zz");
	expect([status, headers["content-type"]]).toEqual([400, "text/plain; charset=utf-8"]);
});

describe("unknown paths", () => {
	test.each(["/v1/nothing", "/v1", "/auth/login", "/oauth2/x/login", "/.well-known/oauth-protected-resource"])(
		"%s is a real 404",
		async (url) => {
			const { status, headers, text } = await server.get(url);
			expect([status, headers["content-type"], text]).toEqual([404, "text/plain; charset=utf-8", "Not Found"]);
		},
	);

	test.each(["application/json", "text/plain", "application/x-www-form-urlencoded"])(
		"are unknown whatever is sent to them, even broken %s",
		async (contentType) => {
			const request = { url: "/v1/nothing", headers: { "content-type": contentType }, payload: "{" };
			for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
				const { statusCode, headers, body } = await server.app.inject({ ...request, method });
				expect([statusCode, headers["content-type"], body]).toEqual([404, "text/plain; charset=utf-8", "Not Found"]);
			}
		},
	);

	test.each([
		["PUT", "/v1/projects", "GET, HEAD, POST"],
		["GET", "/v1/traces/transfer", "DELETE, POST"],
		["HEAD", "/v1/projects/a%2Fb/stream/", "GET"],
		["DELETE", "/v1/projects/a/spans?limit=1", "GET, HEAD, POST"],
	] as const)("%s %s is no unknown path but another method", async (method, url, allow) => {
		const { statusCode, headers, body } = await server.app.inject({ method, url });
		expect([statusCode, headers["content-type"]]).toEqual([405, "text/plain; charset=utf-8"]);
		expect(headers["allow"]).toBe(allow);
		if (method !== "HEAD") expect(body).toBe("Method Not Allowed");
	});

	test("a path outside takes no POST", async () => {
		expect((await server.call("POST", "/projects", {})).status).toBe(405);
	});
});

describe("meta routes", () => {
	test("answer as clients expect", async () => {
		expect(await server.get("/healthz")).toMatchObject({ status: 200, text: "OK" });
		expect(await server.get("/readyz")).toMatchObject({ status: 200, json: {} });
		expect(await server.get("/arize_phoenix_version")).toMatchObject({ status: 200, text: "20.26.1" });
		expect((await server.get("/version")).json.compatibility).toBe("20.26.1");
	});

	test("/graphql says what there is instead", async () => {
		for (const answer of [await server.get("/graphql"), await server.call("POST", "/graphql", { query: "{ x }" })]) {
			const { status, json, headers } = answer;
			expect([status, headers["content-type"]]).toEqual([404, "application/problem+json; charset=utf-8"]);
			expect(json).toMatchObject({ code: "no_graphql", detail: expect.stringContaining("/docs") });
			expect(json.errors).toEqual([{ message: json.detail }]);
		}
	});

	test("/docs loads nothing from elsewhere", async () => {
		const { status, text, headers } = await server.get("/docs/");
		expect(status).toBe(200);
		expect(text).not.toMatch(/https?:\/\//);
		expect(headers["content-security-policy"]).not.toContain("https:");
	});
});

describe("the web app", () => {
	test("says how to build it when it is not built", async () => {
		const { status, text } = await server.get("/p/default/traces");
		expect([status, text]).toEqual([503, expect.stringContaining("npm start")]);
	});

	test("gets the base path, and its files never change", async () => {
		const folder = await mkdtemp(join(tmpdir(), "spanward-web-"));
		await mkdir(join(folder, "assets"));
		await writeFile(join(folder, "assets", "index-abc.js"), "1");
		await writeFile(join(folder, "favicon.svg"), "<svg/>");
		await writeFile(join(folder, "index.html"), '<!doctype html><head><base href="/" /><title>x</title></head>');
		await using below = await openTestApp(
			{ SERVICE_HOST_ROOT_PATH: "/a&b".replace("&", "-") },
			{ webFolder: folder, grpcPort: () => 4711 },
		);
		const page = await below.get("/p/default/traces");
		expect(page.status).toBe(200);
		expect(page.text).toContain('<base href="/a-b/">');
		expect(page.text).not.toContain('<base href="/"');
		expect(page.text).toContain("&quot;basePath&quot;:&quot;/a-b&quot;");
		expect(page.text).toContain("&quot;grpcPort&quot;:4711");
		expect(page.headers["cache-control"]).toBe("no-cache");
		expect((await below.get("/a-b/assets/index-abc.js")).headers["cache-control"]).toContain("immutable");
		expect((await below.get("/favicon.svg")).status).toBe(200);
		expect((await below.get("/assets/gone.js")).status).toBe(404);
		await rm(folder, { recursive: true });
	});
});

test("works below a root path that the proxy strips and one that it does not", async () => {
	await using below = await openTestApp({ SERVICE_HOST_ROOT_PATH: "/traces" });
	for (const prefix of ["", "/traces"]) {
		expect((await below.get(`${prefix}/v1/projects`)).status).toBe(200);
		expect((await below.get(`${prefix}/v1/nothing`)).status).toBe(404);
	}
});

test("takes addresses of 64 KiB", async () => {
	const ids = Array.from({ length: 900 }, (_, index) => `trace_id=${String(index).padStart(32, "0")}`).join("&");
	const address = await server.app.listen({ host: "127.0.0.1", port: 0 });
	const url = `${address}/v1/projects/nobody/spans?${ids}&q=${"x".repeat(400)}&name=${"n".repeat(4_000)}&name=${"m".repeat(4_000)}&name=${"o".repeat(4_000)}&name=${"p".repeat(4_000)}`;
	expect(url.length).toBeGreaterThan(50_000);
	expect((await fetch(url)).status).toBe(404);
});
