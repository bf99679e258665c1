import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { forgetSecrets, readConfig } from "../config.ts";
import { clickHouseSettings } from "./clickhouse.ts";
import { problems, warnings } from "./test-settings.ts";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");
const file = (name: string) => join(CERTIFICATES, name);
const NAME = "SERVICE_CLICKHOUSE_URL";
const LOCAL = "http://127.0.0.1:8123";

type Variables = Readonly<Record<string, string>>;

function settings(environment: Variables) {
	return clickHouseSettings(readConfig(environment));
}

test("without an address traces are not in ClickHouse", () => {
	expect(settings({})).toBeUndefined();
	expect(settings({ SERVICE_CLICKHOUSE_DATABASE: "x", SERVICE_CLICKHOUSE_PASSWORD: "hunter2" })).toBeUndefined();
});

test("an address is enough; the rest has defaults, also beside SQLite", () => {
	expect(settings({ [NAME]: LOCAL })).toEqual({
		shards: [["http://127.0.0.1:8123/"]],
		user: "default",
		password: "",
		database: "spanward",
		connections: 16,
		statementTimeoutMs: 30_000,
		queryMemoryBytes: 1_073_741_824,
		insertIntervalMs: 200,
		insertRows: 20_000,
		durability: "full",
		insertQuorum: "auto",
		reads: "preferred",
		maxReplicaDelaySeconds: 60,
		asyncInsert: false,
	});
});

test("takes its own settings and those of every database", () => {
	const environment = {
		[NAME]: "https://ch.example:8443",
		SERVICE_CLICKHOUSE_USER: "writer",
		SERVICE_CLICKHOUSE_PASSWORD: "p@ss,word;%",
		SERVICE_CLICKHOUSE_DATABASE: "traces_2",
		SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: "20",
		SERVICE_CLICKHOUSE_INSERT_ROWS: "250000",
		SERVICE_CLICKHOUSE_CONNECTIONS: "4",
		SERVICE_CLICKHOUSE_QUERY_MEMORY_MIB: "128",
		SERVICE_CLICKHOUSE_STORAGE_POLICY: "hot-and_cold",
		SERVICE_CLICKHOUSE_COLD_VOLUME: "s3",
		SERVICE_CLICKHOUSE_COLD_AFTER_DAYS: "7",
		SERVICE_CLICKHOUSE_CLUSTER: "main-1.traces",
		SERVICE_CLICKHOUSE_INSERT_QUORUM: "3",
		SERVICE_CLICKHOUSE_READS: "any",
		SERVICE_CLICKHOUSE_MAX_REPLICA_DELAY_SECONDS: "1",
		SERVICE_CLICKHOUSE_ASYNC_INSERT: "True",
		SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS: "7",
		SERVICE_DATABASE_DURABILITY: "relaxed",
	};
	expect(settings(environment)).toEqual({
		shards: [["https://ch.example:8443/"]],
		user: "writer",
		password: "p@ss,word;%",
		database: "traces_2",
		connections: 4,
		statementTimeoutMs: 7_000,
		queryMemoryBytes: 134_217_728,
		insertIntervalMs: 20,
		insertRows: 250_000,
		durability: "relaxed",
		storagePolicy: "hot-and_cold",
		cold: { volume: "s3", afterDays: 7 },
		cluster: "main-1.traces",
		insertQuorum: 3,
		reads: "any",
		maxReplicaDelaySeconds: 1,
		asyncInsert: true,
	});
	expect(warnings(environment)).toEqual([]);
});

