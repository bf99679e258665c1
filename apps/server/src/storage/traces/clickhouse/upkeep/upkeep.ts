import type { Database } from "#storage/database.ts";
import type { Upkeep } from "#storage/storage.ts";
import type { TraceMetadata } from "../metadata/trace-metadata.ts";
import { forgetUnclaimedLogs } from "../mutate/forget-logs.ts";
import type { KnownReadings } from "../readings/known-readings.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { forgetSignatures } from "../text/forget-signatures.ts";
import { TextIndex } from "../text/text-index.ts";
import { cleanUp } from "./clean-up.ts";
import { foldHours } from "./fold-hours.ts";
import { Reconciler } from "./reconcile/reconciler.ts";
import { noteUncleanStop } from "./reconcile/reconciler-state.ts";
import { renewReadings } from "./renew-readings.ts";
import { repairBatches } from "./repair.ts";

/** Charts are right and lists complete within a minute after a process has died. */
const REPAIR_EVERY_MS = 10_000;
const FOLD_EVERY_MS = 60_000;
const RENEW_EVERY_MS = 60_000;
/** How often to ask whether it is due. */
const RECONCILE_EVERY_MS = 60_000;
const INDEX_EVERY_MS = 10_000;
/** Deleted data leave the disk within a day. */
const CLEAN_UP_EVERY_MS = 6 * 3_600_000;

interface Kept {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly metadata: TraceMetadata;
	/** Whether the text index is filled. */
	readonly textIndex: boolean;
	readonly readings: KnownReadings;
	/** Gets a sentence about the first repair of each kind. */
	readonly tell: (sentence: string) => void;
}

/** Background work that traces in ClickHouse need, done by one process at a time. */
export function upkeepOf({ shards, db, metadata, textIndex, readings, tell }: Kept): readonly Upkeep[] {
	const reconciler = new Reconciler({ shards, db, metadata, tell });
	const index = new TextIndex({ shards, db, metadata });
	const indexing = {
		name: "text index in ClickHouse",
		everyMs: INDEX_EVERY_MS,
		async run(stopped: AbortSignal) {
			if (shards.away.length === 0) await index.run(stopped);
		},
	};
	return [
		...(textIndex ? [indexing] : []),
		{
			name: "batches left behind in ClickHouse",
			everyMs: REPAIR_EVERY_MS,
			async run() {
				// Others would wait for a turn alone that can repair nothing.
				if (shards.away.length > 0) return;
				await using turns = metadata.openTurns();
				const { batches } = await repairBatches({ shards, db, turns });
				if (batches > 0) await noteUncleanStop(db);
			},
		},
		{
			name: "older readings in ClickHouse",
			everyMs: RENEW_EVERY_MS,
			async run(stopped) {
				if (shards.away.length > 0) return;
				await using turns = metadata.openTurns();
				await renewReadings({ shards, db, turns, tell }, stopped);
				await readings.look();
			},
		},
		{
			name: "hours in ClickHouse",
			everyMs: FOLD_EVERY_MS,
			async run(stopped) {
				await using turns = metadata.openTurns();
				while (!stopped.aborted && (await foldHours(shards, turns)) > 0);
			},
		},
		{
			name: "log records without spans in ClickHouse",
			everyMs: CLEAN_UP_EVERY_MS,
			async run(stopped) {
				await using turns = metadata.openTurns();
				await forgetUnclaimedLogs(shards, turns, Date.now() * 1_000, stopped);
			},
		},
		{
			name: "damage in ClickHouse",
			everyMs: RECONCILE_EVERY_MS,
			async run(stopped) {
				if (shards.away.length === 0) await reconciler.runIfDue(stopped);
			},
		},
		{
			name: "deleted rows in ClickHouse",
			everyMs: CLEAN_UP_EVERY_MS,
			async run(stopped) {
				await using turns = metadata.openTurns();
				await cleanUp({ shards, db, turns }, stopped);
				await forgetSignatures(shards);
			},
		},
	];
}
