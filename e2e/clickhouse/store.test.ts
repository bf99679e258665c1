import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, test as vitest } from "vitest";
import type { ClickHouseAccess } from "../../apps/server/src/storage/clickhouse/node.ts";
import { Shard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { connectionConfig, makeClient } from "../../apps/server/src/storage/postgres/connection.ts";
import { openPostgres } from "../../apps/server/src/storage/postgres/open-postgres.ts";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { createTables } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { ClickHouseTraceReader } from "../../apps/server/src/storage/traces/clickhouse/trace-reader.ts";
import { ClickHouseTraceWriter } from "../../apps/server/src/storage/traces/clickhouse/trace-writer.ts";
import { PostgresTurns, prepareTurns } from "../../apps/server/src/storage/traces/clickhouse/write/postgres-turns.ts";
import type { OpenStore, ReadableTraces } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { conformsInTotals } from "../../apps/server/src/storage/traces/conformance/totals.ts";
import { conformsInWrites } from "../../apps/server/src/storage/traces/conformance/writes.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";

const ACCESS: Omit<ClickHouseAccess, "database"> = {
	user: "default",
	password: "",
	connections: 8,
	statementTimeoutMs: 300_000,
	queryMemoryBytes: 1024 * 1024 * 1024,
};

const test = testWith("clickhouse");

let clickhouse: ClickHouse;

describe.skipIf(test === vitest.skip)("traces in ClickHouse", () => {
	beforeAll(async () => {
		clickhouse = await startClickHouse({});
	});
	afterAll(() => clickhouse[Symbol.asyncDispose]());

	conformsInWrites(openStore);
	conformsInTotals(openStore);
});

/** An empty database, with the rest in a schema of PostgreSQL. */
const openStore: OpenStore<ReadableTraces> = async () => {
	await using opening = new AsyncDisposableStack();
	const { settings } = opening.use(await createTestSchema());
	const storage = opening.use(await openPostgres({ SERVICE_PROJECT_NAME: "default" }, settings));
	const database = `test_${randomBytes(6).toString("hex")}`;
	const urls = [new URL(clickhouse.url)];
	await using server = new Shard(urls, { ...ACCESS, database: "default" });
	await server.execute(`create database ${database}`);
	const shard = opening.use(new Shard(urls, { ...ACCESS, database }));
	opening.defer(() => shard.execute(`drop database ${database}`));
	await createTables(shard, { durability: "relaxed" });
	const connect = async () => {
		const use = { name: "turns", statementTimeoutMs: 60_000, readsFewRows: true };
		const client = makeClient(connectionConfig(settings, settings.primary, use));
		await client.connect();
		return client;
	};
	const client = await connect();
	await prepareTurns(client);
	await client.end();
	const turns = new PostgresTurns(connect, "test");
	const writer = opening.use(new ClickHouseTraceWriter({ shard, turns, readTexts: readStoredTexts }));
	const traces = new ClickHouseTraceReader(shard);
	const open = opening.move();
	return { traces, writer, db: storage.db, [Symbol.asyncDispose]: () => open.disposeAsync() };
};
