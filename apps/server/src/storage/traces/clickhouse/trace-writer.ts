import type { Kysely } from "kysely";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import { packLogRecord } from "../content/log-record.ts";
import { groupByTrace } from "../content/pack-batch.ts";
import type { NormalizedLogRecord, NormalizedSpan, ReadTexts, TraceWriter, WriteResult } from "../span-batch.ts";
import { annotatedSessions } from "./metadata.ts";
import { asStorageError } from "./storage-errors.ts";
import type { Turns } from "./write/turns.ts";
import { writeBatch } from "./write/write-batch.ts";

export interface ClickHouseWriterOptions {
	readonly shard: Shard;
	readonly turns: Turns;
	readonly readTexts: ReadTexts;
	/** The metadata tables. */
	readonly db: Kysely<Tables>;
}

/**
 * Writes one batch after the other. After a failure it is not known what of the batch is stored; sending it again
 * completes it.
 */
export class ClickHouseTraceWriter implements TraceWriter {
	readonly #options: ClickHouseWriterOptions;
	readonly #namedProjects = new Set<number>();

	constructor(options: ClickHouseWriterOptions) {
		this.#options = options;
	}

	async write(spans: readonly NormalizedSpan[], logs: readonly NormalizedLogRecord[]): Promise<WriteResult> {
		const { traces, duplicates } = groupByTrace(spans);
		const packedLogs = logs.map(packLogRecord);
		const { shard, turns, readTexts, db } = this.#options;
		const sessions = spans.flatMap(({ facts }) =>
			facts.session_id === undefined ? [] : [`session ${facts.session_id}`],
		);
		const wanted = {
			projects: [...new Set(traces.map(({ projectName }) => projectName))],
			keys: [...new Set([...traces, ...packedLogs].map(({ traceId }) => traceId)), ...new Set(sessions)],
			spans: spans.length,
			// A trace may need a number for its session as well.
			traces: 2 * traces.length,
		};
		return await asStorageError(
			turns.take(wanted, (turn) =>
				writeBatch(shard, turn, {
					...{ traces, duplicates, logs: packedLogs, readTexts },
					annotatedSessions: (rowIds) => annotatedSessions(db, rowIds),
					namedProjects: this.#namedProjects,
				}),
			),
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#options.turns[Symbol.asyncDispose]();
	}
}
