import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { SCHEMA_VERSION } from "../apps/server/src/storage/sqlite/migrations.ts";
import { asAdmin, logIn, startWithAuth } from "./access/accounts.ts";
import { at, compareTrace, type Json, list } from "./fixture-comparison.ts";
import { type ExpectedSource, readExpected, replay } from "./fixture-sources.ts";
import { createTestServer, startServer, type TestServer } from "./server.ts";
import { HostileProvider, signInWith } from "./sign-in/hostile-provider.ts";
import { spanward } from "./spanward-command.ts";

/** Made by the last Spanward without accounts (commit 4711160): it received these sources and was stopped. */
const FIRST_SCHEMA = join(import.meta.dirname, "fixtures/first-schema.db.gz");
const SOURCES = ["py-phoenix-otel-http", "py-openai-openinference", "py-openai-otel-v2-default"].map(readExpected);
const PARTS = ["traces?", "spans?include=semantic&", "spans/otlpv1?", "sessions?", "metrics?bucket=hour&"];

/**
 * Made by the last Spanward without providers and directories (commit 1b4d4d6), with accounts that were created for them:
 * Oda, Olaf by client id and user id, Bob of a directory; Lea of the list of admins, and Paula with a password.
 */
const SECOND_SCHEMA = join(import.meta.dirname, "fixtures/second-schema.db.gz");

/**
 * Made by the last Spanward without groups of errors (commit c466ffca). Its project "travel" has, in 2100, which is always
 * less than 90 days ago: three chains that failed as their tool did, on different days, two calls of a model without a
 * connection, one that was withheld by a content filter, and one that ended well.
 */
const THIRD_SCHEMA = join(import.meta.dirname, "fixtures/third-schema.db.gz");

async function temporaryFolder() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-upgrade-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function folderOf(database: string) {
	const temporary = await temporaryFolder();
	const path = join(temporary.folder, "spanward.db");
	await writeFile(path, gunzipSync(await readFile(database)), { mode: 0o600 });
	return { ...temporary, path };
}

/** Everything that the server answers about the projects of the sources. */
async function readEverything(server: TestServer): Promise<Json[]> {
	const range = "limit=1000&start_time=2026-01-01T00:00:00Z&end_time=2027-01-01T00:00:00Z";
	const answers: Json[] = [(await server.getJson("/v1/projects?limit=1000")) as Json];
	for (const expected of SOURCES) {
		for (const part of PARTS) answers.push((await server.getJson(`${projectOf(expected)}/${part}${range}`)) as Json);
	}
	return answers;
}

function projectOf({ projectName }: ExpectedSource): string {
	return `/v1/projects/${encodeURIComponent(projectName ?? "default")}`;
}

async function findDifferences(server: TestServer): Promise<string[]> {
	const lines: string[] = [];
	for (const expected of SOURCES) {
		const traces = list(at((await server.getJson(`${projectOf(expected)}/traces?limit=1000`)) as Json, "data"));
		for (const trace of expected.traces) {
			const found = traces.find((candidate) => at(candidate, "trace_id") === trace.traceId);
			lines.push(...compareTrace(trace, found, expected.source));
		}
	}
	return lines;
}

test.each([
	["off", false],
	["on", true],
])(
	"a folder of the first release opens with authentication %s, with every trace, and goes on taking spans",
	async (_, authentication) => {
		await using old = await folderOf(FIRST_SCHEMA);
		await using server = await startServer({ workingDir: old.folder, authentication });
		expect(await findDifferences(server)).toEqual([]);
		const before = await readEverything(server);
		await replay(
			server,
			SOURCES.map(({ source }) => source),
		);
		expect(await readEverything(server)).toEqual(before);
		expect(server.output).toContain(`spanward.db.before-${SCHEMA_VERSION}`);
		expect(await readdir(old.folder)).toContain(`spanward.db.before-${SCHEMA_VERSION}`);
	},
);

test("the copy made before the upgrade is the way back", async () => {
	await using old = await folderOf(FIRST_SCHEMA);
	await (await startServer({ workingDir: old.folder })).stop();
	const db = new DatabaseSync(`${old.path}.before-${SCHEMA_VERSION}`, { readOnly: true });
	expect(db.prepare("select version from schema_version").all()).toEqual([{ version: 1 }]);
	expect(db.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
	const expected = SOURCES.reduce((sum, { spanCount }) => sum + spanCount, 0);
	expect(db.prepare("select count(*) as count from spans").get()).toEqual({ count: expected });
	db.close();
});

test("W90 failures of before the upgrade are grouped behind it while spans are received, and a rollback works", async () => {
	await using old = await folderOf(THIRD_SCHEMA);
	await using server = await startServer({ workingDir: old.folder, authentication: false });
	const groups = async (project: string) => {
		const path = `/v1/projects/${project}/error_groups?start_time=2026-01-01&end_time=2101-01-01`;
		const answer = (await server.getJson(path)) as Json;
		return list(at(answer, "data"))
			.map((group) =>
				[at(group, "error_kind"), at(group, "title"), at(group, "count"), at(group, "total_count")].join(" "),
			)
			.toSorted();
	};
	expect(await sendFailure(server.url)).toBe(200);
	const older = [
		"provider_error openai connection: Connection refused 2 2",
		"refusal content_filter 1 1",
		expect.stringMatching(/^tool_failure find rooms: no rooms on 2026-0.-01 3 3$/),
	];
	await expect.poll(() => groups("travel")).toEqual(older);
	await expect.poll(() => groups("meanwhile")).toEqual(["error work: it broke 1 1"]);
	await server.stop();
	const env = { SERVICE_WORKING_DIR: old.folder };
	expect(await spanward(["verify"], { env })).toMatchObject({ code: 0 });
	const back = await spanward(["rollback", "--yes"], { env });
	expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining("schema version 20 again") });
	await server.start();
	await expect.poll(() => groups("travel")).toEqual(older);
});

