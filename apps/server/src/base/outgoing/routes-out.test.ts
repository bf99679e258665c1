import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OutgoingGuard, type OutgoingOptions } from "./outgoing-guard.ts";
import { AUTHORITY, serve, startProxy, type TestProxy, type TestServer } from "./test-servers.ts";

const ACCOUNT = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;

let plain: TestServer;
let secure: Record<"server" | "wrong-host" | "expired" | "untrusted", TestServer>;
let proxy: TestProxy;
let opened: AsyncDisposableStack;

beforeAll(async () => {
	opened = new AsyncDisposableStack();
	const start = async (certificate?: string) =>
		opened.use(
			await serve((request, response) => void response.end(`here ${JSON.stringify(request.headers)}`), certificate),
		);
	plain = await start();
	secure = {
		server: await start("server"),
		"wrong-host": await start("wrong-host"),
		expired: await start("expired"),
		untrusted: await start("untrusted"),
	};
	proxy = opened.use(await startProxy(secure["wrong-host"].port, ACCOUNT));
});

afterAll(() => opened?.disposeAsync());

function guardOf(options: Partial<OutgoingOptions> = {}): OutgoingGuard {
	return new OutgoingGuard({
		allowedHosts: ["127.0.0.1", "localhost"],
		allowsLoopback: false,
		ownPorts: [],
		...options,
	});
}

async function ask(guard: OutgoingGuard, address: string): Promise<string> {
	return await (await guard.fetch({ timeoutMs: 60_000 })(address)).text();
}

const through = (account: string, port = proxy.port) => ({
	ca: AUTHORITY,
	proxy: new URL(`http://${account}127.0.0.1:${port}`),
});

describe("E07: through the proxy", () => {
	it("goes what is not listed, with the user and password, which the host does not see", async () => {
		const asked = proxy.asked.length;
		await using guard = guardOf(through("user:p%40ss@"));
		const answer = await ask(guard, "https://elsewhere.example/");
		expect(answer).toMatch(/^here /);
		expect(answer).not.toMatch(/proxy|authorization/);
		expect(proxy.asked.slice(asked)).toEqual(["elsewhere.example:443"]);
	});

	it("listed hosts go without it", async () => {
		const asked = proxy.asked.length;
		await using guard = guardOf(through("user:p%40ss@"));
		expect(await ask(guard, `http://127.0.0.1:${plain.port}/`)).toMatch(/^here/);
		expect(await ask(guard, `https://localhost:${secure.server.port}/`)).toMatch(/^here/);
		expect(proxy.asked.slice(asked)).toEqual([]);
	});

	it.each([
		"https://10.0.0.1/",
		"https://[::1]/",
		"https://169.254.169.254/",
		"https://127.0.0.2/",
		"https://metadata.google.internal/",
		"http://elsewhere.example/",
	])("%s is refused all the same", async (address) => {
		const asked = proxy.asked.length;
		await using guard = guardOf(through("user:p%40ss@"));
		await expect(ask(guard, address)).rejects.toMatchObject({ reason: "forbidden_address" });
		expect(proxy.asked.slice(asked)).toEqual([]);
	});

	it("names of this machine do not go to it", async () => {
		const asked = proxy.asked.length;
		await using guard = guardOf({ ...through("user:p%40ss@"), allowedHosts: [] });
		await expect(ask(guard, `https://localhost:${secure.server.port}/`)).rejects.toMatchObject({
			reason: "forbidden_address",
		});
		expect(proxy.asked.slice(asked)).toEqual([]);
	});

	it.each([
		["that is not there", "", 1, /nothing listens/, true],
		["that wants another password", "user:other@", undefined, /user and password/, false],
		["that wants a password", "", undefined, /user and password/, false],
	])("a proxy %s is named as the reason", async (_, account, port, message, isPassing) => {
		await using guard = guardOf(through(account, port));
		await expect(ask(guard, "https://elsewhere.example/")).rejects.toMatchObject({
			reason: "proxy",
			setting: "SERVICE_OUTGOING_PROXY_URL",
			message: expect.stringMatching(message),
			isPassing,
		});
	});

	it("a host that the proxy does not connect to is said with its answer, and no password is", async () => {
		await using guard = guardOf(through("user:p%40ss@"));
		const error: unknown = await ask(guard, "https://blocked.example/").catch((caught: unknown) => caught);
		expect(error).toMatchObject({ reason: "proxy", message: expect.stringContaining("403") });
		expect(String(error)).not.toMatch(/p@ss|p%40ss/);
	});

	it("the certificate of the host is checked in it", async () => {
		await using guard = guardOf(through("user:p%40ss@"));
		await expect(ask(guard, "https://other.example/")).rejects.toMatchObject({ reason: "untrusted_certificate" });
	});
});

