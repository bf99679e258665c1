import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { ClickHouseAccess, InsertOptions, StatementOptions } from "#storage/clickhouse/node.ts";
import { Reachability } from "#storage/clickhouse/reachability.ts";
import { type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import { Shard, type ShardReader, shardUrls } from "#storage/clickhouse/shard.ts";
import { ShardUnavailable, StorageUnavailable } from "../span-batch.ts";
import { toStorageError } from "./storage-errors.ts";

/** The shards that the settings name. */
export function openTraceShards(settings: ClickHouseSettings, tell?: (sentence: string) => void): TraceShard[] {
	const shards = shardUrls(settings);
	return shards.map((urls, index) => new TraceShard(urls, settings, tell, shards.length > 1 ? index + 1 : undefined));
}

/**
 * A shard as all that stores, reads and keeps traces uses it: what fails for a reason of ClickHouse's is
 * `StorageUnavailable`, with the `ClickHouseFailure` as its cause. A statement that ClickHouse refuses for what it says
 * stays a `ClickHouseFailure`.
 */
export class TraceShard extends Shard {
	readonly #reachability: Reachability | undefined;
	readonly #number: number | undefined;

	/**
	 * @param urls of the replicas, in the order of preference; at least one
	 * @param tell has the shard asked every second whether it is there, so that nothing waits for it while it is not; gets
	 * a sentence when it is away, is back, or refuses this server. Absent in workers, to which nothing is sent meanwhile
	 * @param number where there are others, which may answer while this one does not
	 */
	constructor(urls: readonly URL[], access: ClickHouseAccess, tell?: (sentence: string) => void, number?: number) {
		super(urls, access);
		this.#number = number;
		if (tell === undefined) return;
		this.#reachability = new Reachability({
			name: this.name,
			answers: (signal) => this.answers(signal),
			logIn: async (signal) => {
				// A table of past statements need not have it.
				await super.select(
					"select 1 as one",
					{ one: types.UInt8 },
					{ signal, isProbe: true, settings: { log_queries: 0 } },
				);
			},
			tell,
		});
	}

	/** As last seen; true where nobody asks. */
	override get isReachable(): boolean {
		return this.#reachability?.isReachable ?? true;
	}

	override onReachable(listener: (isReachable: boolean) => void): () => void {
		return this.#reachability?.onChange(listener) ?? (() => undefined);
	}

	/** For what people look at: see `Shard.read`. */
	get reader(): ShardReader {
		return { select: (statement, columns, options) => this.read(statement, columns, options) };
	}

	/** @throws StorageUnavailable */
	override read<Of extends Columns>(statement: string, columns: Of, options?: StatementOptions): Promise<RowOf<Of>[]> {
		return this.#guard(() => super.read(statement, columns, options));
	}

	/** @throws StorageUnavailable */
	override select<Of extends Columns>(
		statement: string,
		columns: Of,
		options?: StatementOptions,
	): Promise<RowOf<Of>[]> {
		return this.#guard(() => super.select(statement, columns, options));
	}

	/** @throws StorageUnavailable */
	override execute(statement: string, options?: StatementOptions): Promise<void> {
		return this.#guard(() => super.execute(statement, options));
	}

	/** @throws StorageUnavailable; the rows may be stored, or be stored later, where the cause has `mayBeDone` */
	override insert(table: string, columns: Columns, rows: Buffer, options: InsertOptions): Promise<void> {
		return this.#guard(() => super.insert(table, columns, rows, options));
	}

	override async [Symbol.asyncDispose](): Promise<void> {
		await this.#reachability?.[Symbol.asyncDispose]();
		await super[Symbol.asyncDispose]();
	}

	async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
		if (this.#reachability?.isReachable === false)
			throw this.#unavailable(
				new StorageUnavailable("traces_unreachable", new Error(`there is no answer from ${this.name}`)),
			);
		try {
			return await work();
		} catch (error) {
			this.#reachability?.noteFailure(error);
			throw this.#unavailable(toStorageError(error));
		}
	}

	/** Where there are other shards, only a part of the traces is away. */
	#unavailable(error: unknown): unknown {
		const isAway = error instanceof StorageUnavailable && error.reason === "traces_unreachable";
		return isAway && this.#number !== undefined ? new ShardUnavailable(this.#number, error.cause) : error;
	}
}
