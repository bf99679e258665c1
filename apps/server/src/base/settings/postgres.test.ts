import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { postgresSettings } from "./postgres.ts";
import { problems, warnings } from "./test-settings.ts";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");
const file = (name: string) => join(CERTIFICATES, name);
const URL_VARIABLE = "SERVICE_SQL_DATABASE_URL";

function primary(environment: Readonly<Record<string, string>>) {
	return postgresSettings(readConfig(environment))?.primary;
}

test("without an address SQLite keeps everything", () => {
	expect(postgresSettings(readConfig({ SERVICE_SQL_DATABASE_SCHEMA: "x" }))).toBeUndefined();
});

test("reads an address as libpq does: percent-encoded, with parameters, IPv6 and sockets", () => {
	expect(primary({ [URL_VARIABLE]: "postgresql://me:p%40ss%2Fw%23@127.0.0.1:6543/my%20db" })).toEqual({
		host: "127.0.0.1",
		port: 6543,
		user: "me",
		password: "p@ss/w#",
		database: "my db",
		tls: false,
	});
	expect(primary({ [URL_VARIABLE]: "postgres://127.0.0.1:1/postgres?user=postgres&password=a+b%26" })).toMatchObject({
		user: "postgres",
		password: "a+b&",
		database: "postgres",
	});
	expect(primary({ [URL_VARIABLE]: "postgresql://ann@[::1]" })).toMatchObject({
		host: "::1",
		port: 5432,
		database: "ann",
	});
	expect(
		primary({ [URL_VARIABLE]: "postgresql:///db?host=%2Frun%2Fpostgresql&application_name=traces" }),
	).toMatchObject({ host: "/run/postgresql", database: "db", tls: false, applicationName: "traces" });
	const timed = readConfig({ [URL_VARIABLE]: "postgresql://localhost/x?connect_timeout=7" });
	expect(postgresSettings(timed)?.connectTimeoutMs).toBe(7_000);
});

test("takes an address in parts; the whole address wins over them, with a warning", () => {
	const parts = {
		SERVICE_POSTGRES_HOST: "localhost",
		SERVICE_POSTGRES_PORT: "6000",
		SERVICE_POSTGRES_USER: "me",
		SERVICE_POSTGRES_PASSWORD: "p@ss%",
	};
	expect(primary(parts)).toMatchObject({ host: "localhost", port: 6000, password: "p@ss%", database: "me" });
	const both = { ...parts, [URL_VARIABLE]: "postgresql://127.0.0.1/other" };
	expect(primary(both)).toMatchObject({ host: "127.0.0.1", port: 5432, user: "postgres", database: "other" });
	expect(warnings(both).filter((text) => /has no effect: SERVICE_SQL_DATABASE_URL/.test(text))).toHaveLength(3);
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
	["a SQLite file", { [URL_VARIABLE]: "sqlite:data/x.db" }, /URL names a SQLite file.*SERVICE_WORKING_DIR/],
	["a driver in it", { [URL_VARIABLE]: "postgresql+asyncpg://u:hunter2@h/d" }, /without \+asyncpg/],
	["another scheme", { [URL_VARIABLE]: "mysql://u:hunter2@h/d" }, /must be like postgresql:/],
	["a password not encoded", { [URL_VARIABLE]: "postgresql://u:hunter2#x@h/d" }, /percent-encode /],
	["a broken encoding", { [URL_VARIABLE]: "postgresql://u:hunter2%zz@h/d" }, /%25/],
	["no host", { [URL_VARIABLE]: "postgresql:///d?password=hunter2" }, /names no host/],
	["several hosts", { [URL_VARIABLE]: "postgresql://u:hunter2@a:1,b:2/d" }, /several hosts/],
	["an unknown parameter", { [URL_VARIABLE]: "postgresql://localhost/d?ssl=hunter2" }, /parameter ssl, .*sslmode/],
	["an open TLS mode", { [URL_VARIABLE]: "postgresql://localhost/d?sslmode=prefer" }, /sslmode that would continue/],
	["an unknown TLS mode", { SERVICE_POSTGRES_TLS_MODE: "on" }, /TLS_MODE must be one of.*\(it is "on"\)/],
	["reading from any host", { [URL_VARIABLE]: "postgresql://localhost/d?target_session_attrs=standby" }, /read-write/],
	["a user without a host", { SERVICE_POSTGRES_USER: "u" }, /USER needs SERVICE_POSTGRES_HOST/],
	["a host without a user", { SERVICE_POSTGRES_HOST: "localhost" }, /HOST needs SERVICE_POSTGRES_USER/],
	[
		"an address as host",
		{ SERVICE_POSTGRES_HOST: "postgresql://h", SERVICE_POSTGRES_USER: "u", SERVICE_POSTGRES_PASSWORD: "p" },
		/SQL_DATABASE_URL/,
	],
	["a replica of nothing", { SERVICE_SQL_DATABASE_READ_REPLICA_URL: "postgresql://localhost/d" }, /REPLICA_URL needs/],
	[
		"a wrong replica",
		{ [URL_VARIABLE]: "postgresql://localhost/d", SERVICE_SQL_DATABASE_READ_REPLICA_URL: "x:hunter2" },
		/^SERVICE_SQL_DATABASE_READ_REPLICA_URL must/,
	],
	[
		"two passwords",
		{ [URL_VARIABLE]: "postgresql://u:hunter2@localhost", SERVICE_POSTGRES_PASSWORD_COMMAND: "x" },
		/keep one/,
	],
	[
		"an identity without its token",
		{ [URL_VARIABLE]: "postgresql://u@localhost", SERVICE_POSTGRES_USE_AWS_IAM_AUTH: "true" },
		/PASSWORD_COMMAND.*aws rds/,
	],
	[
		"a schema that would need escapes",
		{ [URL_VARIABLE]: "postgresql://localhost", SERVICE_SQL_DATABASE_SCHEMA: 'a"b' },
		/SQL_DATABASE_SCHEMA/,
	],
	[
		"a schema of PostgreSQL",
		{ [URL_VARIABLE]: "postgresql://localhost", SERVICE_SQL_DATABASE_SCHEMA: "pg_x" },
		/PostgreSQL's own/,
	],
	[
		"authorities that are invalid",
		{ [URL_VARIABLE]: "postgresql://h", SERVICE_POSTGRES_TLS_CA_FILE: file("make.sh") },
		/CA_FILE: .* no certificate/,
	],
	[
		"a file that is not there",
		{ [URL_VARIABLE]: "postgresql://h?sslrootcert=/nowhere" },
		/sslrootcert of SERVICE_SQL_DATABASE_URL: .*does not exist/,
	],
	[
		"a certificate without its key",
		{ [URL_VARIABLE]: "postgresql://h", SERVICE_POSTGRES_TLS_CERT_FILE: file("client.pem") },
		/CERT_FILE needs SERVICE_POSTGRES_TLS_KEY_FILE/,
	],
	[
		"a certificate with the key of another",
		{ [URL_VARIABLE]: `postgresql://h?sslcert=${file("client.pem")}&sslkey=${file("server.key")}` },
		/sslkey of .* not that of the first certificate/,
	],
])("refuses %s, once and without a secret", (_, environment, message) => {
	const found = problems(environment);
	expect(found).toHaveLength(1);
	expect(found[0]).toMatch(message);
	expect(found[0]).not.toContain("hunter2");
});

