import { setTimeout as sleep } from "node:timers/promises";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { OpenBatches } from "../integrity/open-batches.ts";
import type { TraceMetadata } from "../metadata/trace-metadata.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { countUnsigned, noteProgress, readProgress } from "./progress.ts";
import { countVersions, signContents } from "./sign-contents.ts";

/** Runs of fewer contents have larger signatures, a content; so many are searched without the index in the meantime. */
const LEAST = 4_096;
/** Contents that are signed at a time, about. */
const AT_ONCE = 8_192;
const FIRST_WIDTH = 64;
const WIDER = 4;
/** It rests as long as it works. */
const LEAST_REST_MS = 20;
const NOTHING = { projects: [], keys: [], spans: 0, traces: 0 };

interface Sources {
	readonly shards: TraceShards;
	/** The metadata tables. */
	readonly db: Pick<Database, "read">;
	readonly metadata: Pick<TraceMetadata, "openTurns">;
}

/**
 * Fills the text index behind the commit, in the order in which contents were written. Contents are in it up to a version
 * below which nobody writes any more; searches read the others as they are. One process at a time does it.
 */
export class TextIndex {
	readonly #sources: Sources;
	/** How many versions have about as many contents as are signed at a time. */
	readonly #widths = new Map<Shard, number>();
	/** How many waited at the last look. */
	#waiting: number | undefined;

	constructor(sources: Sources) {
		this.#sources = sources;
	}

	/**
	 * Signs what waits, if it is enough or no more comes.
	 * @param stopped ends it early
	 * @throws StorageUnavailable
	 */
	async run(stopped: AbortSignal): Promise<void> {
		const counts = await countUnsigned(this.#sources.shards);
		const waiting = counts.reduce((sum, count) => sum + count, 0);
		const isGrowing = this.#waiting !== undefined && waiting !== this.#waiting;
		this.#waiting = waiting;
		if (waiting > 0 && (waiting >= LEAST || !isGrowing)) await this.fill(stopped);
	}

	/** Signs everything that was written before, unless somebody is still writing it. @throws StorageUnavailable */
	async fill(stopped: AbortSignal): Promise<void> {
		const settled = await this.#settledVersion();
		if (settled === undefined) return;
		for (const [number, shard] of this.#sources.shards.list.entries()) {
			let after = await readProgress(shard, number);
			while (after < settled && !stopped.aborted) {
				const start = performance.now();
				const until = await this.#next(shard, after, settled);
				await signContents(shard, { after, until });
				await noteProgress(shard, number, until);
				after = until;
				if (after < settled)
					await sleep(Math.max(LEAST_REST_MS, performance.now() - start), undefined, { signal: stopped }).catch(
						() => undefined,
					);
			}
		}
	}

	/**
	 * Whoever got a lower version has written what he writes.
	 * @returns undefined while somebody takes very long, or a process has left something behind that is not repaired yet
	 */
	async #settledVersion(): Promise<number | undefined> {
		const { db, metadata } = this.#sources;
		await using turns = metadata.openTurns();
		const version = await turns.take(NOTHING, async (turn) => turn.version);
		const open = new OpenBatches(db.read);
		if ((await open.listLeftBehind()).length > 0) return undefined;
		return (await open.settle()) ? version : undefined;
	}

	/** Up to which version there are about as many contents as are signed at a time. */
	async #next(shard: Shard, after: number, settled: number): Promise<number> {
		let width = this.#widths.get(shard) ?? FIRST_WIDTH;
		for (;;) {
			const until = Math.min(settled, after + width);
			const count = await countVersions(shard, { after, until });
			if (count > AT_ONCE && until - after > 1) {
				width = Math.ceil((until - after) / WIDER);
				continue;
			}
			this.#widths.set(shard, count < AT_ONCE / WIDER ? width * WIDER : width);
			return until;
		}
	}
}
