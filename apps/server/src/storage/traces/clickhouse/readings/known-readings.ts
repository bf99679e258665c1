import { READING } from "@spanward/semconv";
import { readersGone } from "#base/readers-gone.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { readFact } from "../facts.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { FIRST_READING } from "../tables.ts";

const LOOK_EVERY_MS = 60_000;

/** The lowest reading that a row of the shard may have, as was noted. */
export async function lowestNoted(shard: Shard): Promise<number> {
	return Number((await readFact(shard, "reading")) ?? FIRST_READING);
}

/** Knows whether rows of a former reading may be there, so that nobody has to ask for them where there are none. */
export class KnownReadings implements AsyncDisposable {
	readonly #shards: TraceShards;
	#hasOlder = true;
	#looking: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(shards: TraceShards) {
		this.#shards = shards;
	}

	/** As of the last look; true before the first one. */
	get hasOlder(): boolean {
		return this.#hasOlder;
	}

	/** Where a shard is away, what was known stays. */
	look(): Promise<void> {
		this.#looking ??= readersGone
			.exit(() => this.#look())
			.finally(() => {
				this.#looking = undefined;
			});
		return this.#looking;
	}

	/** Looks now and from time to time, as other servers make rows anew. */
	async watch(): Promise<void> {
		await this.look();
		this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
	}

	async #look(): Promise<void> {
		try {
			const lowest = await Promise.all(this.#shards.list.map(lowestNoted));
			this.#hasOlder = lowest.some((reading) => reading < READING);
		} catch (error) {
			if (!(error instanceof StorageUnavailable)) throw error;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		await this.#looking;
	}
}
