import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_SECRET, asAdmin, SECRET, startWithAuth } from "../access/accounts.ts";
import { MailSink } from "../mail-sink.ts";
import { createTestServer, freePort, type TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";
import { askDoctor } from "./doctor.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");
const pem = (name: string) => join(CERTIFICATES, name);
const AUTHENTICATION = {
	SERVICE_HOST: "127.0.0.1",
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: SECRET,
	SERVICE_ADMIN_SECRET: ADMIN_SECRET,
};

let server: TestServer;
let folder: string;
beforeAll(async () => {
	server = await startWithAuth();
	folder = await mkdtemp(join(tmpdir(), "spanward-doctor-"));
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

/** The environment of a running server. */
function settingsOf(of: TestServer, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
	return {
		...AUTHENTICATION,
		SERVICE_PORT: String(of.port),
		SERVICE_GRPC_PORT: String(of.grpcPort),
		SERVICE_WORKING_DIR: of.workingDir,
		SERVICE_ROOT_URL: `http://127.0.0.1:${of.port}`,
		...more,
	};
}

/** A server that passes requests on to `server`, changing what `change` says. */
async function startProxy(
	change: {
		readonly headers?: Readonly<Record<string, string>>;
		readonly answer?: (headers: Record<string, string | string[] | undefined>, path: string) => void;
	},
	target = server.port,
) {
	const proxy = createServer((incoming, outgoing) => {
		const headers = { ...incoming.headers, ...change.headers };
		const passed = request({ port: target, method: incoming.method, path: incoming.url, headers }, (answer) => {
			change.answer?.(answer.headers, incoming.url ?? "");
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		incoming.pipe(passed);
	}).listen(0, "127.0.0.1");
	await once(proxy, "listening");
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		async [Symbol.asyncDispose]() {
			proxy.closeAllConnections();
			proxy.close();
		},
	};
}

test("nothing fails beside a server that runs, which is not disturbed", async () => {
	const before = await asAdmin(server).data("GET", "/v1/users");
	const { code, sections, failed, output } = await askDoctor(settingsOf(server));
	expect(failed).toEqual([]);
	expect(code).toBe(0);
	expect(sections.map(({ title }) => title)).toEqual([
		"Settings",
		"Database",
		"Certificate of this server",
		"Server",
		"How requests reach the server",
		"Admins",
	]);
	const disk = sections[1]?.steps.filter(({ name }) => name === "disk").map(({ text }) => text);
	expect(disk).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/^\d+ MiB are free on the folder's disk/),
			expect.stringMatching(/^The disk takes [\d.]+ ms to sync a write/),
			expect.stringMatching(/^The database takes \d+ MiB, its write-ahead log \d+ MiB\./),
		]),
	);
	// The server itself does not know its root URL.
	expect(sections[4]?.steps.map(({ outcome }) => outcome)).toEqual(["skipped", "ok", "ok"]);
	expect(output).not.toContain(SECRET);
	expect(output).not.toContain(ADMIN_SECRET);
	expect(await asAdmin(server).data("GET", "/v1/users")).toEqual(before);
	await asAdmin(server).data("PUT", "/v1/secrets", { secrets: [{ key: "STILL_WRITES", value: "x" }] });
});

test("a test mail is sent where it is asked for, and the sender is looked at", async () => {
	await using sink = await MailSink.start();
	const env = settingsOf(server, sink.env);
	const asked = await askDoctor(env, ["--mail", "Ops@example.com"]);
	const mail = asked.sections.find(({ title }) => title === "Mail")?.steps ?? [];
	expect(mail.map(({ outcome }) => outcome)).toEqual([expect.stringMatching(/^(warning|skipped)$/), "ok"]);
	expect(mail[0]?.facts).toEqual([{ name: "Sender", value: "noreply@traces.example" }]);
	expect(sink.mails.map(({ to }) => to)).toEqual([["ops@example.com"]]);

	await askDoctor(env);
	expect(sink.mails).toHaveLength(1);
	const local = await askDoctor({ ...env, SERVICE_SMTP_MAIL_FROM: "noreply@localhost" });
	expect(local.sections.find(({ title }) => title === "Mail")?.steps).toMatchObject([
		{ outcome: "warning", settings: ["SERVICE_SMTP_MAIL_FROM", "SERVICE_ROOT_URL"] },
	]);
	const silent = await askDoctor(settingsOf(server), ["--mail", "ops@example.com"]);
	expect(silent.failed).toMatchObject([{ name: "mail", settings: ["SERVICE_SMTP_HOSTNAME"] }]);
	const closed = await askDoctor({ ...env, SERVICE_SMTP_PORT: String(await freePort()) }, [
		"--mail",
		"ops@example.com",
	]);
	expect(closed.failed).toMatchObject([{ name: "mail", settings: expect.arrayContaining(["SERVICE_SMTP_PORT"]) }]);
	expect((await spanward(["doctor", "--mail", "nobody"], { env })).code).toBe(64);
});

