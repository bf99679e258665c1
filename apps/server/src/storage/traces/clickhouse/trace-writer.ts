import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { packLogRecord } from "../content/log-record.ts";
import { groupByTrace } from "../content/pack-batch.ts";
import type { NormalizedLogRecord, NormalizedSpan, ReadTexts, TraceWriter, WriteResult } from "../span-batch.ts";
import { openWriterMetadata } from "./metadata/open-writer.ts";
import { annotatedSessions } from "./metadata/references.ts";
import type { MetadataWriterOptions, WriterMetadata } from "./metadata/trace-metadata.ts";
import type { Turns } from "./metadata/turns.ts";
import { openTraceShard, type TraceShard } from "./trace-shard.ts";
import { InsertPace } from "./write/insert-pace.ts";
import { writeBatch } from "./write/write-batch.ts";

/** What a thread needs to open a writer; can be posted to a worker. */
export interface ClickHouseWriterOptions {
	readonly kind: "clickhouse";
	readonly clickhouse: ClickHouseSettings;
	readonly metadata: MetadataWriterOptions;
}

/** Opens a writer with its own connections. */
export async function openClickHouseTraceWriter(
	{ clickhouse, metadata }: ClickHouseWriterOptions,
	readTexts: ReadTexts,
): Promise<ClickHouseTraceWriter> {
	const opened = await openWriterMetadata(metadata);
	const shard = openTraceShard(clickhouse);
	return new ClickHouseTraceWriter({ shard, metadata: opened, readTexts, pace: new InsertPace(shard, clickhouse) });
}

interface WriterParts {
	/** Of this writer alone, as the metadata. */
	readonly shard: TraceShard;
	readonly metadata: WriterMetadata;
	readonly readTexts: ReadTexts;
	readonly pace: InsertPace;
}

/**
 * Writes one batch after the other. After a failure it is not known what of the batch is stored; sending it again
 * completes it.
 */
export class ClickHouseTraceWriter implements TraceWriter {
	readonly pace: InsertPace;
	readonly #parts: WriterParts;
	readonly #namedProjects = new Set<number>();

	constructor(parts: WriterParts) {
		this.#parts = parts;
		this.pace = parts.pace;
	}

	write(spans: readonly NormalizedSpan[], logs: readonly NormalizedLogRecord[]): Promise<WriteResult> {
		return this.pace.watch(() => this.#write(this.#parts.metadata.turns, spans, logs));
	}

	writeBeside(spans: readonly NormalizedSpan[], logs: readonly NormalizedLogRecord[]): Promise<WriteResult> {
		return this.pace.watch(() => this.#write(this.#parts.metadata.turnsBeside, spans, logs));
	}

	async #write(
		turns: Turns,
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
	): Promise<WriteResult> {
		const { traces, duplicates } = groupByTrace(spans);
		const packedLogs = logs.map(packLogRecord);
		const { shard, metadata, readTexts } = this.#parts;
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
		return await turns.take(wanted, (turn) =>
			writeBatch(shard, turn, {
				...{ traces, duplicates, logs: packedLogs, readTexts },
				annotatedSessions: (rowIds) => annotatedSessions(metadata.db.read, rowIds),
				namedProjects: this.#namedProjects,
			}),
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { metadata, shard, pace } = this.#parts;
		await pace[Symbol.asyncDispose]();
		await metadata[Symbol.asyncDispose]();
		await shard[Symbol.asyncDispose]();
	}
}