/** @returns the status of the answer */
async function sendFailure(url: string): Promise<number> {
	const nanos = `${Date.now()}000000`;
	const span = {
		...{ traceId: "f".repeat(32), spanId: "f".repeat(16), name: "work", status: { code: 2, message: "it broke" } },
		...{ startTimeUnixNano: nanos, endTimeUnixNano: nanos },
	};
	const { status } = await fetch(`${url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json", "x-project-name": "meanwhile" },
		body: JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: [span] }] }] }),
	});
	return status;
}

test("an upgrade that fails says so, leaves the data as it was, and runs once the reason is gone", async () => {
	await using old = await folderOf(FIRST_SCHEMA);
	const edit = (sql: string) => {
		const db = new DatabaseSync(old.path);
		db.exec(sql);
		db.close();
	};
	edit("create table users (name text); insert into users values ('of somebody else')");
	await using server = await createTestServer({ workingDir: old.folder });
	const [code] = await once(server.spawn(), "close");
	expect(code).toBe(1);
	expect(server.output).toContain(
		`from schema version 1 to ${SCHEMA_VERSION} (table users already exists): nothing in it was changed`,
	);
	expect(server.output).not.toContain("    at ");
	const db = new DatabaseSync(old.path, { readOnly: true });
	expect(db.prepare("select name from users").all()).toEqual([{ name: "of somebody else" }]);
	expect(db.prepare("select version from schema_version").all()).toEqual([{ version: 1 }]);
	expect(db.prepare("select name from sqlite_schema where name in ('api_keys', 'audit_events')").all()).toEqual([]);
	db.close();
	edit("drop table users");
	await server.start();
	expect(await findDifferences(server)).toEqual([]);
});

test("what was stored survives switching authentication on, off and on again, and so do accounts and keys", async () => {
	await using temporary = await temporaryFolder();
	const workingDir = temporary.folder;
	const open = await startServer({ workingDir, authentication: false });
	await replay(
		open,
		SOURCES.map(({ source }) => source),
	);
	const stored = await readEverything(open);
	await open.stop();

	await using guarded = await startServer({ workingDir, authentication: true });
	expect((await fetch(`${guarded.url}/v1/projects`)).status).toBe(401);
	expect(await readEverything(guarded)).toEqual(stored);
	const users = async () =>
		(await (await fetch(`${guarded.url}/v1/users`, { headers: adminHeaders(guarded) })).json()) as Json;
	const known = await users();
	expect(list(at(known, "data")).map((user) => at(user, "email"))).toContain("admin@localhost");
	await guarded.stop();

	const reopened = await startServer({ workingDir, authentication: false });
	expect(await readEverything(reopened)).toEqual(stored);
	await reopened.stop();

	await guarded.start();
	expect(await readEverything(guarded)).toEqual(stored);
	expect(await users()).toEqual(known);
});

test("accounts that were created for a provider before there were any are bound at the first log-in", async () => {
	await using old = await folderOf(SECOND_SCHEMA);
	await using provider = await HostileProvider.start();
	await using server = await startWithAuth(provider.settings(), old.folder);
	expect(await readdir(old.folder)).toContain(`spanward.db.before-${SCHEMA_VERSION}`);
	const admin = asAdmin(server);
	const before: readonly Json[] = await admin.data("GET", "/v1/users");
	expect(before.map((user) => [at(user, "username"), at(user, "auth_method"), at(user, "is_bound")])).toEqual([
		["Bob", "LDAP", false],
		["Olaf", "OAUTH2", false],
		["Oda", "OAUTH2", false],
		["Paula", "LOCAL", undefined],
		["Lea Listed", "LOCAL", undefined],
		["admin", "LOCAL", undefined],
	]);
	const paula = await logIn(server, "paula@example.com", "second-Password2!");
	expect(await paula.data("GET", "/v1/user/api_keys")).toMatchObject([{ name: "of before" }]);
	expect(await admin.data("GET", "/v1/secrets/OPENAI_API_KEY")).toMatchObject({ value: "sk-of-before" });
	for (const [username, claims] of [
		["Oda", { sub: "oda-1", email: "oda@example.com" }],
		["Olaf", { sub: "olaf-1", email: "olaf.new@example.com" }],
	] as const) {
		provider.behaviour = { claims };
		const { client } = await signInWith(server, provider);
		expect(await client.data("GET", "/v1/user")).toMatchObject({ username, is_bound: true, email: claims.email });
	}
	expect(await admin.data("GET", "/v1/users")).toHaveLength(before.length);
});

function adminHeaders({ adminKey }: TestServer): Record<string, string> {
	return { authorization: `Bearer ${adminKey}` };
}
