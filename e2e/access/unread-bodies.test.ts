import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import { startWithAuth } from "./accounts.ts";
import { RawConnection } from "./raw-request.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startWithAuth();
});
afterAll(() => server[Symbol.asyncDispose]());

const LARGE = ["content-type: application/json", "content-length: 31000000"];
const CHUNKED = ["content-type: application/json", "transfer-encoding: chunked"];

test.each([
	["POST /", LARGE, 405],
	["POST /no-such-page", LARGE, 405],
	["PUT /assets/app.js", CHUNKED, 405],
	["POST /healthz", LARGE, 405],
	["DELETE /docs/", CHUNKED, 404],
	["POST /auth/no-such-route", LARGE, 404],
	["PUT /auth/login", LARGE, 405],
	["POST /auth/login", LARGE, 413],
	["POST /v1/no-such-route", CHUNKED, 401],
	["OPTIONS /auth/login", LARGE, 405],
])("T082 %s is answered without waiting for its body", async (line, headers, status) => {
	using connection = await RawConnection.open(server);
	connection.send(line, headers);
	expect(await connection.status()).toBe(status);
	expect(connection.received).toMatch(/^connection: close\r$/im);
});

test("an unknown path answers a short body as before, on a connection that goes on", async () => {
	using connection = await RawConnection.open(server);
	connection.send("POST /no-such-page", ["content-type: application/json", "content-length: 2"]);
	connection.socket.write("{}");
	expect(await connection.status()).toBe(405);
	expect(connection.received).not.toMatch(/^connection: close\r$/im);
});

test("who hangs up in the middle of a body leaves no error in the log", async () => {
	for (const path of ["/auth/login", "/auth/password-reset"]) {
		using connection = await RawConnection.open(server);
		connection.send(`POST ${path}`, ["content-type: application/json", "content-length: 100"]);
		connection.socket.write("{");
		await sleep(200);
	}
	await sleep(500);
	expect(server.output).not.toContain("aborted");
});