test("says everything that is wrong with one address at once", () => {
	const found = problems({ [URL_VARIABLE]: "postgresql://localhost/a/b?ssl=1&sslmode=no&port=0" });
	expect(found).toHaveLength(4);
	for (const problem of found) expect(problem).toMatch(/^SERVICE_SQL_DATABASE_URL has /);
});

test("asks another machine for a certificate of its name unless told otherwise, and warns of less", () => {
	const tlsOf = (url: string, more = {}) => primary({ [URL_VARIABLE]: url, ...more })?.tls;
	expect(tlsOf("postgresql://db.example/x")).toEqual({ verifies: "name" });
	expect(tlsOf("postgresql://10.0.0.7/x", { SERVICE_POSTGRES_TLS_MODE: "verify-ca" })).toEqual({
		verifies: "authority",
	});
	expect(tlsOf("postgresql://10.0.0.7/x?sslmode=require", { SERVICE_POSTGRES_TLS_MODE: "verify-ca" })).toEqual({
		verifies: "nothing",
	});
	expect(tlsOf(`postgresql://h?sslmode=require&sslrootcert=${file("authority.pem")}`)).toMatchObject({
		verifies: "authority",
		ca: expect.stringContaining("BEGIN CERTIFICATE"),
	});
	expect(tlsOf("postgresql://localhost/x", { SERVICE_POSTGRES_TLS_CA_FILE: file("authority.pem") })).toMatchObject({
		verifies: "name",
	});
	const warned = (url: string) => warnings({ [URL_VARIABLE]: url }).join("\n");
	expect(warned("postgresql://db.example/x")).toBe("");
	expect(warned("postgresql://localhost/x")).toBe("");
	expect(warned("postgresql://u:hunter2@db.example/x?sslmode=disable")).toMatch(
		/^SERVICE_SQL_DATABASE_URL: .*not encrypted/,
	);
	expect(warned("postgresql://u:hunter2@db.example/x?sslmode=require")).toMatch(/certificate is not checked/);
	expect(warned("postgresql://u:hunter2@db.example/x?sslmode=require")).not.toContain("hunter2");
});

test("a replica has the account and the protection of its primary where its address says nothing else", () => {
	const settings = postgresSettings(
		readConfig({
			[URL_VARIABLE]: "postgresql://u:p@primary.example/db",
			SERVICE_SQL_DATABASE_READ_REPLICA_URL: "postgresql://replica.example:6000",
		}),
	);
	expect(settings?.replica).toEqual({
		host: "replica.example",
		port: 6000,
		user: "u",
		password: "p",
		database: "db",
		tls: { verifies: "name" },
	});
});

test("no dump of the settings shows the address", () => {
	const config = readConfig({ [URL_VARIABLE]: "postgresql://u:hunter2@localhost/d" });
	expect(JSON.stringify(config)).not.toContain("hunter2");
});
