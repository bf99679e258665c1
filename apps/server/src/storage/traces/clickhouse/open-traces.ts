import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ConfigError } from "#base/config.ts";
import { present } from "#base/present.ts";
import { ClickHouseOpenError, toOpenError } from "#storage/clickhouse/open-errors.ts";
import { openEachShard, type Shard } from "#storage/clickhouse/shard.ts";
import type { Cluster } from "#storage/cluster.ts";
import type { Access } from "#storage/schema.ts";
import type { Storage } from "#storage/storage.ts";
import type { TraceChange } from "../trace-store.ts";
import { ClickHousePlace } from "./clickhouse-place.ts";
import { catchUp } from "./installation.ts";
import { openTraceMetadata } from "./metadata/open-metadata.ts";
import type { TraceMetadata } from "./metadata/trace-metadata.ts";
import { type Claim, claimOf, claimTraces, keepClaim } from "./only-server.ts";
import { readUsedBytes } from "./read/used-bytes.ts";
import { KnownReadings } from "./readings/known-readings.ts";
import { prepareDatabase, prepareTables } from "./schema.ts";
import { checkList, matchShards } from "./shards/recorded-shards.ts";
import type { ShardHistory } from "./shards/shard-history.ts";
import { TraceShards } from "./shards/trace-shards.ts";
import { watchShards } from "./shards/watch-shards.ts";
import { openTraceShards } from "./trace-shard.ts";
import { ClickHouseTraceStore } from "./trace-store.ts";
import { ClickHouseSpend } from "./upkeep/clickhouse-spend.ts";
import { ClickHouseRepairs } from "./upkeep/reconcile/run-repairs.ts";
import { upkeepOf } from "./upkeep/upkeep.ts";

const RETRY_MS = 500;
/** How long another process may take to make the tables. */
const TABLES_WITHIN_MS = 600_000;
/** Lists with slow filters that run at a time. */
const SLOW_LISTS = 2;

interface Opened {
	/** The metadata database, with its own trace store, which stays empty. */
	readonly storage: Storage;
	readonly settings: ClickHouseSettings;
	/** Whether there is a text index. */
	readonly textIndex: boolean;
	/** What a variable says of the access of new projects. */
	readonly pinnedAccess: Access | undefined;
	/** Gets a sentence about what was done, and about ClickHouse when it goes and comes back. */
	readonly tell: (sentence: string) => void;
	/** How long to wait for a ClickHouse that cannot be reached yet. */
	readonly waitMs: number;
}

/**
 * Opens traces in ClickHouse beside the metadata database: makes what is missing, and checks what is there.
 * @returns the storage with both, which disposes of the metadata database, too
 * @throws ConfigError with what to change; ClickHouseOpenError when ClickHouse could not be reached in time
 */
export async function openTraces(given: Opened): Promise<Storage> {
	const { storage, textIndex, pinnedAccess, tell } = given;
	const metadata = await openTraceMetadata(storage, pinnedAccess);
	const { settings, history, claim } = await prepare(given, metadata);
	await using opened = new AsyncDisposableStack();
	const shards = opened.use(new TraceShards(openTraceShards(settings, tell), history));
	const { cluster, db } = storage;
	if (claim === undefined) opened.use(watchShards(shards, metadata, tell));
	else opened.use(keepClaim({ shard: firstOf(shards), claim, tell }, () => process.kill(process.pid, "SIGTERM")));
	const readings = opened.use(new KnownReadings(shards));
	await readings.watch();
	const tellOthers = (change: TraceChange) => cluster.tell({ topic: "traces", changes: [change] });
	const turns = metadata.openTurns();
	const traces = opened.use(
		new ClickHouseTraceStore({
			...{ shards, db, turns, slowLists: SLOW_LISTS, hasTextIndex: textIndex, readings },
			onOwnChange: tellOthers,
		}),
	);
	opened.defer(
		cluster.onMessage((message) => {
			if (message.topic === "traces") for (const change of message.changes) traces.notifyChange(change);
		}),
	);
	const open = opened.move();
	return {
		...storage,
		traces,
		place: new ClickHousePlace(shards, settings, readings),
		repairs: new ClickHouseRepairs({ shards, db, metadata }),
		spend: new ClickHouseSpend({ shards, db, turns }),
		writerOptions: {
			...{ kind: "clickhouse", clickhouse: settings, metadata: metadata.writerOptions },
			shardCounts: history.counts,
		},
		usedBytes: async () => (await storage.usedBytes()) + (await readUsedBytes(shards)),
		onTracesReachable: (listener) => shards.onReachable(listener),
		// That of the metadata database is for its own traces.
		upkeep: upkeepOf({ shards, db, metadata, textIndex, readings, tell }),
		releaseWriter(threadId) {
			storage.releaseWriter(threadId);
			metadata.releaseWriter(threadId);
		},
		notify(change) {
			traces.notifyChange(change);
			tellOthers(change);
		},
		async [Symbol.asyncDispose]() {
			await open.disposeAsync();
			await storage[Symbol.asyncDispose]();
		},
	};
}

interface Prepared {
	/** With what was found. */
	readonly settings: ClickHouseSettings;
	readonly history: ShardHistory;
	/** Where only one server may use them. */
	readonly claim: Claim | undefined;
}

/** Waits for ClickHouse, and for another process that makes the tables. */
async function prepare({ storage, settings, tell, waitMs }: Opened, metadata: TraceMetadata): Promise<Prepared> {
	const { writerOptions } = metadata;
	const claim = writerOptions.kind === "sqlite" ? claimOf(writerOptions.path) : undefined;
	let prepared: Prepared | undefined;
	const deadline = performance.now() + waitMs;
	for (let tries = 1; ; tries += 1) {
		try {
			await alone(storage.cluster, async () => {
				await checkList({ metadata, settings });
				const found = await prepareDatabase(settings);
				await using shards = new TraceShards(openEachShard(found));
				for (const shard of shards.list) await prepareTables(shard, found);
				const history = await matchShards({ shards: shards.list, metadata, settings: found });
				if (claim !== undefined) await claimTraces({ shard: firstOf(shards), claim, tell }, found);
				await catchUp(shards, metadata);
				await metadata.leaveTraces();
				prepared = { settings: found, history, claim };
			});
			return present(prepared, "what is known of shards");
		} catch (cause) {
			const error = toOpenError(cause, settings);
			if (!(error instanceof ClickHouseOpenError)) throw error;
			if (!error.mayPass) throw new ConfigError([error.message]);
			if (performance.now() >= deadline) throw error;
			if (tries === 1) tell(`${error.message} Waiting for it for ${waitMs / 1_000} s`);
			await sleep(RETRY_MS);
		}
	}
}

function firstOf({ list }: TraceShards): Shard {
	return present(list[0], "a shard");
}

async function alone(cluster: Cluster, work: () => Promise<void>): Promise<void> {
	const deadline = performance.now() + TABLES_WITHIN_MS;
	while (!(await cluster.withLease("tables in ClickHouse", work))) {
		if (performance.now() >= deadline)
			throw new Error("another server has been making the tables in ClickHouse for too long: its log says why");
		await sleep(RETRY_MS);
	}
}
