import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { test } from "vitest";
import { POSTGRES_BIN } from "../peers/postgres.ts";
import { runToEnd } from "../peers/process.ts";
import { useSharedPeer } from "../peers/shared.ts";
import { createTestServer, type TestServer } from "../server.ts";

export const HAS_POSTGRES = existsSync(`${POSTGRES_BIN}/postgres`);

/** For tests that need PostgreSQL: skipped where it is not, and with CI=true a failure. */
export const testOnPostgres = HAS_POSTGRES ? test : withoutPostgres();

function withoutPostgres(): typeof test.skip {
	if (process.env["CI"] === "true") throw new Error("PostgreSQL is missing. With CI=true nothing may be skipped.");
	process.stderr.write("\nskipped: PostgreSQL is missing\n");
	return test.skip;
}

/** Servers that share a schema of their own, started at the same moment. */
export interface Servers extends AsyncDisposable {
	readonly one: TestServer;
	readonly two: TestServer;
	readonly storage: { readonly url: string; readonly schema: string };
	/** What `psql` prints of a statement in the schema, without headings. */
	sql(statement: string): Promise<string>;
}

/**
 * @param url of a PostgreSQL of one's own; the one of this run of the tests when absent
 * @param ways of the two servers to it, such as through a proxy
 */
export async function startTwoServers(
	env: Readonly<Record<string, string>> = {},
	url?: string,
	ways: { readonly one?: string; readonly two?: string } = {},
): Promise<Servers> {
	await using opened = new AsyncDisposableStack();
	const storage = url === undefined ? opened.use(await freshStorage()) : { url, schema: freshSchema() };
	const sql = (statement: string) => psql(storage, statement);
	const create = async (way = storage.url) =>
		opened.use(
			await createTestServer({
				storage: { schema: storage.schema, url: named(way, storage.schema) },
				authentication: false,
				env: { ...SMALL, ...env },
			}),
		);
	const one = await create(ways.one);
	const two = await create(ways.two);
	await Promise.all([one.start(), two.start()]);
	const running = opened.move();
	return { one, two, storage, sql, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** A schema of its own in the PostgreSQL of this run of the tests, made by the first server and dropped at the end. */
export async function freshStorage(): Promise<Servers["storage"] & AsyncDisposable> {
	const { url } = await useSharedPeer("postgres");
	const storage = { url, schema: freshSchema() };
	const drop = async () => void (await psql(storage, `drop schema if exists ${storage.schema} cascade`));
	return { ...storage, [Symbol.asyncDispose]: drop };
}

/** With the schema as the name of connections, by which servers of other tests in the same database are told apart. */
function named(url: string, schema: string): string {
	const address = new URL(url);
	address.searchParams.set("application_name", schema);
	return address.href;
}

function freshSchema(): string {
	return `e2e_${randomBytes(6).toString("hex")}`;
}

/** Two of them share a small machine with what tests them. */
export const SMALL = { SERVICE_INGEST_WORKERS: "1", SERVICE_DATABASE_POOL_SIZE: "4", SERVICE_DRAIN_SECONDS: "0" };

async function psql({ url, schema }: Servers["storage"], statement: string): Promise<string> {
	const settings = { PGOPTIONS: `-c search_path=${schema} -c client_min_messages=warning` };
	const args = [url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement];
	return (await runToEnd(`${POSTGRES_BIN}/psql`, args, { env: settings })).trim();
}
