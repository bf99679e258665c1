import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Outgoing } from "./outgoing.ts";

let server: Server;
let port: number;
let asked: number;

beforeAll(async () => {
	asked = 0;
	server = createServer((request, response) => {
		asked++;
		if (request.url === "/large") response.end("x".repeat(2_000_000));
		else response.setHeader("x-one", ["a", "b"]).end(`${request.method} ${request.headers["accept"]}`);
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	port = (server.address() as AddressInfo).port;
});

afterAll(() => server?.close());

describe("T202: no request goes to an endpoint further inside than the provider itself", () => {
	const PUBLIC = "https://203.0.113.7/.well-known/openid-configuration";
	const PRIVATE = "https://10.0.0.7/.well-known/openid-configuration";
	test.each([
		[PUBLIC, () => `https://localhost:${port}/x`],
		[PUBLIC, () => `http://localhost:${port}/x`],
		[PUBLIC, () => `https://127.0.0.1:${port}/x`],
		[PUBLIC, () => `https://[::ffff:127.0.0.1]:${port}/x`],
		[PUBLIC, () => `https://2130706433:${port}/x`],
		[PUBLIC, () => `https://0x7f.1:${port}/x`],
		[PUBLIC, () => "https://10.0.0.8/x"],
		[PRIVATE, () => `https://localhost:${port}/x`],
		[PRIVATE, () => "https://169.254.169.254/x"],
		["http://localhost/.well-known/openid-configuration", () => "https://169.254.169.254/x"],
	])("of %s: $1", async (configUrl, address) => {
		await using outgoing = new Outgoing(configUrl, undefined);
		outgoing.checkAddress(configUrl);
		await expect(outgoing.send(address())).rejects.toMatchObject({ reason: "forbidden_address" });
		expect(asked).toBe(0);
	});

	test("http is for this machine alone", async () => {
		await using outgoing = new Outgoing(PUBLIC, undefined);
		expect(() => outgoing.checkAddress("http://203.0.113.7/x")).toThrow("insecure");
		expect(() => outgoing.checkAddress("https://203.0.113.8/x")).not.toThrow();
	});
});

describe("a provider on this machine", () => {
	test("is asked by name and by address", async () => {
		await using outgoing = new Outgoing(`http://localhost:${port}/x`, undefined);
		for (const host of ["localhost", "127.0.0.1"]) {
			const answer = await outgoing.send(`http://${host}:${port}/x`, { headers: { accept: "text/plain" } });
			expect([answer.status, answer.text, answer.headers.get("x-one")]).toEqual([200, "GET text/plain", "a, b"]);
		}
	});

	test("sends at most a mebibyte", async () => {
		await using outgoing = new Outgoing(`http://127.0.0.1:${port}/x`, undefined);
		await expect(outgoing.send(`http://127.0.0.1:${port}/large`)).rejects.toMatchObject({ reason: "too_large" });
	});

	test.each([
		["http://127.0.0.1:1/x", "refused"],
		["https://nothing.invalid/x", "unknown_host"],
	])("%s: %s", async (address, reason) => {
		await using outgoing = new Outgoing("http://127.0.0.1:1/x", undefined);
		await expect(outgoing.send(address)).rejects.toMatchObject({ reason });
	});

	test("that does not speak TLS is distinguished from one that is not there", async () => {
		await using outgoing = new Outgoing(`https://127.0.0.1:${port}/x`, undefined);
		await expect(outgoing.send(`https://127.0.0.1:${port}/x`)).rejects.toMatchObject({ reason: "no_tls" });
	});
});