test.each<[string, string, object]>([
	["a user and a password, percent-encoded", "http://me:p%40ss%2C%3B%2F@h:8123", { user: "me", password: "p@ss,;/" }],
	["a path", "HTTPS://Proxy.example:8443/clickhouse/a", { shards: [["https://proxy.example:8443/clickhouse/a"]] }],
	["an IPv6 address", "http://[::1]:8123", { shards: [["http://[::1]:8123/"]] }],
	["the port of the scheme", "https://ch.example:443", { shards: [["https://ch.example/"]] }],
	[
		"replicas in their order, with one account",
		" http://u:p@b:8123 , http://a:8123,http://u:p@c:8123/x, ",
		{ shards: [["http://b:8123/", "http://a:8123/", "http://c:8123/x"]], user: "u", password: "p" },
	],
	[
		"shards, each with its replicas",
		"http://u:p@a1:8123,http://a2:8123; http://b1:8123,http://b2:8123 ;",
		{
			shards: [
				["http://a1:8123/", "http://a2:8123/"],
				["http://b1:8123/", "http://b2:8123/"],
			],
			user: "u",
		},
	],
])("reads %s", (_, url, expected) => {
	expect(settings({ [NAME]: url })).toMatchObject(expected);
});

test("the user may be in the address, and the password beside it", () => {
	const environment = { [NAME]: "http://me@127.0.0.1:8123", SERVICE_CLICKHOUSE_PASSWORD: "p" };
	expect(settings(environment)).toMatchObject({ user: "me", password: "p", shards: [["http://127.0.0.1:8123/"]] });
});

