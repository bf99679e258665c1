import type { Config } from "#base/config.ts";
import { storageOverLimit } from "#ingest/answers.ts";
import type { Ingest } from "#ingest/ingest.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";

const GIBIBYTE = 1_073_741_824;

export interface StorageUsage {
	/** Size of the database without its free pages. */
	readonly usedBytes: number;
	/** Null without a limit. */
	readonly capacityBytes: number | null;
	readonly usedPercentage: number | null;
	/** `unlimited` without a limit. */
	readonly state: "unlimited" | "ok" | "warning" | "blocked";
	/** Microseconds since 1970. */
	readonly measuredAt: number;
}

interface CapacityOptions {
	readonly config: Config;
	/** Current size of the database. */
	readonly usedBytes: () => Promise<number>;
	readonly ingest: Ingest;
	/** Microseconds since 1970. */
	readonly now: () => number;
}

/** The last measured size of the database, and whether it exceeds the limit, so that writes are refused. */
export class StorageCapacity {
	readonly #options: CapacityOptions;
	#usage: StorageUsage | undefined;

	constructor(options: CapacityOptions) {
		this.#options = options;
	}

	/** Whether the settings limit the size of the database. */
	get isLimited(): boolean {
		return capacitySettings(this.#options.config).capacity !== null;
	}

	/** Whether new data is refused. */
	get isBlocked(): boolean {
		return this.#usage?.state === "blocked";
	}

	/** As it is now, or as it was measured last where it cannot be asked. @throws StorageUnavailable */
	async latest(): Promise<StorageUsage> {
		try {
			return await this.measure();
		} catch (error) {
			if (!(error instanceof StorageUnavailable) || this.#usage === undefined) throw error;
			return this.#usage;
		}
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
