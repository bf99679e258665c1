import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { postgresSettings } from "../../apps/server/src/base/settings/postgres.ts";
import { openPool } from "../../apps/server/src/storage/postgres/connection.ts";
import { openPostgres } from "../../apps/server/src/storage/postgres/open-postgres.ts";
import { HAS_POSTGRES, testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { openPostgresTraceWriter } from "../../apps/server/src/storage/traces/postgres/trace-writer.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import { testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import { type Postgres, startPostgres } from "../peers/postgres.ts";
import { useSharedPeer } from "../peers/shared.ts";
import { freePort, startServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");
const file = (name: string) => join(CERTIFICATES, name);
const PASSWORD = "hunter2 @/#%";

let folder: string;
let postgres: Postgres;

beforeAll(async () => {
	if (!HAS_POSTGRES) return;
	folder = mkdtempSync(join(tmpdir(), "spanward-opening-"));
	chmodSync(folder, 0o755);
	const copy = (name: string) => ownedByPostgres(name, (path) => copyFileSync(file(name), path));
	postgres = await startPostgres({
		settings: {
			listen_addresses: "127.0.0.1,127.0.0.2",
			ssl: "on",
			ssl_cert_file: copy("server.pem"),
			ssl_key_file: copy("server.key"),
			ssl_ca_file: copy("authority.pem"),
			hba_file: written(
				"hba",
				`host all postgres 127.0.0.0/8 trust
				hostssl all with_password 127.0.0.0/8 scram-sha-256
				hostssl all with_certificate 127.0.0.0/8 cert map=clients
				host all reader 127.0.0.0/8 trust`,
			),
			ident_file: written("ident", `clients "a client" with_certificate`),
		},
	});
	await onDatabase(
		`create role with_password login password '${PASSWORD}'`,
		"create role with_certificate login",
		"create role reader login",
		"grant create on database spanward to with_password, with_certificate",
		"create schema of_another",
		"create table of_another.users (id int)",
	);
});
afterAll(async () => {
	await postgres?.[Symbol.asyncDispose]();
	if (folder !== undefined) rmSync(folder, { recursive: true });
});

function written(name: string, text: string): string {
	return ownedByPostgres(name, (path) => writeFileSync(path, text));
}

/** It reads a key only where nobody else may. */
function ownedByPostgres(name: string, write: (path: string) => void): string {
	const path = join(folder, name);
	write(path);
	if (process.getuid?.() === 0) chownSync(path, Number(execFileSync("/usr/bin/id", ["-u", "postgres"])), 0);
	chmodSync(path, 0o600);
	return path;
}

function writtenPassword(): string {
	const path = join(folder, "password");
	writeFileSync(path, `${PASSWORD}\n`);
	return path;
}

async function onDatabase(...statements: readonly string[]): Promise<readonly unknown[]> {
	const client = new pg.Client(postgres.url);
	await client.connect();
	try {
		const rows: unknown[] = [];
		for (const statement of statements) rows.push(...(await client.query(statement)).rows);
		return rows;
	} finally {
		await client.end();
	}
}

type Variables = Readonly<Record<string, string>>;

function address(user: string, host = "localhost", parameters = ""): Variables {
	return { SERVICE_SQL_DATABASE_URL: `postgresql://${user}@${host}:${postgres.port}/spanward${parameters}` };
}

async function open(environment: Variables): Promise<string> {
	const config = readConfig({ SERVICE_DATABASE_POOL_SIZE: "2", ...environment });
	const settings = postgresSettings(config);
	if (settings === undefined) throw new Error("no settings of PostgreSQL");
	try {
		await using storage = await openPostgres(config, settings);
		await storage.db.read.selectFrom("projects").select("name").execute();
		const [row] = await onDatabase(
			`select usename, ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'spanward metadata' order by backend_start desc limit 1`,
		);
		return JSON.stringify(row);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		expect(error.message).not.toContain("hunter2");
		return `${error.name}: ${error.message}`;
	}
}

const encodedPassword = encodeURIComponent(PASSWORD);

testWithPostgres("encrypts, and asks the server for a certificate of a trusted authority and of its name", async () => {
	const ca = { SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem"), SERVICE_SQL_DATABASE_SCHEMA: "encrypted" };
	const user = `with_password:${encodedPassword}`;
	const encrypted = JSON.stringify({ usename: "with_password", ssl: true });
	// The certificate is for both.
	expect(await open({ ...address(user), ...ca })).toBe(encrypted);
	expect(await open({ ...address(user, "127.0.0.1"), ...ca })).toBe(encrypted);
	expect(
		await open({ ...address(user, "localhost", "?sslmode=require"), SERVICE_SQL_DATABASE_SCHEMA: "encrypted" }),
	).toBe(encrypted);
	expect(await open({ ...address(user, "localhost", "?sslmode=verify-full") })).toMatch(
		/^PostgresOpenError: the certificate of PostgreSQL at localhost:\d+ is of an authority that is not trusted: SERVICE_POSTGRES_TLS_CA_FILE/,
	);
	// The certificate does not have this one.
	expect(await open({ ...address(user, "127.0.0.2"), ...ca })).toMatch(/is not for "127\.0\.0\.2": .*verify-ca/);
	expect(await open({ ...address(user, "127.0.0.2", "?sslmode=verify-ca"), ...ca })).toBe(encrypted);
	expect(await open(address(user))).toMatch(/does not let in the user "with_password" from here without TLS/);
});

testWithPostgres("shows its own certificate where it is asked for one", async () => {
	const tls = { SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem"), SERVICE_SQL_DATABASE_SCHEMA: "certified" };
	const shows = (name: string) => ({
		...address("with_certificate"),
		...tls,
		SERVICE_POSTGRES_TLS_CERT_FILE: file(`${name}.pem`),
		SERVICE_POSTGRES_TLS_KEY_FILE: file(`${name}.key`),
	});
	expect(await open(shows("client"))).toBe(JSON.stringify({ usename: "with_certificate", ssl: true }));
	expect(await open(shows("untrusted-client"))).toMatch(
		/refuses the certificate that this server shows: SERVICE_POSTGRES_TLS_CERT/,
	);
	expect(await open({ ...address("with_certificate"), ...tls })).toMatch(/SERVICE_POSTGRES_TLS_CERT_FILE/);
});

testWithPostgres("takes the password from a command, and repeats nothing of one that fails", async () => {
	const tls = {
		...address("with_password", "localhost", "?sslmode=require"),
		SERVICE_SQL_DATABASE_SCHEMA: "encrypted",
	};
	expect(await open({ ...tls, SERVICE_POSTGRES_PASSWORD_COMMAND: `cat ${writtenPassword()}` })).toContain(
		"with_password",
	);
	expect(await open({ ...tls, SERVICE_POSTGRES_PASSWORD_COMMAND: "echo hunter2 >&2; exit 3" })).toBe(
		"PostgresOpenError: the command of SERVICE_POSTGRES_PASSWORD_COMMAND ended with 3",
	);
	expect(await open({ ...tls, SERVICE_POSTGRES_PASSWORD_COMMAND: "true" })).toMatch(/printed nothing$/);
});

testWithPostgres("takes a password that was changed meanwhile soon after the old one was refused", async () => {
	const environment = address("with_password", "localhost", "?sslmode=require");
	const command = { SERVICE_POSTGRES_PASSWORD_COMMAND: `cat ${writtenPassword()}` };
	const settings = postgresSettings(readConfig({ ...environment, ...command }));
	if (settings === undefined) throw new Error("no settings of PostgreSQL");
	const pool = openPool(settings, settings.primary, { name: "rotated", size: 2 }, () => undefined);
	const first = await pool.connect();
	try {
		await onDatabase("alter role with_password password 'another'");
		writeFileSync(join(folder, "password"), "another");
		const next = () =>
			pool.query("select 1 as one").then(
				({ rows }) => rows,
				({ code }) => code,
			);
		expect(await next()).toBe("28P01");
		await expect.poll(next).toEqual([{ one: 1 }]);
	} finally {
		await onDatabase(`alter role with_password password '${PASSWORD}'`);
		first.release();
		await pool.end();
	}
});

testWithPostgres("says what is wrong, and which setting to change", async () => {
	const wrong = (user: string, more: Variables = {}, host?: string, parameters?: string) =>
		open({ ...address(user, host, parameters), ...more });
	expect(await wrong("with_password:hunter2", {}, "localhost", "?sslmode=require")).toMatch(
		/refuses the password of the user "with_password": .*SERVICE_POSTGRES_PASSWORD/,
	);
	expect(await wrong("with_password", {}, "localhost", "?sslmode=require")).toMatch(/asks for a password.*none is set/);
	expect(await wrong("nobody", {}, "localhost", "?sslmode=require")).toMatch(/does not let in the user "nobody"/);
	expect(await open({ SERVICE_SQL_DATABASE_URL: `postgresql://postgres@localhost:${postgres.port}/nothing` })).toMatch(
		/has no database "nothing": .*SERVICE_POSTGRES_DB/,
	);
	expect(await open({ SERVICE_SQL_DATABASE_URL: `postgresql://postgres@localhost:${await freePort()}/x` })).toMatch(
		/nothing answers at localhost:\d+, where SERVICE_SQL_DATABASE_URL/,
	);
	expect(await open({ SERVICE_SQL_DATABASE_URL: "postgresql://postgres@nowhere.invalid/x" })).toMatch(
		/there is no host "nowhere\.invalid"/,
	);
	expect(await wrong("reader", { SERVICE_SQL_DATABASE_SCHEMA: "new_one" })).toMatch(
		/user "reader" .* has not the right .*"new_one".*SERVICE_SQL_DATABASE_SCHEMA/,
	);
	expect(await wrong("postgres", { SERVICE_SQL_DATABASE_SCHEMA: "of_another" })).toMatch(
		/schema "of_another" holds tables of another program \(users\): SERVICE_SQL_DATABASE_SCHEMA/,
	);
	const { url } = await useSharedPeer("postgres");
	expect(await open({ SERVICE_SQL_DATABASE_URL: `${url}?sslmode=require` })).toMatch(
		/has TLS switched off: .*SERVICE_POSTGRES_TLS_MODE=disable/,
	);
});

testWithPostgres("a schema keeps its letters as they are", async () => {
	const schema = "Our-Traces";
	expect(await open({ ...address("postgres", "127.0.0.1"), SERVICE_SQL_DATABASE_SCHEMA: schema })).toContain(
		"postgres",
	);
	expect(await onDatabase("select nspname from pg_namespace where nspname ilike 'our-traces'")).toEqual([
		{ nspname: schema },
	]);
});

testWithPostgres("the doctor looks at the database as a server would use it", async () => {
	const environment = {
		...address(`with_password:${encodedPassword}`),
		SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem"),
		SERVICE_SQL_DATABASE_SCHEMA: "examined",
		SERVICE_WORKING_DIR: folder,
		SERVICE_PORT: String(await freePort()),
	};
	const examine = async (more: Variables = {}) => {
		const { code, stdout, stderr } = await spanward(["doctor", "--json"], { env: { ...environment, ...more } });
		expect(`${stdout}${stderr}`).not.toContain("hunter2");
		const report: { sections: { title: string; steps: { outcome: string; text: string; settings: string[] }[] }[] } =
			JSON.parse(stdout);
		const steps = report.sections.find(({ title }) => title === "PostgreSQL")?.steps ?? [];
		return { code, steps, said: steps.map(({ outcome, text }) => `${outcome}: ${text}`).join("\n") };
	};
	// It only looks: the schema is still missing.
	expect((await examine()).said).toMatch(/warning: .*no schema "examined"/);
	expect(await open(environment)).toContain("with_password");
	const sound = await examine();
	expect(sound.said).toMatch(/ok: .*reached.* version 15/);
	expect(sound.said).toMatch(/ok: .*encrypted by TLSv1\.3/);
	expect(sound.said).toMatch(/ok: .*schema of this Spanward/);
	expect(sound.said).toMatch(/failed: .*fsync/);
	expect(sound.said).toMatch(/ok: .*clock/);
	expect(sound.said).toMatch(/ok: .*partitions/);
	expect(sound.code).toBe(1);
	// As Citus notes it, in a catalog of the same name.
	await onDatabase(
		"create table examined.pg_dist_partition (logicalrelid regclass)",
		"grant select on examined.pg_dist_partition to public",
		"insert into examined.pg_dist_partition values ('examined.spans'), ('examined.annotations')",
	);
	expect((await examine()).said).toMatch(/failed: Tables are distributed by Citus, which is not supported/);
	await onDatabase("drop table examined.pg_dist_partition");
	const away = await examine({ SERVICE_SQL_DATABASE_URL: `postgresql://x:hunter2@localhost:${await freePort()}/x` });
	expect(away.steps.filter(({ outcome }) => outcome !== "ok")).toEqual([
		expect.objectContaining({ outcome: "failed", settings: expect.arrayContaining(["SERVICE_SQL_DATABASE_URL"]) }),
	]);
});

testWithPostgres("verify checks the database of the settings, however long it takes, or says why not", async () => {
	const environment = {
		...address("with_password"),
		SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem"),
		SERVICE_POSTGRES_PASSWORD_COMMAND: `cat ${writtenPassword()}`,
		SERVICE_SQL_DATABASE_SCHEMA: "verified",
		SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS: "1",
	};
	const verify = async (more: Variables = {}, args: readonly string[] = []) => {
		const ended = await spanward(["verify", ...args], { env: { ...environment, ...more } });
		expect(`${ended.stdout}${ended.stderr}`).not.toContain("hunter2");
		return ended;
	};
	const refused = (code: number, says: RegExp) => ({ code, stdout: "", stderr: expect.stringMatching(says) });
	expect(await verify()).toEqual(refused(78, /^Not checked: there is no whole database .* "verified": SERVICE_SQL/));
	await writeSpans(environment);

	const lock = await lockAnnotations();
	const waiting = "from pg_locks where not granted";
	const ended = verify();
	await expect.poll(() => onDatabase(`select ${waiting}`)).toHaveLength(1);
	await onDatabase(`select pg_terminate_backend(pid) ${waiting}`);
	expect(await ended).toEqual(refused(65, /^Not checked: PostgreSQL ended the check: terminating connection .*57P01/));
	const checking = verify();
	await expect.poll(() => onDatabase(`select ${waiting}`)).toHaveLength(1);
	await sleep(1_500);
	await lock.end();
	expect(await checking).toEqual({
		code: 0,
		stdout: expect.stringMatching(
			/^spanward at localhost:\d+, schema verified: 1 projects, 1 traces, 2 spans, .*\nNo problems found: references/,
		),
		stderr: "",
	});

	await onDatabase("update verified.blocks set data = 'x'", "update verified.traces set span_count = 7");
	const { code, stdout, stderr } = await verify({}, ["--json"]);
	expect({ code, stderr }).toEqual({
		code: 1,
		stderr: expect.stringMatching(/^2 things are wrong with spanward at /),
	});
	expect(JSON.parse(stdout)).toEqual({
		server: `localhost:${postgres.port}`,
		database: "spanward",
		schema: "verified",
		rows: expect.objectContaining({ traces: 1, spans: 2 }),
		wrong: 2,
		findings: ["block 1 cannot be read", expect.stringMatching(/^trace row 1 has span_count 7, not the 2 /)],
	});

	expect(await verify({}, [join(folder, "none.db")])).toEqual(refused(65, /^There is no file .*none\.db/));
	expect(await verify({ SERVICE_POSTGRES_PASSWORD_COMMAND: "echo hunter2" })).toEqual(
		refused(78, /refuses the password of the user "with_password": .*SERVICE_POSTGRES_PASSWORD/),
	);
	const away = `postgresql://x:hunter2@localhost:${await freePort()}/x`;
	expect(await verify({ SERVICE_SQL_DATABASE_URL: away, SERVICE_POSTGRES_PASSWORD_COMMAND: "" })).toEqual(
		refused(78, /nothing answers at localhost:\d+, where SERVICE_SQL_DATABASE_URL/),
	);
	expect(await verify(address("reader"))).toEqual(
		refused(78, /the user "reader" may not read all tables of the schema "verified" .*SERVICE_POSTGRES_USER/),
	);
	await onDatabase("insert into verified.schema_version values (900, 0)");
	expect(await verify()).toEqual(
		refused(65, /the schema "verified" has version 900 and this Spanward checks version \d+: use the newer Spanward/),
	);
	await onDatabase("delete from verified.schema_version where version > 6");
	expect(await verify()).toEqual(refused(65, /has version 6 and .*: start the server once, which upgrades it/));
});

/** Two spans of one trace. */
async function writeSpans(environment: Variables): Promise<void> {
	const config = readConfig(environment);
	const settings = postgresSettings(config);
	if (settings === undefined) throw new Error("no settings of PostgreSQL");
	await using _storage = await openPostgres(config, settings);
	await using writer = openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts);
	await writer.write([testSpan({}), testSpan({ span: 2, parent: 1 })], []);
}

/** Until the connection ends. */
async function lockAnnotations(): Promise<pg.Client> {
	const client = new pg.Client(postgres.url);
	await client.connect();
	await client.query("begin; lock table verified.annotations in access exclusive mode");
	return client;
}

testWithPostgres("every connection of a server is encrypted, also those of its ingest threads", async () => {
	await using server = await startServer({
		storage: { url: address("with_password")["SERVICE_SQL_DATABASE_URL"] ?? "", schema: "served" },
		env: {
			SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem"),
			SERVICE_POSTGRES_PASSWORD_COMMAND: `cat ${writtenPassword()}`,
			SERVICE_DRAIN_SECONDS: "0",
		},
		authentication: false,
	});
	const span = {
		traceId: "1".repeat(32),
		spanId: "2".repeat(16),
		name: "x",
		startTimeUnixNano: "1",
		endTimeUnixNano: "2",
	};
	const stored = await fetch(`${server.url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
	});
	expect(await stored.text()).toBe("{}");
	expect((await fetch(`${server.url}/v1/projects/default/spans`)).status).toBe(200);
	const [connections] = await onDatabase(
		`select count(*)::int as all, count(*) filter (where ssl)::int as encrypted
		from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'with_password'`,
	);
	const { all, encrypted } = connections as { all: number; encrypted: number };
	expect(all).toBeGreaterThanOrEqual(4);
	expect(encrypted).toBe(all);
});
