import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";

const HIDDEN = "hush-hush";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
	["with half a surrogate", { secrets: [{ key: "A", value: `\ud800${HIDDEN}` }] }],
	["without its name", { secrets: [HIDDEN] }],
	["in the place of all", { secrets: HIDDEN }],
	["as the whole body", HIDDEN],
	["as a name", { secrets: [{ key: HIDDEN, value: "x" }] }],
])("a secret that does not validate %s is not in the answer", async (_, body) => {
	const answer = await server.call("PUT", "/v1/secrets", JSON.stringify(body), { "content-type": "application/json" });
	expect(answer.status).toBe(422);
	expect(answer.text).not.toContain(HIDDEN);
});

test("a secret that is a number is not in the answer", async () => {
	const answer = await server.call("PUT", "/v1/secrets", { secrets: [{ key: "A", value: 87_654_321 }] });
	expect(answer.json.detail).toEqual([expect.objectContaining({ loc: ["body", "secrets", 0, "value"] })]);
	expect(answer.text).not.toContain("87654321");
});

test("a body that is not JSON is not quoted in the answer, which says what is wrong with it", async () => {
	const body = `{"secrets":[{"key":"A","value":${HIDDEN}}]}`;
	const answer = await server.call("PUT", "/v1/secrets", body, { "content-type": "application/json" });
	expect(answer.status).toBe(422);
	expect(answer.json.detail[0].msg).toMatch(/^JSON decode error: Unexpected token/);
	expect(answer.text).not.toContain("hush");
});

test("other values that do not validate are quoted", async () => {
	const answer = await server.get("/v1/projects?limit=many");
	expect(answer.json.detail[0].input).toBe("many");
});
