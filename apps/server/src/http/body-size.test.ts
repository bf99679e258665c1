import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { LONG_CHARACTERS } from "./json-body.ts";

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
		"The request is larger than the 1048576 bytes that this address accepts.",
	]);
	const large = await post(JSON.stringify({ data: [], padding: "x".repeat(34_000_000) }));
	expect([large.statusCode, large.body]).toEqual([
		413,
		"The request is larger than SERVICE_MAX_JSON_BODY_BYTES allows.",
	]);
});

test("no route takes more than SERVICE_MAX_JSON_BODY_BYTES, whatever it declares", async () => {
	await using strict = await openTestApp({ SERVICE_MAX_JSON_BODY_BYTES: "2000" });
	const headers = { "content-type": "application/json" };
	for (const url of ["/v1/projects/default/spans", "/v1/projects", "/v1/prompts"]) {
		const { statusCode } = await strict.app.inject({ method: "POST", url, headers, payload: " ".repeat(2_001) });
		expect([url, statusCode]).toEqual([url, 413]);
	}
});

test("a long body is counted, parsed and checked in turns of the event loop of their own", async () => {
	// Refused when it is checked, so that nothing waits for the database.
	const bodyOf = (length: number) => `{"data":7,"padding":"${"x".repeat(length - 23)}"}`;
	const turnsOf = async (length: number) => {
		let turns = 0;
		const count = () => {
			turns += 1;
			next = setImmediate(count);
		};
		let next = setImmediate(count);
		expect((await post(bodyOf(length))).statusCode).toBe(422);
		clearImmediate(next);
		return turns;
	};
	// The first request of all loads what answers it.
	await turnsOf(LONG_CHARACTERS);
	const atOnce = await turnsOf(LONG_CHARACTERS);
	expect(await turnsOf(LONG_CHARACTERS + 1)).toBeGreaterThanOrEqual(atOnce + 3);
});

/** A span whose dotted keys are `length` characters together, of a name that each of many members repeats. */
function bomb(spanId: number, length: number) {
	const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`, index]));
	return {
		name: "bomb",
		context: { trace_id: "1".repeat(32), span_id: `${spanId}`.padStart(16, "0") },
		span_kind: "CHAIN",
		start_time: "2026-01-01T00:00:00Z",
		end_time: "2026-01-01T00:00:01Z",
		status_code: "OK",
		attributes: { ["n".repeat(length / 1_000)]: members },
	};
}

test.each([
	["of a span", [bomb(1, 1e9)]],
	["of spans together", Array.from({ length: 5 }, (_, index) => bomb(index + 1, 15_000_000))],
	[
		"of its events together",
		[
			{
				...bomb(1, 1_000),
				events: Array.from({ length: 5 }, () => ({ ...bomb(1, 15e6), timestamp: "2026-01-01T00:00:00Z" })),
			},
		],
	],
])("dotted keys %s that would repeat a long name for each of many members are refused", async (_name, data) => {
	const response = await post(JSON.stringify({ data }));
	expect(response.statusCode).toBe(422);
	expect(response.json().detail[0].msg).toContain("dotted keys");
});