test("people read a line a step, without colours and controls", async () => {
	const { code, stdout, stderr } = await spanward(["doctor"], { env: settingsOf(server) });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toMatch(/^Settings\n {2}ok {6}settings {3}All settings are valid\.$/m);
	expect(stdout).toMatch(/\n\d+ ok, \d+ warnings?, 0 failed\n$/);
	expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("wrong settings are all named at once, with 78", async () => {
	const env = {
		...AUTHENTICATION,
		SERVICE_PORT: "x",
		SERVICE_SECRET: "short-secret-value",
		SERVICE_ENABLE_PROMETHEUS: "maybe",
	};
	const text = await spanward(["doctor"], { env });
	expect(text.code).toBe(78);
	expect(text.stderr).toMatch(/SERVICE_PORT.*SERVICE_ENABLE_PROMETHEUS/s);
	const json = await spanward(["doctor", "--json"], { env });
	expect(json.code).toBe(78);
	expect(JSON.parse(json.stdout)).toMatchObject({
		ok: false,
		problems: expect.arrayContaining([expect.stringContaining("SERVICE_PORT")]),
	});
	expect(text.stderr + text.stdout + json.stdout + json.stderr).not.toContain("short-secret-value");
});

test("a wrong call ends with 64, and repeats no password", async () => {
	const env = settingsOf(server);
	for (const args of [["--password=hunter22"], ["hunter22"], ["--claims", "x.json"]]) {
		const { code, stderr } = await spanward(["doctor", ...args], { env });
		expect(code, args.join(" ")).toBe(64);
		expect(stderr).not.toContain("hunter22");
	}
	expect((await spanward(["doctor", "--provider", "keycloak"], { env })).code).toBe(64);
	expect((await spanward(["doctor", "--ldap-user", "alice"], { env })).code).toBe(64);
});

test("another SERVICE_SECRET than the database's, and another admin secret than the server's, are named", async () => {
	const { code, failed } = await askDoctor(
		settingsOf(server, {
			SERVICE_SECRET: "other-secret-0123456789-abcdefghijklmnop",
			SERVICE_ADMIN_SECRET: "other-admin-secret-0123456789-abcdefghij",
		}),
	);
	expect(code).toBe(1);
	expect(failed.map(({ settings }) => settings)).toEqual([
		["SERVICE_SECRET", "SERVICE_SECRET_PREVIOUS"],
		["SERVICE_ADMIN_SECRET"],
	]);
});

test("a folder that is not there is left so, and one that is a file is named", async () => {
	const missing = join(folder, "missing/deeper");
	const port = String(await freePort());
	const absent = await askDoctor({ SERVICE_WORKING_DIR: missing, SERVICE_PORT: port });
	expect(absent.code).toBe(0);
	expect(await readdir(folder)).toEqual([]);
	expect(absent.steps.find(({ name }) => name === "folder")).toMatchObject({ outcome: "warning" });
	const { failed } = await askDoctor({ SERVICE_WORKING_DIR: pem("make.sh"), SERVICE_PORT: port });
	expect(failed).toMatchObject([{ name: "folder", settings: ["SERVICE_WORKING_DIR"] }]);
});

test("a database is read and never written, whatever is wrong with it", async () => {
	await using stopped = await startWithAuth();
	await stopped.stop();
	const path = join(stopped.workingDir, "spanward.db");
	await chmod(path, 0o644);
	const before = await readFile(path);
	const readable = await askDoctor(settingsOf(stopped));
	expect(readable.steps).toContainEqual(
		expect.objectContaining({ outcome: "warning", text: expect.stringContaining("Other users") }),
	);
	expect(readable.code).toBe(0);
	expect(Buffer.compare(before, await readFile(path))).toBe(0);
	expect((await stat(path)).mode & 0o777).toBe(0o644);

	const db = new DatabaseSync(path);
	db.exec("insert into schema_version (version, applied_at) values (999, 0)");
	db.close();
	expect((await askDoctor(settingsOf(stopped))).failed).toMatchObject([{ text: expect.stringContaining("newer") }]);
});

test("a server under another root path, and a proxy to something else, name SERVICE_HOST_ROOT_PATH", async () => {
	const other = await askDoctor(settingsOf(server, { SERVICE_HOST_ROOT_PATH: "/traces" }));
	expect(other.failed[0]?.settings).toContain("SERVICE_HOST_ROOT_PATH");
	const elsewhere = createServer((_, response: ServerResponse) => response.end("hello")).listen(0, "127.0.0.1");
	await once(elsewhere, "listening");
	const { port } = elsewhere.address() as AddressInfo;
	const foreign = await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: `http://127.0.0.1:${port}` }));
	expect(foreign.failed).toMatchObject([{ name: "address", settings: ["SERVICE_ROOT_URL", "SERVICE_HOST_ROOT_PATH"] }]);
	const taken = await askDoctor(settingsOf(server, { SERVICE_PORT: String(port) }));
	expect(taken.failed).toMatchObject([{ name: "address", settings: ["SERVICE_PORT"] }]);
	elsewhere.close();
	elsewhere.closeAllConnections();
	const dead = await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: `http://127.0.0.1:${port}` }));
	expect(dead.failed).toMatchObject([{ name: "address", settings: ["SERVICE_ROOT_URL"] }]);
});

