import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

/** @param route one that takes many spans; its handler never sees these bodies */
function post(payload: string, route = "/v1/projects/default/spans") {
	return server.app.inject({ method: "POST", url: route, payload, headers: { "content-type": "application/json" } });
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `"name ${index}":${index}`).join();

test.each([
	["members", `{${members(150_000)}}`, "members of more than 100000 different names"],
	[
		"members of many objects",
		`[${Array.from({ length: 1_500 }, (_, n) => `{${members(100).replaceAll("name", `n${n}`)}}`)}]`,
		"different names",
	],
	["values", `[${"1,".repeat(1_000_000)}1]`, "more than 1000000 values"],
	["values to be kept digit by digit", `[9007199254740993${",1".repeat(250_000)}]`, "more than 250000 values"],
	["levels", "[".repeat(257) + "]".repeat(257), "nests deeper than 256 levels"],
])("a body of too many %s is refused with the limit", async (_name, payload, limit) => {
	const response = await post(payload);
	expect(response.statusCode).toBe(422);
	expect(response.json().detail).toEqual([
		{ type: "json_too_large", loc: ["body"], msg: expect.stringContaining(limit) },
	]);
});

test("the body of a GET is bounded alike", async () => {
	const deep = await server.app.inject({ method: "GET", url: "/v1/spans", payload: "[".repeat(500) + "]".repeat(500) });
	expect(deep.statusCode).toBe(422);
	expect(deep.json().detail[0].msg).toContain("nests deeper than 256 levels");
});

test("a route takes the size of body that it declares: a mebibyte, or SERVICE_MAX_JSON_BODY_BYTES", async () => {
	const payload = JSON.stringify({ data: [], padding: "x".repeat(1_100_000) });
	expect((await post(payload)).statusCode).toBe(202);
	const small = await post(payload, "/v1/projects");
	expect([small.statusCode, small.body]).toEqual([
		413,
		"The request is larger than the 1048576 bytes that this address takes.",
	]);
	const large = await post(JSON.stringify({ data: [], padding: "x".repeat(34_000_000) }));
	expect([large.statusCode, large.body]).toEqual([
		413,
		"The request is larger than SERVICE_MAX_JSON_BODY_BYTES allows.",
	]);
});

test("dotted keys that would repeat a long name for each of many members are refused", async () => {
	const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`, index]));
	const span = {
		name: "bomb",
		context: { trace_id: "1".repeat(32), span_id: "1".repeat(16) },
		span_kind: "CHAIN",
		start_time: "2026-01-01T00:00:00Z",
		end_time: "2026-01-01T00:00:01Z",
		status_code: "OK",
		attributes: { ["n".repeat(1_000_000)]: many },
	};
	const response = await post(JSON.stringify({ data: [span] }));
	expect(response.statusCode).toBe(422);
	expect(response.json().detail[0].msg).toContain("dotted keys");
});