describe("the way to a host, step by step", () => {
	const names = async (guard: OutgoingGuard, address: string) =>
		(await guard.probe(address)).map(({ name, fault }) => (fault === undefined ? name : `${name}: ${fault.reason}`));

	it("is gone to its end, and says what was seen", async () => {
		await using guard = guardOf({ ca: AUTHORITY });
		const steps = await guard.probe(`https://localhost:${secure.server.port}/v1`);
		expect(steps.map(({ seen }) => seen)).toEqual([
			expect.stringMatching(/^localhost is .*127\.0\.0\.1.*, which may be called/),
			`Port ${secure.server.port} of 127.0.0.1 takes connections.`,
			expect.stringMatching(/^Signed by Spanward test authority, valid until 2/),
		]);
		expect((await guard.probe(`http://127.0.0.1:${plain.port}`)).at(-1)?.seen).toContain("plain http");
	});

	it("ends with the step that fails", async () => {
		await using guard = guardOf();
		expect(await names(guard, "nonsense")).toEqual(["address: forbidden_address"]);
		expect(await names(guard, "https://10.0.0.1/")).toEqual(["address: forbidden_address"]);
		expect(await names(guard, "https://nothing.invalid/")).toEqual(["address: unreachable"]);
		expect(await names(guard, "https://127.0.0.1:1/")).toEqual(["address", "connect: unreachable"]);
		expect(await names(guard, `https://localhost:${secure.server.port}/`)).toEqual([
			"address",
			"connect",
			"certificate: untrusted_certificate",
		]);
		expect(await names(guard, `https://localhost:${plain.port}/`)).toEqual([
			"address",
			"connect",
			"certificate: unreachable",
		]);
	});

	it("goes through the proxy", async () => {
		await using guard = guardOf(through("user:p%40ss@"));
		expect(await names(guard, "https://elsewhere.example/")).toEqual(["address", "connect", "certificate"]);
		await using refused = guardOf(through(""));
		expect(await names(refused, "https://elsewhere.example/")).toEqual(["address", "connect: proxy"]);
	});
});

describe("certificates", () => {
	it.each([
		["untrusted", /SERVICE_OUTGOING_CA_CERT_FILE/],
		["expired", /expired/],
		["wrong-host", /other names/],
	] as const)("%s is refused, whatever the environment says", async (certificate, message) => {
		const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
		process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
		try {
			await using guard = guardOf({ ca: AUTHORITY });
			await expect(ask(guard, `https://localhost:${secure[certificate].port}/`)).rejects.toMatchObject({
				reason: "untrusted_certificate",
				message: expect.stringMatching(message),
			});
		} finally {
			if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
			else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
		}
	});

	it("E02: proxies of the environment are not asked", async () => {
		const names = [
			"HTTPS_PROXY",
			"HTTP_PROXY",
			"https_proxy",
			"http_proxy",
			"ALL_PROXY",
			"NODE_USE_ENV_PROXY",
		] as const;
		const before = names.map((name) => process.env[name]);
		for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : `http://127.0.0.1:${proxy.port}`;
		const asked = proxy.asked.length;
		try {
			await using guard = guardOf({ ca: AUTHORITY });
			expect(await ask(guard, `https://localhost:${secure.server.port}/`)).toMatch(/^here/);
			expect(await ask(guard, `http://127.0.0.1:${plain.port}/`)).toMatch(/^here/);
		} finally {
			for (const [at, name] of names.entries()) {
				const value = before[at];
				if (value === undefined) delete process.env[name];
				else process.env[name] = value;
			}
		}
		expect(proxy.asked.slice(asked)).toEqual([]);
	});

	it("of an own authority are trusted once it is named", async () => {
		const address = `https://localhost:${secure.server.port}/`;
		await using without = guardOf();
		await expect(ask(without, address)).rejects.toMatchObject({
			reason: "untrusted_certificate",
			setting: "SERVICE_OUTGOING_CA_CERT_FILE",
		});
		await using withIt = guardOf({ ca: AUTHORITY });
		expect(await ask(withIt, address)).toMatch(/^here/);
	});
});

describe("a host that does not answer", () => {
	it("on this machine: says what localhost is in a container", async () => {
		await using guard = guardOf();
		await expect(ask(guard, "http://127.0.0.1:1/")).rejects.toMatchObject({
			reason: "unreachable",
			message: expect.stringContaining("In a container, localhost is the container itself"),
			isPassing: true,
		});
	});

	it("that does not speak TLS is told from one that is not there", async () => {
		await using guard = guardOf();
		await expect(ask(guard, `https://127.0.0.1:${plain.port}/`)).rejects.toMatchObject({
			reason: "unreachable",
			message: expect.stringContaining("TLS"),
		});
	});

	it("whose name is unknown is told", async () => {
		await using guard = guardOf();
		await expect(ask(guard, "https://nothing.invalid/")).rejects.toMatchObject({
			reason: "unreachable",
			message: expect.stringContaining("cannot be resolved"),
		});
	});
});
