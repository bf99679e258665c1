import type { Config } from "#base/config.ts";
import { storageOverLimit } from "#ingest/answers.ts";
import type { Ingest } from "#ingest/ingest.ts";

const GIBIBYTE = 1_073_741_824;

export interface StorageUsage {
	/** What the database holds; pages that are free again do not count. */
	readonly usedBytes: number;
	/** Null where none is set. */
	readonly capacityBytes: number | null;
	readonly usedPercentage: number | null;
	/** `unlimited` without a capacity. */
	readonly state: "unlimited" | "ok" | "warning" | "blocked";
	/** Microseconds since 1970. */
	readonly measuredAt: number;
}

interface CapacityOptions {
	readonly config: Config;
	/** What the database holds now. */
	readonly usedBytes: () => Promise<number>;
	readonly ingest: Ingest;
	/** Microseconds since 1970. */
	readonly now: () => number;
}

/** How full the database is, as it was measured last; while that is too much, receiving is refused. */
export class StorageCapacity {
	readonly #options: CapacityOptions;
	#usage: StorageUsage | undefined;

	constructor(options: CapacityOptions) {
		this.#options = options;
	}

	/** The settings say how large the database may become. */
	get isLimited(): boolean {
		return capacitySettings(this.#options.config).capacity !== null;
	}

	/** Nothing new may be stored. */
	get isBlocked(): boolean {
		return this.#usage?.state === "blocked";
	}

	async measure(): Promise<StorageUsage> {
		this.#usage = this.#assess(await this.#options.usedBytes());
		this.#options.ingest.refuseWith(this.isBlocked ? storageOverLimit() : undefined);
		return this.#usage;
	}

	#assess(usedBytes: number): StorageUsage {
		const { capacity, warning, blocking } = capacitySettings(this.#options.config);
		const measured = { usedBytes, measuredAt: this.#options.now() };
		if (capacity === null) return { ...measured, capacityBytes: null, usedPercentage: null, state: "unlimited" };
		const capacityBytes = Math.floor(capacity * GIBIBYTE);
		const usedPercentage = (100 * usedBytes) / (capacity * GIBIBYTE);
		const isAbove = (threshold: number | null) => threshold !== null && usedPercentage > threshold;
		const state = isAbove(blocking) ? "blocked" : isAbove(warning) ? "warning" : "ok";
		return { ...measured, capacityBytes, usedPercentage, state };
	}
}

export function capacitySettings(config: Config) {
	return {
		/** GiB */
		capacity: config.SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES,
		warning: config.SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE,
		blocking: config.SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE,
	};
}
