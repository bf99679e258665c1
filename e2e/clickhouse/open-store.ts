import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READING } from "@spanward/semconv";
import type { ClickHouseSettings } from "../../apps/server/src/base/clickhouse-address.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { openPostgres } from "../../apps/server/src/storage/postgres/open-postgres.ts";
import { createMigratedSchema } from "../../apps/server/src/storage/postgres/test-migrated.ts";
import { openSqlite } from "../../apps/server/src/storage/sqlite/open-sqlite.ts";
import { noteFact } from "../../apps/server/src/storage/traces/clickhouse/facts.ts";
import { openPostgresMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/postgres-metadata.ts";
import { openSqliteMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/sqlite-metadata.ts";
import type { TraceMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/trace-metadata.ts";
import { KnownReadings } from "../../apps/server/src/storage/traces/clickhouse/readings/known-readings.ts";
import { createTables, prepareDatabase } from "../../apps/server/src/storage/traces/clickhouse/schema.ts";
import { type ShardCount, ShardHistory } from "../../apps/server/src/storage/traces/clickhouse/shards/shard-history.ts";
import { TraceShards } from "../../apps/server/src/storage/traces/clickhouse/shards/trace-shards.ts";
import { TextIndex } from "../../apps/server/src/storage/traces/clickhouse/text/text-index.ts";
import { openTraceShards, type TraceShard } from "../../apps/server/src/storage/traces/clickhouse/trace-shard.ts";
import { ClickHouseTraceStore } from "../../apps/server/src/storage/traces/clickhouse/trace-store.ts";
import type { ClickHouseWriterOptions } from "../../apps/server/src/storage/traces/clickhouse/trace-writer.ts";
import { ClickHouseSpend } from "../../apps/server/src/storage/traces/clickhouse/upkeep/clickhouse-spend.ts";
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
	readonly readings: KnownReadings;
	readonly writerOptions: ClickHouseWriterOptions;
	/** A writer as another process, or on SQLite another thread, has it. */
	readonly newWriter: () => Promise<TraceWriter>;
	/** The same traces, searched without the text index. */
	readonly unindexed: ClickHouseTraceStore;
	/** Fills the text index. */
	readonly untilIndexed: () => Promise<void>;
}

/**
 * An empty database of ClickHouse on each of these as shards, with the rest in a schema of PostgreSQL or a file.
 * @param options.shardCounts how many shards there were when; all of them from the first when absent
 * @param options.hasTextIndex whether searches ask it
 */
export async function openStore(
	clickhouse: ClickHouse | readonly ClickHouse[],
	kind: MetadataKind = "postgres",
	{
		shardCounts,
		hasTextIndex = false,
	}: { readonly shardCounts?: readonly ShardCount[]; readonly hasTextIndex?: boolean } = {},
): Promise<ClickHouseUnderTest> {
	await using opening = new AsyncDisposableStack();
	const metadata = opening.use(await openMetadata(kind));
	const settings = await prepareDatabase(settingsOf([clickhouse].flat()));
	const list = openTraceShards(settings);
	const shard = present(list[0], "a shard");
	const shards = opening.use(new TraceShards(list, shardCounts && new ShardHistory(shardCounts)));
	const shardsWith = (queryMemoryBytes: number) => new TraceShards(openTraceShards({ ...settings, queryMemoryBytes }));
	for (const one of list) {
		opening.defer(() => one.execute(`drop database ${settings.database}${ON_CLUSTER}`));
		await createTables(one, settings);
		await noteFact(one, "reading", String(READING));
	}
	await metadata.opened.leaveTraces();
	const { db, writerOptions: ofMetadata } = metadata.opened;
	const writerOptions = {
		...({ kind: "clickhouse", clickhouse: settings, metadata: ofMetadata } as const),
		...(shardCounts === undefined ? {} : { shardCounts }),
	};
	const newWriter = () => openTraceWriter(writerOptions, readStoredTexts);
	const writer = opening.use(await newWriter());
	const readings = opening.use(new KnownReadings(shards));
	await readings.look();
	const openTraces = (hasTextIndex: boolean) =>
		opening.use(
			new ClickHouseTraceStore({
				shards,
				db,
				readings,
				turns: metadata.opened.openTurns(),
				slowLists: 2,
				hasTextIndex,
			}),
		);
	const [traces, unindexed] = [openTraces(hasTextIndex), openTraces(false)];
	const spend = new ClickHouseSpend({ shards, db, turns: opening.use(metadata.opened.openTurns()) });
	const index = new TextIndex({ shards, db, metadata: metadata.opened });
	const open = opening.move();
	return {
		...{ traces, writer, db, spend, readings, shards, shard, shardsWith, writerOptions, newWriter, unindexed },
		untilIndexed: () => index.fill(new AbortController().signal),
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
	const { settings } = opening.use(await createMigratedSchema());
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
