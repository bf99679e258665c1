import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OutgoingGuard, type OutgoingOptions } from "./outgoing-guard.ts";
import { serve, type TestServer } from "./test-servers.ts";

const ALLOWED = "SERVICE_OUTGOING_ALLOWED_HOSTS";

let server: TestServer;
let asked: string[];

beforeAll(async () => {
	asked = [];
	server = await serve((request, response) => {
		asked.push(`${request.method} ${request.headers.host}${request.url}`);
		if (request.url === "/redirect") response.writeHead(307, { location: "/elsewhere" });
		response.end("here");
	});
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** Names resolve to what `found` lists; others to nothing. */
function guardOf(
	allowedHosts: readonly string[],
	found: Readonly<Record<string, readonly string[]>> = {},
	options: Partial<OutgoingOptions> = {},
): OutgoingGuard {
	return new OutgoingGuard({
		allowedHosts,
		allowsLoopback: false,
		ownPorts: [],
		resolve: (host, callback) => {
			const addresses = (found[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
			callback(addresses.length === 0 ? Object.assign(new Error("not found"), { code: "ENOTFOUND" }) : null, addresses);
		},
		...options,
	});
}

async function ask(guard: OutgoingGuard, address: string): Promise<string> {
	const answer = await guard.fetch({ timeoutMs: 60_000 })(address);
	return `${answer.status} ${await answer.text()}`;
}

const LOCAL = {
	"models.internal": ["127.0.0.1"],
	"gpu.models.internal": ["127.0.0.1"],
	"other.example": ["127.0.0.1"],
};

describe("E05: addresses on this machine, in private networks and plain http", () => {
	it.each([
		[[], "http://127.0.0.1:port/", "on this machine"],
		[[], "https://localhost:port/", "on this machine"],
		[[], "http://2130706433:port/", "on this machine"],
		[[], "http://0x7f.1:port/", "on this machine"],
		[[], "http://[::ffff:127.0.0.1]:port/", "on this machine"],
		[[], "https://10.0.0.8/", "in a private network"],
		[[], "https://[fd12:3456::1]/", "in a private network"],
		[[], "https://100.64.0.1/", "in a private network"],
		[[], "https://models.internal:port/", "on this machine"],
		[[], "http://203.0.113.7/", "plain http"],
		[["models.internal"], "http://gpu.models.internal:port/", "on this machine"],
		[["*.models.internal"], "http://models.internal:port/", "on this machine"],
		[["*.internal"], "http://other.example:port/", "on this machine"],
		[["10.0.0.0/8"], "http://127.0.0.1:port/", "on this machine"],
		[["localhost"], "http://127.0.0.1:port/", "on this machine"],
	] as const)("are refused, naming the setting: %j, %s", async (allowed, address, where) => {
		asked = [];
		await using guard = guardOf(allowed, { ...LOCAL, localhost: ["127.0.0.1", "::1"] });
		await expect(ask(guard, address.replace("port", String(server.port)))).rejects.toMatchObject({
			reason: "forbidden_address",
			setting: ALLOWED,
			message: expect.stringMatching(new RegExp(`${where}.*list its host, address or network in ${ALLOWED}`)),
		});
		expect(asked).toEqual([]);
	});

	it.each([
		[["127.0.0.1"], "127.0.0.1"],
		[["localhost"], "localhost"],
		[["models.internal"], "models.internal"],
		[["models.internal"], "MODELS.internal."],
		[["*.models.internal"], "gpu.models.internal"],
		[["10.0.0.0/8", "127.0.0.0/8"], "other.example"],
		[["127.0.0.0/8"], "[::ffff:127.0.0.1]"],
		[["0.0.0.0/0"], "127.0.0.1"],
	])("are called if listed: %j, %s", async (allowed, host) => {
		const found = { ...LOCAL, "models.internal.": ["127.0.0.1"], localhost: ["127.0.0.1"] };
		await using guard = guardOf(allowed, found);
		expect(await ask(guard, `http://${host}:${server.port}/`)).toBe("200 here");
	});

	it("this machine is called without being listed where the service allows it, and nothing else is", async () => {
		await using guard = guardOf([], LOCAL, { allowsLoopback: true });
		expect(await ask(guard, `http://127.0.0.1:${server.port}/`)).toBe("200 here");
		expect(await ask(guard, `http://other.example:${server.port}/`)).toBe("200 here");
		await expect(ask(guard, "https://10.0.0.8/")).rejects.toMatchObject({ reason: "forbidden_address" });
		await expect(ask(guard, "http://203.0.113.7/")).rejects.toMatchObject({ reason: "forbidden_address" });
	});

	it("the service's own ports are never called, on any address of this machine", async () => {
		const own = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
		await using guard = guardOf(["0.0.0.0/0", "::/0", "own.example"], { "own.example": ["127.0.0.1"] });
		guard.addOwnPort(server.port);
		for (const host of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "own.example", ...own]) {
			const inUrl = host.includes(":") ? `[${host.replace(/%.*/, "")}]` : host;
			const refused = expect(ask(guard, `http://${inUrl}:${server.port}/`)).rejects;
			await refused.toMatchObject({ reason: "forbidden_address", message: expect.stringContaining("never called") });
		}
	});

	it.each([
		"http://169.254.169.254/latest/meta-data",
		"https://[::ffff:169.254.169.254]/",
		"https://[64:ff9b::a9fe:a9fe]/",
		"https://[fd00:ec2::254]/",
		"http://0.0.0.0:port/",
		"http://[::]:port/",
		"https://[fe80::1]/",
		"https://224.0.0.1/",
		"http://2852039166/",
		"https://metadata.example/",
		"https://metadata.google.internal/",
	])("%s is never called, whatever is listed", async (address) => {
		const listed = ["0.0.0.0/0", "::/0", "169.254.169.254", "*.example", "metadata.google.internal"];
		const found = { "metadata.example": ["169.254.169.254"], "metadata.google.internal": ["127.0.0.1"] };
		await using guard = guardOf(listed, found);
		await expect(ask(guard, address.replace("port", String(server.port)))).rejects.toMatchObject({
			reason: "forbidden_address",
			message: expect.stringContaining(`never called, whatever ${ALLOWED} lists`),
		});
	});

	it.each(["ftp://203.0.113.7/", "file:///etc/passwd", "https://user@203.0.113.7/", "data:,x", "nonsense"])(
		"%s is no address to call",
		async (address) => {
			await using guard = guardOf(["0.0.0.0/0"]);
			await expect(ask(guard, address)).rejects.toMatchObject({ reason: "forbidden_address" });
		},
	);
});

describe("E06: an address that becomes another one", () => {
	it("a name that resolves to this machine when it is called is refused, whatever it resolved to before", async () => {
		const found: Record<string, readonly string[]> = { "models.example": ["203.0.113.7"] };
		await using guard = guardOf([], found);
		found["models.example"] = ["127.0.0.1"];
		asked = [];
		await expect(ask(guard, `https://models.example:${server.port}/`)).rejects.toMatchObject({
			reason: "forbidden_address",
		});
		expect(asked).toEqual([]);
	});

	it("of several addresses only the allowed ones are tried", async () => {
		await using guard = guardOf(["127.0.0.1"], { "both.example": ["169.254.169.254", "10.0.0.1", "127.0.0.1"] });
		expect(await ask(guard, `http://both.example:${server.port}/`)).toBe("200 here");
	});

	it("a redirect is an error, and no second request is made", async () => {
		asked = [];
		await using guard = guardOf(["127.0.0.1"]);
		await expect(ask(guard, `http://127.0.0.1:${server.port}/redirect`)).rejects.toMatchObject({
			reason: "bad_response",
			message: expect.stringContaining("redirects"),
		});
		expect(asked).toEqual([`GET 127.0.0.1:${server.port}/redirect`]);
	});

	it("a header that names another host is not sent", async () => {
		asked = [];
		await using guard = guardOf(["127.0.0.1"]);
		const headers = { host: "inner.example", connection: "upgrade" };
		await guard.fetch({ timeoutMs: 60_000 })(`http://127.0.0.1:${server.port}/`, { headers });
		expect(asked).toEqual([`GET 127.0.0.1:${server.port}/`]);
	});
});
