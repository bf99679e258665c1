import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClickHouseSettings } from "../../apps/server/src/base/clickhouse-address.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { openPostgres } from "../../apps/server/src/storage/postgres/open-postgres.ts";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { openSqlite } from "../../apps/server/src/storage/sqlite/open-sqlite.ts";
import { openPostgresMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/postgres-metadata.ts";
import { openSqliteMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/sqlite-metadata.ts";
import type { TraceMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/trace-metadata.ts";
import { createTables, prepareDatabase } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { TraceShards } from "../../apps/server/src/storage/traces/clickhouse/shards/trace-shards.ts";
import { openTraceShards, type TraceShard } from "../../apps/server/src/storage/traces/clickhouse/trace-shard.ts";
import { ClickHouseTraceStore } from "../../apps/server/src/storage/traces/clickhouse/trace-store.ts";
import type { ClickHouseWriterOptions } from "../../apps/server/src/storage/traces/clickhouse/trace-writer.ts";
import type { StoreUnderTest } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { openTraceWriter } from "../../apps/server/src/storage/traces/open-trace-writer.ts";
import type { TraceWriter } from "../../apps/server/src/storage/traces/span-batch.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import { type ClickHouse, ON_CLUSTER, ofCluster } from "../peers/clickhouse.ts";

const PROJECT = { SERVICE_PROJECT_NAME: "default" };

export type MetadataKind = "postgres" | "sqlite";

export interface ClickHouseUnderTest extends StoreUnderTest {
	readonly shards: TraceShards;
	/** The first of them. */
	readonly shard: TraceShard;
	/** The shards for statements that may use less memory. */
	readonly shardsWith: (queryMemoryBytes: number) => TraceShards;
	readonly metadata: TraceMetadata;
	readonly writerOptions: ClickHouseWriterOptions;
	/** A writer as another process, or on SQLite another thread, has it. */
	readonly newWriter: () => Promise<TraceWriter>;
}

/** An empty database of ClickHouse on each of these as shards, with the rest in a schema of PostgreSQL or a file. */
export async function openStore(
	clickhouse: ClickHouse | readonly ClickHouse[],
	kind: MetadataKind = "postgres",
): Promise<ClickHouseUnderTest> {
	await using opening = new AsyncDisposableStack();
	const metadata = opening.use(await openMetadata(kind));
	const settings = await prepareDatabase(settingsOf([clickhouse].flat()));
	const list = openTraceShards(settings);
	const shard = present(list[0], "a shard");
	const shards = opening.use(new TraceShards(list));
	const shardsWith = (queryMemoryBytes: number) => new TraceShards(openTraceShards({ ...settings, queryMemoryBytes }));
	for (const one of list) {
		opening.defer(() => one.execute(`drop database ${settings.database}${ON_CLUSTER}`));
		await createTables(one, settings);
	}
	await metadata.opened.leaveTraces();
	const { db, writerOptions: ofMetadata } = metadata.opened;
	const writerOptions = { kind: "clickhouse", clickhouse: settings, metadata: ofMetadata } as const;
	const newWriter = () => openTraceWriter(writerOptions, readStoredTexts);
	const writer = opening.use(await newWriter());
	const turns = metadata.opened.openTurns();
	const traces = opening.use(new ClickHouseTraceStore({ shards, db, turns, slowLists: 2 }));
	const open = opening.move();
	return {
		...{ traces, writer, db, shards, shard, shardsWith, writerOptions, newWriter },
		metadata: metadata.opened,
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

function settingsOf(shards: readonly ClickHouse[]): ClickHouseSettings {
	const [first] = shards;
	const cluster = ofCluster()["SERVICE_CLICKHOUSE_CLUSTER"];
	// That of somebody is one shard, however often it is asked for.
	const urls = [...new Set(shards.map(({ url }) => withoutAccount(url)))];
	return {
		shards: urls.map((url) => [url]),
		...(first?.account ?? { user: "default", password: "" }),
		...(cluster === undefined ? {} : { cluster }),
		database: `spanward_test_${randomBytes(6).toString("hex")}`,
		connections: 8,
		statementTimeoutMs: 300_000,
		queryMemoryBytes: 1024 * 1024 * 1024,
		insertIntervalMs: 20,
		insertRows: 20_000,
		durability: "relaxed",
	};
}

function withoutAccount(url: string): string {
	return Object.assign(new URL(url), { username: "", password: "" }).href;
}

async function openMetadata(kind: MetadataKind): Promise<AsyncDisposable & { readonly opened: TraceMetadata }> {
	await using opening = new AsyncDisposableStack();
	const opened = await (kind === "sqlite" ? openFile(opening) : openSchema(opening));
	const open = opening.move();
	return { opened, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function openSchema(opening: AsyncDisposableStack): Promise<TraceMetadata> {
	const { settings } = opening.use(await createTestSchema());
	const { db } = opening.use(await openPostgres(PROJECT, settings));
	return await openPostgresMetadata(db, settings);
}

async function openFile(opening: AsyncDisposableStack): Promise<TraceMetadata> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-metadata-"));
	opening.defer(() => rm(folder, { recursive: true, force: true }));
	const settings = { SERVICE_WORKING_DIR: folder, SERVICE_DATABASE_READERS: 1, SERVICE_ENABLE_TEXT_INDEX: false };
	const { db, writerOptions } = opening.use(await openSqlite({ ...settings, ...PROJECT }));
	return openSqliteMetadata({ db, ...writerOptions });
}
