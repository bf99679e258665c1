import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestSchema, testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { POSTGRES_BIN } from "../peers/postgres.ts";
import { startServer, type TestServer } from "../server.ts";
import { COMMAND, spanward } from "../spanward-command.ts";
import { asAdmin, Client, createUserKey, logIn, logInAs, SECRET, startWithAuth } from "./accounts.ts";

const OTHER_SECRET = "new-secret-0123456789-abcdefghijklmnopq";
const PASSWORD = "correct horse battery staple";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-cli-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

test("help and version are answered, that of a command is its own, and an unknown command is named", async () => {
	for (const args of [["--help"], []]) {
		const { code, stdout } = await spanward(args);
		expect(code).toBe(0);
		expect(stdout).toMatch(/Usage: spanward <command>.*hash-password.*forget-secrets/s);
	}
	const own = await spanward(["restore", "--help"]);
	expect(own).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: spanward restore <file> .*--force/s) });
	expect(own.stdout).not.toContain("hash-password");
	expect(await spanward(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
	for (const [given, says] of [
		["bakup", /^There is no command bakup\. Did you mean backup\?\nCommands: login, .*doctor, /],
		["__proto__", /^There is no command of that name\.\nCommands: /],
		["--nonsense", /^There is no command --nonsense\.\n/],
	] as const) {
		const { code, stdout, stderr } = await spanward([given]);
		expect(code).toBe(2);
		expect(stdout).toBe("");
		expect(stderr).toMatch(says);
	}
	const wrong = await spanward(["verify"], { env: { SERVICE_PORT: "http" } });
	expect(wrong).toMatchObject({
		code: 78,
		stderr: expect.stringMatching(/^spanward verify cannot run .*SERVICE_PORT/s),
	});
});

test("a command whose output nobody reads ends without a word, and as failed where it failed", async () => {
	const unread = async (args: readonly string[], closed: "stdout" | "stderr") => {
		const child = spawn(process.execPath, [COMMAND, ...args], { env: { SERVICE_WORKING_DIR: folder } });
		const other = closed === "stdout" ? child.stderr : child.stdout;
		// Closed before the program has started, so that its first write fails.
		child[closed].destroy();
		const [said, [code]] = await Promise.all([text(other), once(child, "exit")]);
		return { code, said };
	};
	expect(await unread(["--help"], "stdout")).toEqual({ code: 0, said: "" });
	expect(await unread(["doctor", "--help"], "stdout")).toEqual({ code: 141, said: "" });
	expect(await unread(["doctor", "--json"], "stdout")).toMatchObject({ said: "" });
	expect(await unread(["nonsense"], "stderr")).toEqual({ code: 2, said: "" });
});

test("AG18 a command that asks a server ends with 0 and without a word when its reader stops", async () => {
	await using server = await startServer({ inProcess: true, authentication: false });
	const make = async (name: string) =>
		await fetch(`${server.url}/v1/projects`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name, description: "x".repeat(4_000) }),
		});
	// More than a pipe holds.
	await Promise.all(Array.from({ length: 24 }, (_, n) => make(`${n}`)));
	const piped = await runInShell(
		`"$0" "$1" projects list --json --url ${server.url} | head -1; echo "\${PIPESTATUS[*]}"`,
	);
	expect({ ...piped, stdout: piped.stdout.replace(/x+/, "") }).toEqual({
		stdout: expect.stringMatching(/^\{"id".*\}\n0 0\n$/),
		stderr: "",
	});
});

test("a key is read from standard input, tried, and kept where XDG_CONFIG_HOME says; nothing is kept of a wrong one", async () => {
	await using server = await startWithAuth();
	const key = await createUserKey(await logInAs(server, "MEMBER"));
	const env = { XDG_CONFIG_HOME: await mkdtemp(join(folder, "config-")) };
	const wrong = await spanward(["login", "--key", server.url], { env, input: "sw_u_wrong\n" });
	expect(wrong).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("does not accept this key") });
	expect(await readdir(env.XDG_CONFIG_HOME)).toEqual([]);
	const right = await spanward(["login", "--key", server.url], { env, input: `${key}\n` });
	expect(right).toMatchObject({ code: 0, stderr: expect.not.stringContaining(key) });
	expect((await spanward(["whoami"], { env })).stdout).toMatch(/role\s+MEMBER/);
});

