import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { type FailureKind, failureOf } from "#storage/clickhouse/failures.ts";
import type { InsertOptions, StatementOptions } from "#storage/clickhouse/node.ts";
import { toOpenError } from "#storage/clickhouse/open-errors.ts";
import type { Columns, RowOf } from "#storage/clickhouse/row-binary.ts";
import { Shard, shardUrls } from "#storage/clickhouse/shard.ts";

/** Pages are bounded by their rows; counting all rows takes as long as it takes. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** The shards that the settings name. */
export function openCopyShards(settings: ClickHouseSettings): CopyShard[] {
	return shardUrls(settings).map((urls) => new CopyShard(urls, settings));
}

/** A shard whose failures say which ClickHouse it was, as a copy may know two, and what to change. */
export class CopyShard extends Shard {
	readonly #settings: ClickHouseSettings;

	constructor(urls: readonly URL[], settings: ClickHouseSettings) {
		super(urls, { ...settings, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
		this.#settings = settings;
	}

	/** @throws ClickHouseOpenError */
	override select<Of extends Columns>(
		statement: string,
		columns: Of,
		options?: StatementOptions,
	): Promise<RowOf<Of>[]> {
		return this.#explain(() => super.select(statement, columns, options));
	}

	/** @throws ClickHouseOpenError */
	override execute(statement: string, options?: StatementOptions): Promise<void> {
		return this.#explain(() => super.execute(statement, options));
	}

	/** @throws ClickHouseOpenError */
	override insert(table: string, columns: Columns, rows: Buffer, options: InsertOptions): Promise<void> {
		return this.#explain(() => super.insert(table, columns, rows, options));
	}

	async #explain<Result>(work: () => Promise<Result>): Promise<Result> {
		try {
			return await work();
		} catch (error) {
			throw toOpenError(error, this.#settings);
		}
	}
}

/** Whether a statement of a {@link CopyShard} failed in this way. */
export function hasFailed(error: unknown, kind: FailureKind): boolean {
	return failureOf(error)?.kind === kind;
}