test.each<[string, Variables, RegExp]>([
	["a shard without an address", { [NAME]: "http://u:hunter2@a:1;;http://b:1" }, /a shard without an address.*%3B/],
	["an address of two shards", { [NAME]: "http://u:hunter2@a:1;http://a:1" }, /same address twice/],
	["another scheme", { [NAME]: "clickhouse://u:hunter2@h:9000" }, /^SERVICE_CLICKHOUSE_URL must be like http:.*HTTP/],
	["an address without a scheme", { [NAME]: "u:hunter2@h:8123" }, /must be like http:/],
	["nothing but separators", { [NAME]: " , " }, /must be like http:/],
	["no host", { [NAME]: "http:///hunter2" }, /must be like http:/],
	["no port", { [NAME]: "http://u:hunter2@h/path" }, /names no port.*8123.*8443/],
	["port 0", { [NAME]: "http://u:hunter2@h:0" }, /names no port/],
	["a port beyond the last", { [NAME]: "http://u:hunter2@h:65536" }, /must be like/],
	["a password not encoded, with /", { [NAME]: "http://u:1/hunter2@h:8123" }, /percent-encode /],
	["a password not encoded, with #", { [NAME]: "http://u:1#hunter2@h:8123" }, /percent-encode /],
	["a password not encoded, with ?", { [NAME]: "http://u:1?hunter2@h:8123" }, /percent-encode /],
	["a broken encoding", { [NAME]: "http://u%zz:hunter2%zz@h:8123" }, /%25/],
	["parameters", { [NAME]: "http://h:8123?password=hunter2" }, /has parameters, which are not supported/],
	["a wrong replica, by its number", { [NAME]: "http://a:8123,http://u:hunter2@b" }, /no port.* \(address 2\)$/],
	["http and https", { [NAME]: "http://a:8123,https://u:hunter2@b:8443" }, /http and others with https/],
	["a replica twice", { [NAME]: "http://a:8123,http://u:hunter2@A:8123/" }, /same address twice/],
	["two passwords", { [NAME]: "http://u:hunter2@a:8123,http://u:other@b:8123" }, /different users or passwords/],
	[
		"more than 64 replicas",
		{ [NAME]: Array.from({ length: 65 }, (_, index) => `http://u:hunter2@h${index}:8123`).join() },
		/names 65 addresses; at most 64/,
	],
	[
		"a user in both places",
		{ [NAME]: "http://u:hunter2@h:8123", SERVICE_CLICKHOUSE_USER: "u" },
		/URL names a user and SERVICE_CLICKHOUSE_USER is set: keep one/,
	],
	[
		"a password in both places",
		{ [NAME]: "http://:hunter2@h:8123", SERVICE_CLICKHOUSE_PASSWORD: "hunter2" },
		/URL has a password and SERVICE_CLICKHOUSE_PASSWORD is set: keep one/,
	],
	["a database that would need escapes", { SERVICE_CLICKHOUSE_DATABASE: "a-b" }, /^SERVICE_CLICKHOUSE_DATABASE must/],
	["a database with other letters", { SERVICE_CLICKHOUSE_DATABASE: "spürward" }, /^SERVICE_CLICKHOUSE_DATABASE must/],
	["a long database", { SERVICE_CLICKHOUSE_DATABASE: "a".repeat(65) }, /at most 64/],
	["a database of ClickHouse", { SERVICE_CLICKHOUSE_DATABASE: "System" }, /ClickHouse's own/],
	[
		"a policy that would need escapes",
		{ SERVICE_CLICKHOUSE_STORAGE_POLICY: "a'b" },
		/^SERVICE_CLICKHOUSE_STORAGE_POLICY/,
	],
	["a cluster that would need escapes", { SERVICE_CLICKHOUSE_CLUSTER: "a`b" }, /^SERVICE_CLICKHOUSE_CLUSTER must/],
	["a quorum that is none", { SERVICE_CLICKHOUSE_INSERT_QUORUM: "0" }, /QUORUM must be auto or .* from 1 to 8/],
	["a large quorum", { SERVICE_CLICKHOUSE_INSERT_QUORUM: "9" }, /QUORUM must be auto or .* from 1 to 8/],
	["other reads", { SERVICE_CLICKHOUSE_READS: "all" }, /READS must be preferred or any/],
	["no delay", { SERVICE_CLICKHOUSE_MAX_REPLICA_DELAY_SECONDS: "0" }, /DELAY_SECONDS.*1 to 3600/],
	["half asynchronous inserts", { SERVICE_CLICKHOUSE_ASYNC_INSERT: "2" }, /ASYNC_INSERT must be true or false/],
	[
		"a volume without days",
		{ [NAME]: LOCAL, SERVICE_CLICKHOUSE_STORAGE_POLICY: "p", SERVICE_CLICKHOUSE_COLD_VOLUME: "s3" },
		/^SERVICE_CLICKHOUSE_COLD_VOLUME needs SERVICE_CLICKHOUSE_COLD_AFTER_DAYS$/,
	],
	[
		"days without a volume",
		{ [NAME]: LOCAL, SERVICE_CLICKHOUSE_STORAGE_POLICY: "p", SERVICE_CLICKHOUSE_COLD_AFTER_DAYS: "1" },
		/^SERVICE_CLICKHOUSE_COLD_AFTER_DAYS needs SERVICE_CLICKHOUSE_COLD_VOLUME$/,
	],
	[
		"a volume without its policy",
		{ [NAME]: LOCAL, SERVICE_CLICKHOUSE_COLD_VOLUME: "s3", SERVICE_CLICKHOUSE_COLD_AFTER_DAYS: "1" },
		/^SERVICE_CLICKHOUSE_COLD_VOLUME needs SERVICE_CLICKHOUSE_STORAGE_POLICY/,
	],
	["many days", { SERVICE_CLICKHOUSE_COLD_AFTER_DAYS: "3651" }, /COLD_AFTER_DAYS.*1 to 3650/],
	["a short interval", { SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: "19" }, /INSERT_INTERVAL_MS.*20 to 5000/],
	["few rows", { SERVICE_CLICKHOUSE_INSERT_ROWS: "511" }, /INSERT_ROWS.*512 to 250000/],
	["few connections", { SERVICE_CLICKHOUSE_CONNECTIONS: "3" }, /CONNECTIONS.*4 to 256/],
	["little memory", { SERVICE_CLICKHOUSE_QUERY_MEMORY_MIB: "127" }, /QUERY_MEMORY_MIB.*128 to 65536/],
	[
		"authorities that are invalid",
		{ [NAME]: "https://h:8443", SERVICE_CLICKHOUSE_TLS_CA_FILE: file("make.sh") },
		/^SERVICE_CLICKHOUSE_TLS_CA_FILE: .* no certificate/,
	],
	[
		"a file that is not there",
		{ [NAME]: "https://h:8443", SERVICE_CLICKHOUSE_TLS_CA_FILE: "/nowhere" },
		/^SERVICE_CLICKHOUSE_TLS_CA_FILE: .*does not exist/,
	],
	[
		"a certificate without its key",
		{ [NAME]: "https://h:8443", SERVICE_CLICKHOUSE_TLS_CERT_FILE: file("client.pem") },
		/CERT_FILE needs SERVICE_CLICKHOUSE_TLS_KEY_FILE/,
	],
	[
		"a key without its certificate",
		{ [NAME]: "https://h:8443", SERVICE_CLICKHOUSE_TLS_KEY_FILE: file("client.key") },
		/KEY_FILE needs SERVICE_CLICKHOUSE_TLS_CERT_FILE/,
	],
	[
		"a certificate with the key of another",
		{
			[NAME]: "https://h:8443",
			SERVICE_CLICKHOUSE_TLS_CERT_FILE: file("client.pem"),
			SERVICE_CLICKHOUSE_TLS_KEY_FILE: file("server.key"),
		},
		/KEY_FILE: .* not that of the first certificate/,
	],
	[
		"a certificate and a password",
		{
			[NAME]: "https://u:hunter2@h:8443",
			SERVICE_CLICKHOUSE_TLS_CERT_FILE: file("client.pem"),
			SERVICE_CLICKHOUSE_TLS_KEY_FILE: file("client.key"),
		},
		/^SERVICE_CLICKHOUSE_TLS_CERT_FILE is how the user logs in: .*leave out/,
	],
])("refuses %s, once and without a secret", (_, environment, message) => {
	const found = problems(environment);
	expect(found).toHaveLength(1);
	expect(found[0]).toMatch(message);
	expect(found[0]).not.toContain("hunter2");
});

test("names everything that is wrong at once", () => {
	const found = problems({
		[NAME]: "http://a,ftp://b:1",
		SERVICE_CLICKHOUSE_TLS_CA_FILE: "/nowhere",
		SERVICE_CLICKHOUSE_INSERT_ROWS: "1",
		SERVICE_CLICKHOUSE_DATABASE: "a.b",
		SERVICE_SQL_DATABASE_URL: "mysql://h",
	});
	expect(found.map((problem) => problem.match(/^\w+/)?.[0]).sort()).toEqual([
		"SERVICE_CLICKHOUSE_DATABASE",
		"SERVICE_CLICKHOUSE_INSERT_ROWS",
		"SERVICE_CLICKHOUSE_TLS_CA_FILE",
		NAME,
		NAME,
		"SERVICE_SQL_DATABASE_URL",
	]);
});

test("reads the files for TLS, and only with https", () => {
	const files = {
		SERVICE_CLICKHOUSE_TLS_CA_FILE: file("authority.pem"),
		SERVICE_CLICKHOUSE_TLS_CERT_FILE: file("client.pem"),
		SERVICE_CLICKHOUSE_TLS_KEY_FILE: file("client.key"),
	};
	expect(settings({ [NAME]: "https://localhost:8443", ...files })?.tls).toEqual({
		ca: expect.stringContaining("BEGIN CERTIFICATE"),
		cert: expect.stringContaining("BEGIN CERTIFICATE"),
		key: expect.stringContaining("PRIVATE KEY"),
	});
	expect(settings({ [NAME]: LOCAL, ...files })?.tls).toBeUndefined();
	expect(warnings({ [NAME]: LOCAL, ...files })).toEqual(
		Object.keys(files).map((name) => `${name} has no effect: SERVICE_CLICKHOUSE_URL has http and not https`),
	);
});

test("warns of another machine that is asked in the clear, or without a password", () => {
	const warned = (url: string, more: Variables = {}) => warnings({ [NAME]: url, ...more });
	const unencrypted = expect.stringMatching(/^SERVICE_CLICKHOUSE_URL: .*not encrypted.*https/);
	const open = expect.stringMatching(/^SERVICE_CLICKHOUSE_PASSWORD is not set: /);
	for (const url of [LOCAL, "http://localhost:8123", "http://[::1]:8123,http://127.0.0.2:8123"]) {
		expect(warned(url)).toEqual([]);
	}
	expect(warned(`${LOCAL},http://u:hunter2@ch.example:8123`)).toEqual([unencrypted]);
	expect(warned("http://10.0.0.7:8123")).toEqual([unencrypted, open]);
	expect(warned("https://ch.example:8443")).toEqual([open]);
	expect(warned("https://u:hunter2@ch.example:8443")).toEqual([]);
	const certificate = {
		SERVICE_CLICKHOUSE_TLS_CERT_FILE: file("client.pem"),
		SERVICE_CLICKHOUSE_TLS_KEY_FILE: file("client.key"),
	};
	expect(warned("https://u@ch.example:8443", certificate)).toEqual([]);
});

test("warns of settings without an address, whatever their values", () => {
	const names = ["SERVICE_CLICKHOUSE_USER", "SERVICE_CLICKHOUSE_DATABASE", "SERVICE_CLICKHOUSE_INSERT_ROWS"];
	const environment = {
		SERVICE_CLICKHOUSE_USER: "me",
		SERVICE_CLICKHOUSE_DATABASE: "spanward",
		SERVICE_CLICKHOUSE_INSERT_ROWS: "20000",
		SERVICE_CLICKHOUSE_CONNECTIONS: " ",
	};
	const idle = names.map((name) => `${name} has no effect: SERVICE_CLICKHOUSE_URL is not set`);
	expect(warnings(environment)).toEqual(idle);
	expect(warnings({ ...environment, [NAME]: LOCAL })).toEqual([]);
});

test("has a text index of traces in ClickHouse only where it is asked for", () => {
	const has = (environment: Record<string, string>) => readConfig(environment).SERVICE_ENABLE_TEXT_INDEX;
	expect(has({})).toBe(true);
	expect(has({ [NAME]: LOCAL })).toBe(false);
	expect(has({ [NAME]: LOCAL, SERVICE_ENABLE_TEXT_INDEX: " " })).toBe(false);
	expect(has({ [NAME]: LOCAL, SERVICE_ENABLE_TEXT_INDEX: "True" })).toBe(true);
});

test("address and password come from files, and no dump of the settings or the environment shows them", () => {
	const folder = mkdtempSync(join(tmpdir(), "spanward-"));
	try {
		const url = join(folder, "url");
		const password = join(folder, "password");
		writeFileSync(url, "http://127.0.0.1:8123\n");
		writeFileSync(password, "hunter2\n");
		const files = { SERVICE_CLICKHOUSE_URL_FILE: url, SERVICE_CLICKHOUSE_PASSWORD_FILE: password };
		expect(settings(files)).toMatchObject({ shards: [["http://127.0.0.1:8123/"]], password: "hunter2" });
		expect(warnings(files)).toEqual([]);
	} finally {
		rmSync(folder, { recursive: true });
	}
	const environment: Record<string, string | undefined> = {
		[NAME]: "http://u:hunter2@127.0.0.1:8123",
		SERVICE_CLICKHOUSE_DATABASE: "x",
	};
	const config = readConfig(environment);
	expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain("hunter2");
	forgetSecrets(environment);
	expect(environment).toEqual({ SERVICE_CLICKHOUSE_DATABASE: "x" });
	const beside: Record<string, string | undefined> = { SERVICE_CLICKHOUSE_PASSWORD: "hunter2" };
	forgetSecrets(beside);
	expect(beside).toEqual({});
});
