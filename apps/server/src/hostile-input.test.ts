import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "./test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
	await server.send([{ attributes: { "session.id": text("s") } }]);
});
afterAll(() => server[Symbol.asyncDispose]());

const VALUES = [
	"",
	" ",
	"0",
	"-1",
	"1e400",
	"NaN",
	"9".repeat(400),
	"null",
	"%00",
	"a%00b",
	"%F0%9F%92%A9",
	"%ED%A0%80",
	"'%22;--",
	"%25",
	"..%2F..%2Fetc",
	"__proto__",
	"constructor",
	"x".repeat(4_000),
	"1".repeat(32),
	"VHJhY2U6MQ==",
	"U3Bhbjox",
	"UHJvamVjdDox",
	"UHJvamVjdFNlc3Npb246MQ==",
	encodeURIComponent(Buffer.from("1:DATETIME:2023-11-14T22:13:20+00:00").toString("base64")),
	encodeURIComponent(Buffer.from(`${"9".repeat(15)}:FLOAT:1e308`).toString("base64")),
	encodeURIComponent(Buffer.from("1:DATETIME:0000-01-01T00:00:00+00:00").toString("base64")),
	"0000-01-01",
	"9999-12-31T23:59:59%2B23:59",
	"253402300799999",
	"a:1",
	'a:"\\u0000"',
	"a:1e400",
	'"%20AND%20NEAR(',
	"*",
	"true",
];

const LISTS = ["traces", "spans", "spans/otlpv1", "spans.ndjson", "sessions", "metrics"];
const PARAMS = [
	"cursor",
	"limit",
	"sort",
	"order",
	"start_time",
	"end_time",
	"bucket",
	"group_by",
	"session_identifier",
	"session_id",
	"user_id",
	"model",
	"name",
	"q",
	"min_latency_ms",
	"max_latency_ms",
	"error",
	"include_spans",
	"trace_id",
	"span_id",
	"parent_id",
	"span_kind",
	"status_code",
	"attribute",
	"include",
	"view",
	"filter",
	"format",
	"__proto__",
];

test.each(LISTS)("no parameter of %s makes a server error", async (list) => {
	const failures: string[] = [];
	const ask = async (param: string, value: string) => {
		const url = `/v1/projects/default/${list}?${param}=${value}`;
		const { status } = await server.get(url);
		if (status >= 500) failures.push(`${status} ${url.slice(0, 200)}`);
	};
	for (const param of PARAMS) await Promise.all(VALUES.map((value) => ask(param, value)));
	expect(failures).toEqual([]);
});

test("no identifier makes a server error", async () => {
	const failures: string[] = [];
	for (const value of VALUES) {
		for (const [method, path] of [
			["GET", `/v1/projects/${value}`],
			["GET", `/v1/projects/${value}/traces`],
			["GET", `/v1/projects/default/traces/${value}`],
			["GET", `/v1/projects/default/traces/${"1".repeat(32)}/spans/${value}`],
			["GET", `/v1/sessions/${value}`],
			["GET", `/v1/sessions/s?project=${value}`],
			["DELETE", `/v1/traces/x${value}`],
			["DELETE", `/v1/spans/x${value}`],
			["DELETE", `/v1/sessions/x${value}`],
			["GET", `/${value}`],
		] as const) {
			const { status } = method === "GET" ? await server.get(path) : await server.call(method, path);
			if (status >= 500 && !(status === 503 && path === `/${value}`))
				failures.push(`${status} ${method} ${path.slice(0, 200)}`);
		}
	}
	expect(failures).toEqual([]);
});

test("no body makes a server error", async () => {
	const failures: string[] = [];
	const bodies = [
		"null",
		"[]",
		"0",
		'""',
		"{}",
		'{"data":null}',
		'{"data":{}}',
		'{"data":[null]}',
		'{"queries":[null]}',
		'{"__proto__":1}',
		"[".repeat(50_000),
		`{"name":${"9".repeat(400)}}`,
		'{"name":"\\ud800"}',
		'{"name":"\\u0000"}',
		'{"trace_identifiers":["\\u0000"],"destination_project_identifier":"default"}',
		'{"session_identifiers":["\\u0000",""]}',
		'{"queries":[{"select":{"__proto__":{"key":"__proto__"}},"rename":{"a":"b"},"index":{"key":"nothing"}}]}',
	];
	for (const payload of bodies) {
		for (const [method, url] of [
			["POST", "/v1/projects"],
			["PUT", "/v1/projects/default"],
			["POST", "/v1/projects/default/spans"],
			["POST", "/v1/spans"],
			["GET", "/v1/spans"],
			["POST", "/v1/traces/transfer"],
			["POST", "/v1/sessions/delete"],
		] as const) {
			const { statusCode } = await server.app.inject({
				method,
				url,
				payload,
				headers: { "content-type": "application/json" },
			});
			if (statusCode >= 500) failures.push(`${statusCode} ${method} ${url} ${payload.slice(0, 100)}`);
		}
	}
	expect(failures).toEqual([]);
});