async function runInShell(script: string) {
	const child = spawn("bash", ["--norc", "-c", script, process.execPath, COMMAND], {
		env: { PATH: process.env["PATH"] },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	return { stdout, stderr };
}

test("a password on the command line is refused, and not repeated", async () => {
	const { code, stdout, stderr } = await spanward(["hash-password", PASSWORD]);
	expect(code).toBe(64);
	expect(stdout).toBe("");
	expect(stderr).not.toContain(PASSWORD);
});

test("an empty password is refused, one that breaks the policy of the environment is hashed with a warning", async () => {
	expect(await spanward(["hash-password"], { input: "\n" })).toMatchObject({ code: 65, stdout: "" });
	const weak = await spanward(["hash-password"], {
		input: "hunter22\n",
		env: { SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true" },
	});
	expect(weak.code).toBe(0);
	expect(weak.stdout).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$\S+\n$/);
	expect(weak.stderr).toMatch(/Warning: .*at least 12 characters.*upper-case/);
	expect(weak.stderr).not.toContain("hunter22");
	expect((await spanward(["hash-password"], { input: `${PASSWORD}\n` })).stderr).not.toContain("Warning");
	const broken = await spanward(["hash-password"], {
		input: "x",
		env: { SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "maybe" },
	});
	expect(broken.code).toBe(78);
});

test("the statements that hash-password prints give an account the password, end its sessions and lift the lock", async () => {
	const data = await mkdtemp(join(folder, "data-"));
	await using before = await startWithAuth({}, data);
	const admin = await lockAdminOut(before);
	await before.stop();

	const db = new DatabaseSync(join(data, "spanward.db"));
	db.exec(await printedStatements());
	db.close();

	await using after = await startWithAuth({}, data);
	await expectNewPassword(after, admin);
});

testWithPostgres("the same statements do so in PostgreSQL, by psql and beside a running server", async () => {
	await using schema = await createTestSchema();
	const data = await mkdtemp(join(folder, "data-"));
	const env = { SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema };
	await using server = await startWithAuth(env, data);
	const admin = await lockAdminOut(server);
	execFileSync(join(POSTGRES_BIN, "psql"), ["-X", "-v", "ON_ERROR_STOP=1", schema.url], {
		input: await printedStatements(),
		env: { PGOPTIONS: `-c search_path=${schema.schema}` },
	});
	await expectNewPassword(server, admin);
});

async function lockAdminOut(server: TestServer): Promise<Client> {
	const admin = await logIn(server, "admin@localhost", "admin");
	for (let n = 0; n < 6; n++) {
		await new Client(server).send("POST", "/auth/login", { email: "admin@localhost", password: "guess" });
	}
	const locked = await new Client(server).send("POST", "/auth/login", { email: "admin@localhost", password: "admin" });
	expect(locked.status).toBe(429);
	return admin;
}

async function printedStatements(): Promise<string> {
	const { stdout, stderr } = await spanward(["hash-password"], { input: `${PASSWORD}\n` });
	const statements = /^begin;.*^commit;$/ms.exec(stderr)?.[0] ?? "";
	expect(statements).toContain(stdout.trim());
	return statements;
}

async function expectNewPassword(server: TestServer, admin: Client): Promise<void> {
	const again = new Client(server);
	for (const [name, value] of admin.cookies) again.cookies.set(name, value);
	// A running server knows a session for a second.
	await expect.poll(async () => (await again.send("GET", "/v1/user")).status).toBe(401);
	const former = await new Client(server).send("POST", "/auth/login", { email: "admin@localhost", password: "admin" });
	expect(former.status).toBe(401);
	const client = await logIn(server, "admin@localhost", PASSWORD);
	expect((await client.send("GET", "/v1/users")).status).toBe(200);
	const { data } = await (await client.send("GET", "/v1/user")).json();
	expect(Math.abs(Date.parse(data.updated_at) - Date.now())).toBeLessThan(600_000);
}

test("forget-secrets accepts a new secret, deletes what it does not decrypt, and leaves users, keys and passwords", async () => {
	const data = await mkdtemp(join(folder, "data-"));
	await using before = await startWithAuth({}, data);
	const admin = await logInAs(before, "ADMIN");
	const key = await createUserKey(admin);
	await admin.data("PUT", "/v1/secrets", { secrets: [{ key: "LOST", value: "x" }] });
	const env = { SERVICE_SECRET: OTHER_SECRET, SERVICE_WORKING_DIR: data };

	const running = await spanward(["forget-secrets"], { env });
	expect(running.code).toBe(1);
	expect(running.stderr).toContain(data);
	await before.stop();

	expect((await spanward(["forget-secrets", "everything"], { env })).code).toBe(64);
	expect((await spanward(["forget-secrets"], { env: { SERVICE_WORKING_DIR: data } })).code).toBe(78);
	const asked = await spanward(["forget-secrets"], { env });
	expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(/deleted: LOST.*log in again.*--yes/s) });
	const forgotten = await spanward(["forget-secrets", "--yes"], { env });
	expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringContaining("LOST") });
	const [backup = ""] = (await readdir(data)).filter((name) => name.startsWith("spanward-before-forget-secrets-"));
	using copied = new DatabaseSync(join(data, backup), { readOnly: true });
	expect(copied.prepare("select key from secrets").all()).toEqual([{ key: "LOST" }]);
	expect(`${forgotten.stdout}${forgotten.stderr}`).not.toMatch(new RegExp(`${OTHER_SECRET}|${SECRET}`));

	await using after = await startWithAuth({ SERVICE_SECRET: OTHER_SECRET }, data);
	expect(await asAdmin(after).data("GET", "/v1/secrets")).toEqual([]);
	expect((await new Client(after, key).send("GET", "/v1/users")).status).toBe(200);
	const [event] = await asAdmin(after).data("GET", "/v1/audit_events?action=secret.delete");
	expect(event).toMatchObject({ target: { name: "LOST" }, details: { by: "spanward forget-secrets" } });
});

test("forget-secrets makes no database in a folder that is none of the server's", async () => {
	const data = await mkdtemp(join(folder, "data-"));
	const env = { SERVICE_SECRET: OTHER_SECRET, SERVICE_WORKING_DIR: data };
	const { code, stdout, stderr } = await spanward(["forget-secrets"], { env });
	expect({ code, stdout }).toEqual({ code: 65, stdout: "" });
	expect(stderr).toContain("SERVICE_WORKING_DIR");
	expect(await readdir(data)).toEqual([]);
});

test("forget-secrets with the secret in use deletes nothing", async () => {
	const data = await mkdtemp(join(folder, "data-"));
	await using before = await startWithAuth({}, data);
	await asAdmin(before).data("PUT", "/v1/secrets", { secrets: [{ key: "KEPT", value: "x" }] });
	await before.stop();
	const { stdout } = await spanward(["forget-secrets"], { env: { SERVICE_SECRET: SECRET, SERVICE_WORKING_DIR: data } });
	expect(stdout).toContain("no stored secret had to be deleted");
	await using after = await startWithAuth({}, data);
	expect((await asAdmin(after).data("GET", "/v1/secrets/KEPT")).value).toBe("x");
});
