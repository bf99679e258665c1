import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;
let port: number;
beforeAll(async () => {
	server = await openTestApp();
	port = Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => server[Symbol.asyncDispose]());

test("an address that does not decode is refused with the headers of every answer", async () => {
	const { status, headers } = await server.get("/v1/projects/%ZZ");
	expect(status).toBe(400);
	expect(headers).toMatchObject({
		"content-type": "text/plain; charset=utf-8",
		"x-phoenix-server-version": "20.26.1",
		"x-spanward-version": expect.any(String),
		"x-content-type-options": "nosniff",
		vary: "Accept-Encoding",
	});
});

test("what is not an HTTP request is refused with these headers too", async () => {
	const answer = await exchange("BREW /v1/projects HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
	expect(answer).toContain("content-type: text/plain; charset=utf-8");
	expect(answer).toContain("x-phoenix-server-version: 20.26.1");
	expect(answer).toMatch(/\r\n\r\nBad Request$/);
});

test("headers that are too large are 431", async () => {
	const answer = await exchange(`GET /v1/projects HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(140_000)}\r\n\r\n`);
	expect(answer).toMatch(/^HTTP\/1\.1 431 /);
	expect(answer).toContain("x-spanward-version: ");
});

/** Everything the server answers to these bytes before it closes the connection. */
async function exchange(request: string): Promise<string> {
	const socket = connect(port, "127.0.0.1");
	socket.write(request);
	let answer = "";
	for await (const chunk of socket) answer += String(chunk);
	return answer;
}
