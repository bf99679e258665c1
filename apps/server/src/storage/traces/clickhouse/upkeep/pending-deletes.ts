import { setTimeout as sleep } from "node:timers/promises";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { TABLES } from "../tables.ts";

/**
 * What rows that are deleted, or that a deletion took the place of, still take on the disk: of each partition the part
 * that its deleted rows are of its others. Once a merge has dropped the rows that they took the place of, it is less.
 * @throws StorageUnavailable; ClickHouseFailure where `system.parts` may not be read
 */
export async function pendingBytes(shards: ShardReader): Promise<number> {
	let bytes = 0;
	for (const { name } of TABLES) {
		const rows = await shards.select(
			`select sum(size * least(1, deleted / greatest(1, rows - deleted))) as bytes
			from (
				select _partition_id as partition, countIf(is_deleted = 1) as deleted, count() as rows from ${name}
				group by partition having deleted > 0
			) as some
			join (
				select partition_id as partition, sum(bytes_on_disk) as size from system.parts
				where database = currentDatabase() and table = {table:String} and active group by partition
			) as parts using partition`,
			{ bytes: types.Float64 },
			{ params: { table: name }, settings: { final: 0 } },
		);
		bytes += rows.reduce((sum, row) => sum + row.bytes, 0);
	}
	return Math.round(bytes);
}

/** Who looks at it does not wait for it for longer. */
const PATIENCE_MS = 2_000;
const LEAST_REST_MS = 60_000;
/** It reads a column of all rows, so it is done for a hundredth of the time at most. */
const REST_SHARE = 100;

/** {@link pendingBytes} as it was measured last. */
export class PendingDeletes {
	readonly #shards: ShardReader;
	#bytes: number | null = null;
	#measuring: Promise<void> | undefined;
	#restUntil = 0;

	constructor(shards: ShardReader) {
		this.#shards = shards;
	}

	/** Bytes, without asking; null while they are not known. */
	get last(): number | null {
		return this.#bytes;
	}

	/** Bytes; null while they are not known. @throws ClickHouseFailure when the statement is wrong */
	async read(): Promise<number | null> {
		if (performance.now() >= this.#restUntil) this.#measuring ??= this.#measure();
		if (this.#measuring !== undefined)
			await Promise.race([this.#measuring, sleep(PATIENCE_MS, undefined, { ref: false })]);
		return this.#bytes;
	}

	async #measure(): Promise<void> {
		const start = performance.now();
		try {
			this.#bytes = await pendingBytes(this.#shards);
		} catch (error) {
			if (!(error instanceof StorageUnavailable)) throw error;
		} finally {
			const now = performance.now();
			this.#restUntil = now + Math.max(LEAST_REST_MS, (now - start) * REST_SHARE);
			this.#measuring = undefined;
		}
	}
}
