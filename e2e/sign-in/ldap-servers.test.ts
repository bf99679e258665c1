import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import { testWith } from "../peers/requirements.ts";
import { type Slapd, startSlapd } from "../peers/slapd.ts";
import { freePort, type TestServer } from "../server.ts";
import { directoryStatus, tryDirectory } from "./directory-log-in.ts";
import {
	type Answer,
	element,
	entry,
	FakeDirectory,
	personDirectory,
	personSettings,
	result,
} from "./fake-directory.ts";

const test = testWith("slapd");
const CERTIFICATES = join(import.meta.dirname, "../certificates");
/** Another address of this machine, on which the first of two servers listens at the port of the second. */
const FIRST = "127.0.0.2";
const BOTH = `${FIRST},127.0.0.1`;
const ALICE = "uid=alice,ou=users,dc=example,dc=com";

let slapd: Slapd;
/** Ask the first server and then slapd, with StartTLS and without encryption. */
let both: TestServer;
let inClear: TestServer;
/** Asks the first server only. */
let alone: TestServer;
beforeAll(async () => {
	slapd = await startSlapd();
	both = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_HOST: BOTH });
	inClear = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_HOST: BOTH, SERVICE_LDAP_TLS_MODE: "none" });
	alone = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_HOST: FIRST });
});
afterAll(async () => {
	for (const peer of [both, inClear, alone, slapd]) await peer[Symbol.asyncDispose]();
});

describe("the connection", () => {
	test.each([
		["StartTLS to a name", () => ({ SERVICE_LDAP_HOST: "localhost" })],
		["StartTLS to an address that is in the certificate", () => ({ SERVICE_LDAP_HOST: "127.0.0.1" })],
		["LDAPS", () => ({ SERVICE_LDAP_TLS_MODE: "ldaps", SERVICE_LDAP_PORT: String(slapd.tlsPort) })],
		["no encryption", () => ({ SERVICE_LDAP_TLS_MODE: "none" })],
		["no service account", () => ({ SERVICE_LDAP_BIND_DN: "", SERVICE_LDAP_BIND_PASSWORD: "" })],
	])("works with %s", async (_, settings) => {
		await using server = await startWithAuth({ ...slapd.settings, ...settings() });
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
		expect(await directoryStatus(server, "alice", "wrong")).toBe(401);
	});

	test.each(["untrusted", "expired", "wrong-host"] as const)(
		"T168: is refused to a server whose certificate is %s, which learns no password",
		async (certificate) => {
			await using bad = await startSlapd({ certificate });
			const before = bad.log.length;
			for (const settings of [{}, { SERVICE_LDAP_TLS_MODE: "ldaps", SERVICE_LDAP_PORT: String(bad.tlsPort) }]) {
				await using server = await startWithAuth({ ...bad.settings, ...settings });
				expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
				expect(server.output).toMatch(/certificate of 127\.0\.0\.1:\d+ (is signed|has expired|is not for)/);
			}
			expect(bad.log.slice(before)).not.toContain("BIND dn=");
			await using trusting = await startWithAuth({ ...bad.settings, SERVICE_LDAP_TLS_VERIFY: "false" });
			expect(await directoryStatus(trusting, "alice", "alice-pw")).toBe(204);
		},
	);

	test("T168: is not for a name that the certificate does not have", async () => {
		await using server = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_HOST: "ip6-localhost,127.0.0.1.nip.invalid",
		});
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
		await using fallback = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_HOST: "nobody.invalid,127.0.0.1" });
		expect(await directoryStatus(fallback, "alice", "alice-pw")).toBe(204);
		expect(fallback.output).toContain("cannot be resolved");
	});

	test.each<[string, Answer]>([
		["refuses StartTLS", (request) => [result(request, 2)]],
		["says nothing to StartTLS", () => undefined],
		["hangs up at StartTLS", (_, socket) => void socket.destroy()],
		["says yes to another request", (request) => [result({ ...request, id: 7 }, 0)]],
		["has no TLS behind its yes", (request) => [result(request, 0)]],
	])("T168: with a server that %s nothing is said in clear, and the next is asked", async (_, answer) => {
		await using stripping = await FakeDirectory.start(answer, FIRST, slapd.port);
		expect(await directoryStatus(both, "alice", "alice-pw")).toBe(204);
		const before = alone.output.length;
		expect(await directoryStatus(alone, "alice", "alice-pw")).toBe(503);
		expect(alone.output.slice(before)).toContain("SERVICE_LDAP_TLS_MODE");
		expect(stripping.requests.map(({ operation }) => operation)).toEqual(["extended", "extended"]);
	});

	test.each([
		["a message", "300c02010161070a010004000400"],
		// As long as it says, it takes in the true answer to the bind, and is a yes to that.
		["the beginning of a message", "301a02010161150a010004000400"],
	])("T168: is given up when somebody in between puts %s in clear behind the yes to StartTLS", async (_, added) => {
		await using clear = await startMeddler(slapd.port, Buffer.alloc(0));
		await using through = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_PORT: String(clear.port) });
		expect(await directoryStatus(through, "alice", "alice-pw")).toBe(204);
		await using meddler = await startMeddler(slapd.port, Buffer.from(added, "hex"));
		await using server = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_PORT: String(meddler.port) });
		const before = slapd.log.length;
		expect(await directoryStatus(server, "alice", "wrong")).toBe(503);
		expect(server.output).toContain("somebody in between may have changed it");
		expect(slapd.log.slice(before)).not.toContain("BIND dn=");
	});

	test("brings a client certificate to a server that demands one", async () => {
		await using demanding = await startSlapd({ verifyClient: true });
		const client = (name: string) => ({
			SERVICE_LDAP_TLS_CLIENT_CERT_FILE: join(CERTIFICATES, `${name}.pem`),
			SERVICE_LDAP_TLS_CLIENT_KEY_FILE: join(CERTIFICATES, `${name}.key`),
		});
		await using known = await startWithAuth({ ...demanding.settings, ...client("client") });
		expect(await directoryStatus(known, "alice", "alice-pw")).toBe(204);
		for (const settings of [{}, client("untrusted-client")]) {
			await using refused = await startWithAuth({ ...demanding.settings, ...settings });
			expect(await directoryStatus(refused, "alice", "alice-pw")).toBe(503);
			expect(refused.output).toContain("SERVICE_LDAP_TLS_CLIENT_CERT_FILE");
		}
	});
});

