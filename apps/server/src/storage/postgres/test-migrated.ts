import { randomBytes } from "node:crypto";
import pg from "pg";
import { openPostgres } from "./open-postgres.ts";
import { type TestSchema, testPostgresUrl, testSettings } from "./test-postgres.ts";

/** The database that is copied; it has this name when it is complete. */
const TEMPLATE = "spanward_migrated";
const SCHEMA = "spanward_test";

let made: Promise<void> | undefined;

/**
 * A schema with its tables and the project `default`, alone in a database of the PostgreSQL of the test run: to copy one
 * takes a third of migrating an empty one.
 */
export async function createMigratedSchema(): Promise<TestSchema> {
	const url = await testPostgresUrl();
	made ??= makeTemplate(url);
	await made;
	const database = `test_${randomBytes(6).toString("hex")}`;
	const own = withDatabase(url, database);
	await withClient(url, (client) => client.query(`create database ${database} template ${TEMPLATE}`));
	return {
		url: own,
		schema: SCHEMA,
		settings: testSettings(own, SCHEMA),
		async [Symbol.asyncDispose]() {
			await withClient(url, (client) => client.query(`drop database ${database} with (force)`));
		},
	};
}

/** The processes of a test run take turns: the first makes it. */
async function makeTemplate(url: string): Promise<void> {
	await withClient(url, async (client) => {
		await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [TEMPLATE]);
		const { rows } = await client.query("select 1 from pg_database where datname = $1", [TEMPLATE]);
		if (rows.length > 0) return;
		const unfinished = `${TEMPLATE}_unfinished`;
		await client.query(`create database ${unfinished}`);
		const storage = await openPostgres(
			{ SERVICE_PROJECT_NAME: "default" },
			testSettings(withDatabase(url, unfinished), SCHEMA),
		);
		await storage[Symbol.asyncDispose]();
		await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
	});
}

function withDatabase(url: string, database: string): string {
	return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
	const client = new pg.Client(url);
	await client.connect();
	try {
		await work(client);
	} finally {
		await client.end();
	}
}
