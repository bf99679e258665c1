import { ClickHouseFailure, failureOf } from "#storage/clickhouse/failures.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { type NormalizedSpan, StorageUnavailable, type WritePace } from "#storage/traces/span-batch.ts";
import { dayOf, partitionOf } from "../tables.ts";
import { strainOfParts } from "./strain-of-parts.ts";

export interface InsertPaceOptions {
	readonly insertIntervalMs: number;
	readonly insertRows: number;
}

/** However slow merges are: senders wait for 10 s. */
const LONGEST_INTERVAL_MS = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 1_000;

/**
 * The pace of inserts: many small ones make more parts than ClickHouse can merge, until it refuses inserts. Where merges
 * do not keep up the interval doubles, and halves again when they do.
 */
export class InsertPace implements WritePace, AsyncDisposable {
	readonly rows: number;
	readonly bytes = MOST_BYTES;
	/** Each makes a part in three tables. */
	readonly farPartitions = 10;
	readonly farPartitionsPerSecond = 50;
	readonly #shards: ShardReader;
	readonly #shortestMs: number;
	readonly #closed = new AbortController();
	#intervalMs: number;
	#wasRefused = false;
	#lookedAt = Number.NEGATIVE_INFINITY;
	#looking: Promise<void> | undefined;

	constructor(shards: ShardReader, { insertIntervalMs, insertRows }: InsertPaceOptions) {
		this.#shards = shards;
		this.#shortestMs = insertIntervalMs;
		this.#intervalMs = insertIntervalMs;
		this.rows = insertRows;
	}

	get intervalMs(): number {
		return this.#intervalMs;
	}

	/** Spans of these days start yesterday, today or tomorrow. */
	farPartitionOf({ start }: NormalizedSpan): number | undefined {
		const days = dayOf(start.micros) - dayOf(Date.now() * 1_000);
		return Math.abs(days) <= 1 ? undefined : partitionOf(start.micros);
	}

	/** Learns how a write ends, and looks after the parts that it has made; nothing waits for that. */
	async watch<Result>(write: () => Promise<Result>): Promise<Result> {
		try {
			return await write();
		} catch (error) {
			if (isOverloaded(error)) this.#slowDown();
			throw error;
		} finally {
			this.#lookAfterwards();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed.abort();
		await this.#looking;
	}

	#slowDown(): void {
		this.#wasRefused = true;
		this.#intervalMs = slower(this.#intervalMs);
	}

	#lookAfterwards(): void {
		if (this.#looking !== undefined || performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
		this.#looking = this.#look();
	}

	async #look(): Promise<void> {
		const strain = await this.#findStrain();
		this.#intervalMs = nextInterval(this.#intervalMs, {
			...{ shortestMs: this.#shortestMs, strain, wasRefused: this.#wasRefused },
		});
		this.#wasRefused = false;
		this.#lookedAt = performance.now();
		this.#looking = undefined;
	}

	/** Undefined when ClickHouse does not tell, or does not allow that it is asked: no write depends on it. */
	async #findStrain(): Promise<number | undefined> {
		const { signal } = this.#closed;
		try {
			return await strainOfParts(this.#shards, signal);
		} catch (error) {
			if (error instanceof ClickHouseFailure || error instanceof StorageUnavailable || signal.aborted) return undefined;
			throw error;
		}
	}
}

interface Observed {
	readonly shortestMs: number;
	/** See `strainOfParts`; undefined when it is not known. */
	readonly strain: number | undefined;
	/** Whether an insert was refused since the last look, which has made the interval longer already. */
	readonly wasRefused: boolean;
}

/** The interval after a look. */
export function nextInterval(intervalMs: number, { shortestMs, strain, wasRefused }: Observed): number {
	if (strain === undefined || wasRefused) return intervalMs;
	return strain > 1 ? slower(intervalMs) : Math.max(shortestMs, intervalMs / 2);
}

function slower(intervalMs: number): number {
	return Math.max(intervalMs, Math.min(LONGEST_INTERVAL_MS, 2 * intervalMs));
}

/** Whether a write failed for too many parts, or too many statements. */
function isOverloaded(error: unknown): boolean {
	return failureOf(error)?.kind === "overloaded";
}