describe("several servers", () => {
	test.each<[string, Answer]>([
		["hangs", () => undefined],
		["hangs up", (_, socket) => void socket.destroy()],
		["is busy for the service account", (request) => [result(request, 51)]],
		["does not know the service account", (request) => [result(request, 49)]],
		["is busy at the search", (request) => [result(request, request.operation === "search" ? 51 : 0)]],
		[
			"is busy at the user's bind",
			(request) => {
				if (request.operation === "search")
					return [entry(request, ALICE, { mail: ["a@example.com"] }), result(request, 0)];
				return [result(request, request.name === ALICE ? 51 : 0)];
			},
		],
	])("T169: when the first %s the next is asked", async (_, answer) => {
		await using first = await FakeDirectory.start(answer, FIRST, slapd.port);
		expect(await directoryStatus(inClear, "alice", "alice-pw")).toBe(204);
		expect(first.connections).toBeGreaterThan(0);
	});

	test("T169: when nobody listens at the first the next is asked, and the log says so", async () => {
		expect(await directoryStatus(both, "alice", "alice-pw")).toBe(204);
		expect(both.output).toContain(`Nobody listens at ${FIRST}:${slapd.port}.`);
	});

	test("T169: what the first says about a name or password is final", async () => {
		await using second = await FakeDirectory.start(personDirectory(ALICE, {}), FIRST, slapd.port);
		await using server = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_HOST: `127.0.0.1,${FIRST}`,
			SERVICE_LDAP_TLS_MODE: "none",
		});
		expect(await directoryStatus(server, "alice", "wrong")).toBe(401);
		expect(await directoryStatus(server, "nobody", "wrong")).toBe(401);
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
		expect(second.connections).toBe(0);
	});
});

describe("T176: while no server can be asked", () => {
	test("log-ins answer 503, are no failed attempts, and work again when it is back", async () => {
		await using directory = await startSlapd();
		await using server = await startWithAuth(directory.settings);
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
		await directory.stop();
		for (let attempt = 1; attempt <= 8; attempt++) {
			const response = await tryDirectory(server, "alice", "alice-pw");
			expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
			expect(await response.text()).toBe("The directory cannot be reached at the moment; try again later.");
		}
		await directory.start();
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
	});

	test("with the wrong password of the service account the log names its variables, and not the password", async () => {
		await using server = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_BIND_PASSWORD: "not-the-password" });
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
		expect(server.output).toContain("SERVICE_LDAP_BIND_PASSWORD");
		expect(server.output).not.toMatch(/not-the-password|alice-pw|cn=svc/);
	});
});

