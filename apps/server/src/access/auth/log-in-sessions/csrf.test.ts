import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { openTestApp, type TestApp } from "#test-app.ts";

const UPLOAD = { "content-type": "multipart/form-data; boundary=x" };
const OWN = "http://localhost:6006";
const SIBLING = "http://localhost:3000";
const EVIL = "https://evil.example";

type Headers = Readonly<Record<string, string>>;

describe("while authentication is off", () => {
	let server: TestApp;
	beforeAll(async () => {
		server = await openTestApp({ SERVICE_ALLOWED_ORIGINS: "http://app.example" });
	});
	afterAll(() => server[Symbol.asyncDispose]());

	const upload = async (headers: Headers, url = "/v1/datasets/upload?sync=true") => {
		const all = { host: "localhost:6006", ...UPLOAD, ...headers };
		return (await server.app.inject({ method: "POST", url, headers: all, payload: "--x--\r\n" })).statusCode;
	};

	test.each<[string, Headers]>([
		["of another site", { "sec-fetch-site": "cross-site", origin: EVIL }],
		["of another site, without its name", { "sec-fetch-site": "cross-site" }],
		["of another port", { "sec-fetch-site": "same-site", origin: SIBLING }],
		["in a frame without origin", { "sec-fetch-site": "cross-site", origin: "null" }],
		["in an old browser", { origin: EVIL }],
		["in an old browser, of another port", { origin: SIBLING }],
		["in an old browser, of no origin", { origin: "null" }],
		[
			"of another site that claims ours",
			{ "sec-fetch-site": "cross-site", origin: "http://localhost:6006.evil.example" },
		],
	])("a page %s changes nothing", async (_, headers) => {
		expect(await upload(headers)).toBe(403);
		expect(await upload({ ...headers, cookie: "a=b" })).toBe(403);
		expect(await upload({ ...headers, authorization: "Bearer x" })).toBe(403);
		expect(await upload({ ...headers, "content-type": "text/plain" }, "/v1/traces")).toBe(403);
		const url = "/v1/projects/default";
		const deleted = await server.app.inject({ method: "DELETE", url, headers: { host: "localhost:6006", ...headers } });
		expect(deleted.statusCode).toBe(403);
	});

	test.each<[string, Headers]>([
		["a program", {}],
		["our own page", { "sec-fetch-site": "same-origin", origin: OWN }],
		["our own page in an old browser", { origin: OWN }],
		["the person at the browser", { "sec-fetch-site": "none" }],
		["a page that settings name", { "sec-fetch-site": "cross-site", origin: "http://app.example" }],
	])("what %s sends is looked at", async (_, headers) => {
		expect(await upload(headers)).toBe(422);
	});

	test("another site's page gets an answer that it cannot read, as for a link to us", async () => {
		const headers = { host: "localhost:6006", "sec-fetch-site": "cross-site", origin: EVIL };
		const answer = await server.app.inject({ url: "/v1/projects", headers });
		expect([answer.statusCode, answer.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
	});

	test("our page behind a proxy is recognized by SERVICE_ROOT_URL", async () => {
		const { context } = server;
		const config = { ...context.config, SERVICE_ROOT_URL: "https://traces.example.com" };
		await using app = await buildApp({ ...context, config });
		const send = async (origin: string) => {
			const headers = { ...UPLOAD, host: "traces.example.com", origin };
			return (await app.inject({ method: "POST", url: "/v1/datasets/upload", headers, payload: "--x--\r\n" }))
				.statusCode;
		};
		expect([await send("https://traces.example.com"), await send(EVIL)]).toEqual([422, 403]);
	});
});

describe("with authentication and no trusted origins", () => {
	let server: TestApp;
	let cookie: string;
	beforeAll(async () => {
		server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
		const { headers } = await server.signedIn("MEMBER");
		cookie = `service-access-token=${headers.authorization.slice("Bearer ".length)}`;
	});
	afterAll(() => server[Symbol.asyncDispose]());

	const upload = async (headers: Headers) => {
		const all = { host: "traces.example.com", cookie, ...UPLOAD, ...headers };
		const { statusCode } = await server.app.inject({
			method: "POST",
			url: "/v1/datasets/upload",
			headers: all,
			payload: "--x--\r\n",
		});
		return statusCode;
	};

	test("a page of a neighbouring host cannot upload with our cookies", async () => {
		expect(await upload({ "sec-fetch-site": "same-site", origin: "http://app.example.com" })).toBe(403);
		expect(await upload({ "sec-fetch-site": "same-site" })).toBe(403);
		expect(await upload({ "sec-fetch-site": "cross-site", origin: EVIL })).toBe(403);
	});

	test("our own page can, and so can a caller with credentials other than cookies", async () => {
		expect(await upload({ "sec-fetch-site": "same-origin", origin: "http://traces.example.com" })).toBe(422);
		expect(await upload({ "sec-fetch-site": "none" })).toBe(422);
		expect(await upload({ origin: "http://app.example.com" })).toBe(422);
		const authorization = `Bearer ${cookie.slice("service-access-token=".length)}`;
		expect(await upload({ "sec-fetch-site": "same-site", cookie: "", authorization })).toBe(422);
	});
});
