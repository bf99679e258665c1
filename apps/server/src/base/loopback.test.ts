import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { hostOf, isFromThisMachine, isLoopback } from "./loopback.ts";

function isLocal(remoteAddress: string | undefined, headers: IncomingHttpHeaders, httpVersion = "1.1"): boolean {
	return isFromThisMachine({ socket: { remoteAddress }, headers, httpVersion });
}

test.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])("%s is this machine", (address) => {
	for (const host of ["localhost", "localhost:6006", "LOCALHOST:6006", "127.0.0.1:6006", "[::1]:6006"]) {
		expect(isLocal(address, { host })).toBe(true);
	}
});

test.each([
	"192.0.2.7",
	"10.0.0.1",
	"::ffff:10.0.0.1",
	"fe80::1",
	"2001:db8::127.0.0.1",
	"::",
	"0.0.0.0",
	"",
	undefined,
])("%s is another machine, whatever it sends", (address) => {
	const host = "localhost";
	for (const headers of [{ host }, { host, "x-forwarded-for": "127.0.0.1" }, { host, forwarded: "for=127.0.0.1" }]) {
		expect(isLocal(address, headers)).toBe(false);
	}
});

test.each([
	{ host: "localhost", "x-forwarded-for": "127.0.0.1" },
	{ host: "localhost", "x-forwarded-for": "" },
	{ host: "localhost", forwarded: "for=192.0.2.7" },
	{ host: "localhost", "x-real-ip": "192.0.2.7" },
	{ host: "localhost", "x-forwarded-proto": "https" },
	{ host: "localhost", via: "1.1 proxy" },
	{ host: "localhost", "x-forwarded-port": "443" },
	{ host: "localhost", "x-original-forwarded-for": "192.0.2.7" },
	{ host: "localhost", "x-envoy-external-address": "192.0.2.7" },
	{ host: "localhost", "cf-connecting-ip": "192.0.2.7" },
	{ host: "localhost", "true-client-ip": "192.0.2.7" },
	{ host: "traces.example.com" },
	{ host: "localhost.example.com" },
	{ host: "localhost@example.com" },
	{ host: "" },
	{},
])("through a proxy on this machine it is another machine's: %j", (headers) => {
	expect(isLocal("127.0.0.1", headers)).toBe(false);
});

test("HTTP/1.0 counts as a proxy that adds no headers", () => {
	expect(isLocal("127.0.0.1", { host: "127.0.0.1:6006" }, "1.0")).toBe(false);
});

test.each([
	["localhost", "localhost"],
	["LocalHost:6006", "localhost"],
	["127.0.0.1:80", "127.0.0.1"],
	["[::1]:6006", "::1"],
	["[2001:DB8::7]", "2001:db8::7"],
	["traces.example.com:", "traces.example.com"],
	["a b", ""],
	["a@b", ""],
	["a/b", ""],
	["localhost, evil.example", ""],
	["::1", ""],
	["[localhost]", ""],
	["a:b", ""],
	["", ""],
])("the host of %j is %j", (header, host) => {
	expect(hostOf(header)).toBe(host);
});

test("a name is not this machine's just because it begins like one", () => {
	for (const host of ["127.0.0.1.example.com", "localhost.example.com", "::1%eth0", "1270.0.0.1"]) {
		expect(isLoopback(host)).toBe(false);
	}
});