test("the headers of a proxy that no setting names lead to SERVICE_TRUSTED_PROXIES", async () => {
	await using proxy = await startProxy({ headers: { "x-forwarded-for": "203.0.113.7" } });
	const { steps } = await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: proxy.url }));
	expect(steps).toContainEqual(
		expect.objectContaining({ name: "proxy", outcome: "warning", settings: ["SERVICE_TRUSTED_PROXIES"] }),
	);
});

test.each([
	["removes Set-Cookie", () => undefined, []],
	[
		"changes the path",
		(cookie: string) => cookie.replace(/Path=[^;]*/, "Path=/other"),
		["SERVICE_COOKIES_PATH", "SERVICE_HOST_ROOT_PATH"],
	],
	["takes HttpOnly away", (cookie: string) => cookie.replace("HttpOnly; ", ""), []],
	["adds Secure", (cookie: string) => `${cookie}; Secure`, ["SERVICE_USE_SECURE_COOKIES"]],
])("a proxy that %s fails the step of cookies", async (_, change, settings) => {
	await using proxy = await startProxy({
		answer: (headers) => {
			const cookies = [headers["set-cookie"] ?? []].flat().flatMap((cookie) => change(cookie) ?? []);
			if (cookies.length > 0) headers["set-cookie"] = cookies;
			else delete headers["set-cookie"];
		},
	});
	const { failed } = await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: proxy.url }));
	expect(failed).toMatchObject([{ name: "cookies", settings }]);
});

test("a clock that is wrong by minutes is told", async () => {
	await using proxy = await startProxy({
		answer: (headers) => {
			headers["date"] = new Date(Date.now() - 600_000).toUTCString();
		},
	});
	const { steps } = await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: proxy.url }));
	expect(steps).toContainEqual(expect.objectContaining({ name: "clock", outcome: "warning" }));
});

test("the admin secret is not sent where a redirect leads, nor to what is no Spanward", async () => {
	const seen: string[] = [];
	const thief = createServer((incoming, response) => {
		seen.push(String(incoming.headers.authorization));
		response.end("{}");
	}).listen(0, "127.0.0.1");
	await once(thief, "listening");
	const { port } = thief.address() as AddressInfo;
	const redirecting = createServer((_, response) =>
		response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
	).listen(0, "127.0.0.1");
	await once(redirecting, "listening");
	const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
	expect((await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: url }))).failed).toMatchObject([
		{
			settings: ["SERVICE_ROOT_URL"],
			facts: expect.arrayContaining([{ name: "Location", value: `http://127.0.0.1:${port}/` }]),
		},
	]);
	await askDoctor(settingsOf(server, { SERVICE_ROOT_URL: `http://127.0.0.1:${port}` }));
	expect(seen.filter((authorization) => authorization !== "undefined")).toEqual([]);
	for (const each of [thief, redirecting]) each.close().closeAllConnections();
});

const TRUST = { NODE_EXTRA_CA_CERTS: pem("authority.pem") };
const certificates: readonly [what: string, name: string, env: Readonly<Record<string, string>>, failed: string[]][] = [
	["that is good passes", "server", TRUST, []],
	["of an unknown authority fails", "server", {}, ["tls"]],
	["for another host fails", "wrong-host", TRUST, ["tls"]],
	["that has expired fails, at the server and in its file", "expired", TRUST, ["tls", "tls"]],
];
test.each(certificates)("a certificate %s", async (_, name, trust, expected) => {
	const tls = {
		SERVICE_TLS_ENABLED: "true",
		SERVICE_TLS_CERT_FILE: pem(`${name}.pem`),
		SERVICE_TLS_KEY_FILE: pem(`${name}.key`),
	};
	await using secure = await createTestServer({ authentication: false, env: { ...AUTHENTICATION, ...tls } });
	secure.spawn();
	while (!secure.output.includes("Spanward is ready")) await sleep(20);
	const root = `https://localhost:${secure.port}`;
	const { failed } = await askDoctor(settingsOf(secure, { SERVICE_ROOT_URL: root, ...tls, ...trust }));
	expect(failed.map((step) => step.name)).toEqual(expected);
	for (const step of failed) expect(step.settings).toContain("SERVICE_TLS_CERT_FILE");
});