describe("T167: a referral", () => {
	test("to another server is never followed", async () => {
		await using trap = await FakeDirectory.start(personDirectory(ALICE, { mail: ["alice@example.com"] }));
		await slapd.add(
			`dn: ou=trap,ou=users,dc=example,dc=com\nobjectClass: referral\nobjectClass: extensibleObject\nou: trap\nref: ldap://127.0.0.1:${trap.port}/ou=evil,dc=example,dc=com\n`,
		);
		await using server = await startWithAuth(slapd.settings);
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(204);
		expect(await directoryStatus(server, "nobody", "alice-pw")).toBe(401);
		await using inside = await startWithAuth({
			...slapd.settings,
			SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify(["ou=trap,ou=users,dc=example,dc=com"]),
		});
		expect(await directoryStatus(inside, "alice", "alice-pw")).toBe(503);
		expect(inside.output).toContain("referrals are not followed");
		expect(trap.connections).toBe(0);
	});
});

describe("a server that does not speak LDAP as it should", () => {
	const cutBind = Buffer.from([0x30, 0x05, 0x02, 0x01, 0x02, 0x61, 0x00]);
	const tooLong = (id: number) =>
		element(
			0x30,
			element(0x02, Buffer.from([id])),
			Buffer.from([0x64, 0x07, 0x04, 0x01, 0x61, 0x30, 0x02, 0x30, 0x7f]),
		);
	let port: number;
	let server: TestServer;
	beforeAll(async () => {
		port = await freePort();
		server = await startWithAuth({
			...personSettings(port),
			SERVICE_LDAP_BIND_DN: "cn=svc",
			SERVICE_LDAP_BIND_PASSWORD: "svc-pw",
		});
	});
	afterAll(() => server[Symbol.asyncDispose]());
	test.each<[string, Answer]>([
		["answers a bind with a result that has no code", () => [cutBind]],
		["answers another request", (request) => [result({ ...request, id: request.id + 1 }, 0)]],
		["answers a bind as a search", (request) => [result({ ...request, operation: "search" }, 0)]],
		[
			"sends an entry that is longer than its message",
			(request) => (request.operation === "bind" ? [result(request, 0)] : [tooLong(request.id)]),
		],
		["says that it hangs up, and does not", (request) => [result({ ...request, id: 0, operation: "extended" }, 52)]],
		["sends no LDAP", () => [Buffer.from("HTTP/1.1 200 OK\r\n\r\n")]],
		["promises a message of 4 GiB", () => [Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x02])]],
		[
			"says more than anybody needs",
			(request) => [element(0x30, element(0x02, Buffer.from([request.id])), element(0x64, Buffer.alloc(40_000_000)))],
		],
		["finds an entry without a DN", personDirectory("", { mail: ["alice@example.com"] })],
	])("opens no session when it %s", async (_, answer) => {
		await using directory = await FakeDirectory.start(answer, "127.0.0.1", port);
		expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
		expect(directory.connections).toBeGreaterThan(0);
		expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
	});
});

test("T181: of 50 log-ins at a server that stalls none delays what others do", async () => {
	await using stalling = await FakeDirectory.start((request) =>
		request.operation === "bind" ? [result(request, 0)] : undefined,
	);
	await using server = await startWithAuth(personSettings(stalling.port));
	const begun = performance.now();
	let over = 0;
	const logIns = Array.from({ length: 50 }, (_, number) =>
		directoryStatus(server, `user-${number}`, "pw").finally(() => {
			over += 1;
		}),
	);
	await expect.poll(() => stalling.connections).toBeGreaterThan(0);
	let connectionsAtFirst = stalling.connections;
	expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
	expect(over).toBe(0);
	while (over < logIns.length) {
		expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
		await new Promise((resolve) => setTimeout(resolve, 50));
		// An operation is given up after five seconds.
		if (performance.now() - begun < 4_000) connectionsAtFirst = stalling.connections;
	}
	expect(new Set(await Promise.all(logIns))).toEqual(new Set([503]));
	// Ten at a time, and nobody has given up yet.
	expect(connectionsAtFirst).toBeGreaterThan(0);
	expect(connectionsAtFirst).toBeLessThanOrEqual(10);
});

/** Passes everything on to a directory and back, with `added` behind the first answer. */
async function startMeddler(directoryPort: number, added: Buffer) {
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		const directory = connect(directoryPort, "127.0.0.1");
		for (const socket of [client, directory]) sockets.add(socket.on("error", () => undefined));
		client.pipe(directory);
		directory.once("data", (first: Buffer) => {
			client.write(Buffer.concat([first, added]));
			directory.pipe(client);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	return {
		port: address.port,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

test("the port of no directory at all", async () => {
	await using server = await startWithAuth({ ...slapd.settings, SERVICE_LDAP_PORT: String(await freePort()) });
	expect(await directoryStatus(server, "alice", "alice-pw")).toBe(503);
	expect(server.output).toContain("SERVICE_LDAP_PORT");
});
