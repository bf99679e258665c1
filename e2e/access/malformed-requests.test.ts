import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../server.ts";
import { exchange, INSIDE, statusOf } from "./raw-exchange.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true });
});
afterAll(() => server[Symbol.asyncDispose]());

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
		const answer = await exchange(server, request);
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
		const answer = await exchange(server, `POST /healthz HTTP/1.1\r\nhost: x\r\n${headers}\r\n${body}${smuggled}`);
		// Whoever is in front of the server sees one request and must get one answer.
		expect(answer.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0).toBeLessThanOrEqual(1);
		expect(answer).not.toContain('"data"');
	});

	test.each([
		"GET http://example.com/v1/projects HTTP/1.1",
		"GET //v1/projects HTTP/1.1",
		"GET /v1/projects/%zz HTTP/1.1",
	])("%s opens nothing without a key", async (line) => {
		const answer = await exchange(server, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
		expect(answer).not.toContain('"data"');
		expect(statusOf(answer)).toBeGreaterThanOrEqual(200);
		expect(statusOf(answer)).toBeLessThan(500);
	});

	test("headers of 100 kB are read, of 200 kB refused", async () => {
		const withHeader = (bytes: number) =>
			`GET /v1/projects HTTP/1.1\r\n${AUTHORIZED()}connection: close\r\nx-long: ${"x".repeat(bytes)}\r\n\r\n`;
		expect(statusOf(await exchange(server, withHeader(100_000)))).toBe(200);
		// The rest of what was sent may reset the connection before the answer is read.
		expect([431, undefined]).toContain(statusOf(await exchange(server, withHeader(200_000))));
		const many = Array.from({ length: 20_000 }, (_, n) => `x-${n}: y\r\n`).join("");
		expect([431, undefined]).toContain(
			statusOf(await exchange(server, `GET /healthz HTTP/1.1\r\nhost: x\r\n${many}\r\n`)),
		);
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
