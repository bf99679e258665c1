import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Upkeep } from "../storage.ts";
import { makePartitions } from "../traces/postgres/partitions.ts";
import { BlockTextFiller } from "../traces/postgres/text/fill-block-text.ts";
import type { PostgresTraceStore } from "../traces/postgres/trace-store.ts";
import { withConnection } from "./pool-connection.ts";

const HOUR_MS = 3_600_000;
const PURGE_EVERY_MS = 600_000;
/** How soon another process takes over when the one that fills the text index ends. */
const INDEX_EVERY_MS = 5_000;
/** A pause between two steps, for exports. */
const REST_MS = 20;
/**
 * While spans arrive at any server, indexing takes at most this share of the time: an index entry costs the database
 * half as much as the span itself. The backlog is indexed afterwards.
 */
const SHARE_BESIDE_RECEIVING = 0.1;
const RECEIVING_MS = 2_000;
const NOTHING_WAITS_MS = 1_000;

/** Background work that a PostgreSQL database needs, done by one process at a time. */
export function upkeepOf(pool: pg.Pool, traces: PostgresTraceStore, settings: PostgresSettings): readonly Upkeep[] {
	const partitions = {
		name: "partitions",
		everyMs: 6 * HOUR_MS,
		run: () => withConnection(pool, (client) => makePartitions(client, Date.now() * 1_000)),
	};
	const purge = { name: "deleted traces", everyMs: PURGE_EVERY_MS, run: () => traces.purge() };
	const logs = {
		name: "log records without spans",
		everyMs: HOUR_MS,
		run: (stopped: AbortSignal) => traces.deleteUnclaimedLogs(stopped),
	};
	const filler = new BlockTextFiller(pool);
	const index = {
		name: "text index",
		everyMs: INDEX_EVERY_MS,
		run: (stopped: AbortSignal) => fillTextIndex(filler, traces, stopped),
	};
	return settings.textIndex ? [partitions, purge, logs, index] : [partitions, purge, logs];
}

async function fillTextIndex(filler: BlockTextFiller, traces: PostgresTraceStore, stopped: AbortSignal): Promise<void> {
	let lastChange = Number.NEGATIVE_INFINITY;
	const unsubscribe = traces.onChange(() => {
		lastChange = performance.now();
	});
	try {
		while (!stopped.aborted) {
			const start = performance.now();
			const mayBeMore = await filler.step();
			const end = performance.now();
			const isReceiving = end - lastChange < RECEIVING_MS;
			const restMs = isReceiving ? Math.max(REST_MS, (end - start) * (1 / SHARE_BESIDE_RECEIVING - 1)) : REST_MS;
			await sleep(mayBeMore ? restMs : NOTHING_WAITS_MS, undefined, { signal: stopped, ref: false }).catch(
				() => undefined,
			);
		}
	} finally {
		unsubscribe();
	}
}
