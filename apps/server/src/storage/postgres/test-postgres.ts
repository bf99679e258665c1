import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import pg from "pg";
import { inject, test } from "vitest";
import type { PostgresSettings } from "#base/postgres-address.ts";

/** `npm run test:fast` starts no process. */
// biome-ignore lint/style/noProcessEnv: the tests' own variable
const LEFT_OUT = process.env["TEST_FAST"] === "true";

/** Whether PostgreSQL is installed and wanted; `npm test` installs it where it can. */
export const HAS_POSTGRES = !LEFT_OUT && existsSync("/usr/lib/postgresql/15/bin/postgres");

/** For tests that need PostgreSQL: without it they are skipped, and with CI=true they fail. */
export const testWithPostgres = HAS_POSTGRES ? test : withoutPostgres();

function withoutPostgres(): typeof test.skip {
	// biome-ignore lint/style/noProcessEnv: the tests' own variable
	if (process.env["CI"] === "true" && !LEFT_OUT)
		throw new Error("PostgreSQL is missing. With CI=true nothing may be skipped.");
	return test.skip;
}

/** An empty schema in the PostgreSQL of the test run. */
export interface TestSchema extends AsyncDisposable {
	/** For `SERVICE_SQL_DATABASE_URL`. */
	readonly url: string;
	/** For `SERVICE_SQL_DATABASE_SCHEMA`. */
	readonly schema: string;
	readonly settings: PostgresSettings;
}

export async function createTestSchema(): Promise<TestSchema> {
	const url = await testPostgresUrl();
	const schema = `test_${randomBytes(6).toString("hex")}`;
	await run(url, `create schema ${schema}`);
	return {
		...{ url, schema, settings: testSettings(url, schema) },
		[Symbol.asyncDispose]: () => run(url, `drop schema ${schema} cascade`),
	};
}

/** Of the PostgreSQL of the test run, which the first who asks starts. */
export async function testPostgresUrl(): Promise<string> {
	const response = await fetch(`http://127.0.0.1:${inject("sharedPeersPort" as never)}/postgres`);
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	return (JSON.parse(text) as { url: string }).url;
}

export function testSettings(url: string, schema: string): PostgresSettings {
	const { hostname, port, username, pathname } = new URL(url);
	return {
		primary: {
			host: hostname,
			port: Number(port),
			user: username,
			password: undefined,
			database: pathname.slice(1),
			tls: false,
		},
		schema,
		poolSize: 4,
		connectTimeoutMs: 5_000,
		statementTimeoutMs: 30_000,
		durability: "full",
		textIndex: true,
	};
}

async function run(url: string, statement: string): Promise<void> {
	const client = new pg.Client(url);
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}
