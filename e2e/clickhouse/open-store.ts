import { randomBytes } from "node:crypto";
import type { ClickHouseAccess } from "../../apps/server/src/storage/clickhouse/node.ts";
import { Shard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { connectionConfig, makeClient } from "../../apps/server/src/storage/postgres/connection.ts";
import { openPostgres } from "../../apps/server/src/storage/postgres/open-postgres.ts";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { createTables } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { ClickHouseTraceStore } from "../../apps/server/src/storage/traces/clickhouse/trace-store.ts";
import { ClickHouseTraceWriter } from "../../apps/server/src/storage/traces/clickhouse/trace-writer.ts";
import {
	PostgresTurns,
	prepareMetadata,
} from "../../apps/server/src/storage/traces/clickhouse/write/postgres-turns.ts";
import type { StoreUnderTest } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import type { ClickHouse } from "../peers/clickhouse.ts";

const ACCESS: Omit<ClickHouseAccess, "database"> = {
	user: "default",
	password: "",
	connections: 8,
	statementTimeoutMs: 300_000,
	queryMemoryBytes: 1024 * 1024 * 1024,
};

export interface ClickHouseUnderTest extends StoreUnderTest {
	readonly shard: Shard;
	/** Turns as another process has them. */
	readonly turns: () => PostgresTurns;
	/** A writer as another process has it. */
	readonly newWriter: () => ClickHouseTraceWriter;
}

/** An empty database, with the rest in a schema of PostgreSQL. */
export async function openStore(clickhouse: ClickHouse): Promise<ClickHouseUnderTest> {
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
	await prepareMetadata(client);
	await client.end();
	const turns = () => new PostgresTurns(connect, "test");
	const { db } = storage;
	const newWriter = () => new ClickHouseTraceWriter({ shard, turns: turns(), readTexts: readStoredTexts, db: db.read });
	const writer = opening.use(newWriter());
	const traces = opening.use(new ClickHouseTraceStore({ shard, db, turns: turns(), slowLists: 2 }));
	const open = opening.move();
	return { traces, writer, db, shard, turns, newWriter, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
