import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Upkeep } from "../storage.ts";
import { divideNextMonth } from "../traces/postgres/divide-months.ts";
import { makePartitions } from "../traces/postgres/partitions.ts";
import { readDeployments } from "../traces/postgres/read-deployments.ts";
import { changeSpanKey } from "../traces/postgres/span-key.ts";
import { SignatureGrouper } from "../traces/postgres/text/group-signatures.ts";
import { BlockSigner } from "../traces/postgres/text/sign-blocks.ts";
import type { PostgresTraceStore } from "../traces/postgres/trace-store.ts";
import { withConnection } from "./pool-connection.ts";

const HOUR_MS = 3_600_000;
const PURGE_EVERY_MS = 600_000;
/** How soon another process takes over when the one that keeps the text index ends. */
const INDEX_EVERY_MS = 5_000;
/** A pause between two steps, for exports. */
const REST_MS = 20;
/** While spans arrive at any server, signing older blocks and checking groups take at most this share of the time. */
const SHARE_BESIDE_RECEIVING = 0.1;
const RECEIVING_MS = 2_000;
const NOTHING_WAITS_MS = 1_000;
/** How often to count the signatures that are in no group. */
const LOOK_EVERY_MS = 10_000;

/** Background work that a PostgreSQL database needs, done by one process at a time. */
export function upkeepOf(pool: pg.Pool, traces: PostgresTraceStore, settings: PostgresSettings): readonly Upkeep[] {
	const partitions = {
		name: "partitions",
		everyMs: 6 * HOUR_MS,
		run: () =>
			withConnection(pool, async (client) => {
				const now = Date.now() * 1_000;
				await makePartitions(client, now);
				await divideNextMonth(client, now);
				// The first days of a month that has just been divided.
				await makePartitions(client, now);
			}),
	};
	const purge = { name: "deleted traces", everyMs: PURGE_EVERY_MS, run: () => traces.purge() };
	const logs = {
		name: "log records without spans",
		everyMs: HOUR_MS,
		run: (stopped: AbortSignal) => traces.deleteUnclaimedLogs(stopped),
	};
	const key = { name: "key of spans", everyMs: HOUR_MS, run: (stopped: AbortSignal) => changeSpanKey(pool, stopped) };
	const deployments = {
		name: "releases of spans",
		everyMs: HOUR_MS,
		run: (stopped: AbortSignal) => readDeployments(pool, stopped),
	};
	const index = {
		name: "text index",
		everyMs: INDEX_EVERY_MS,
		run: (stopped: AbortSignal) => keepTextIndex(new BlockSigner(pool), new SignatureGrouper(pool), traces, stopped),
	};
	const always = [partitions, purge, logs, key, deployments];
	return settings.textIndex ? [...always, index] : always;
}

async function keepTextIndex(
	signer: BlockSigner,
	grouper: SignatureGrouper,
	traces: PostgresTraceStore,
	stopped: AbortSignal,
): Promise<void> {
	let lastChange = Number.NEGATIVE_INFINITY;
	const unsubscribe = traces.onChange(() => {
		lastChange = performance.now();
	});
	const rest = (ms: number) => sleep(ms, undefined, { signal: stopped, ref: false }).catch(() => undefined);
	let nextLookAt = 0;
	try {
		while (!stopped.aborted) {
			if (performance.now() >= nextLookAt && !(await grouper.makeNext()))
				nextLookAt = performance.now() + LOOK_EVERY_MS;
			const start = performance.now();
			const isChecking = await grouper.checkNext();
			const isSigning = await signer.step();
			const end = performance.now();
			const isReceiving = end - lastChange < RECEIVING_MS;
			const restMs = isReceiving ? Math.max(REST_MS, (end - start) * (1 / SHARE_BESIDE_RECEIVING - 1)) : REST_MS;
			await rest(isSigning || isChecking ? restMs : nextLookAt < end ? REST_MS : NOTHING_WAITS_MS);
		}
	} finally {
		unsubscribe();
	}
}
