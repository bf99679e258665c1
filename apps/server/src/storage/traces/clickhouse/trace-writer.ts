import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { packLogRecord } from "../content/log-record.ts";
import { groupByTrace } from "../content/pack-batch.ts";
import {
	ANY_PROJECT,
	type NormalizedLogRecord,
	type NormalizedSpan,
	type ProjectsOfWrite,
	type ReadTexts,
	ShardUnavailable,
	type TraceWriter,
	type WriteResult,
} from "../span-batch.ts";
import { openWriterMetadata } from "./metadata/open-writer.ts";
import { annotatedSessions } from "./metadata/references.ts";
import type { MetadataWriterOptions, WriterMetadata } from "./metadata/trace-metadata.ts";
import type { Turns } from "./metadata/turns.ts";
import { type ShardCount, ShardHistory } from "./shards/shard-history.ts";
import { TraceShards } from "./shards/trace-shards.ts";
import { openTraceShards } from "./trace-shard.ts";
import { InsertPace } from "./write/insert-pace.ts";
import { NamedProjects } from "./write/name-projects.ts";
import { writeBatch } from "./write/write-batch.ts";

/** What a thread needs to open a writer; can be posted to a worker. */
export interface ClickHouseWriterOptions {
	readonly kind: "clickhouse";
	readonly clickhouse: ClickHouseSettings;
	readonly metadata: MetadataWriterOptions;
	/** See `ShardHistory`; as many from the first as the settings list when absent. */
	readonly shardCounts?: readonly ShardCount[];
}

/** Opens a writer with its own connections. */
export async function openClickHouseTraceWriter(
	{ clickhouse, metadata, shardCounts }: ClickHouseWriterOptions,
	readTexts: ReadTexts,
): Promise<ClickHouseTraceWriter> {
	const opened = await openWriterMetadata(metadata);
	const shards = new TraceShards(openTraceShards(clickhouse), shardCounts && new ShardHistory(shardCounts));
	return new ClickHouseTraceWriter({ shards, metadata: opened, readTexts, pace: new InsertPace(shards, clickhouse) });
}

interface WriterParts {
	/** Of this writer alone, as the metadata. */
	readonly shards: TraceShards;
	readonly metadata: WriterMetadata;
	readonly readTexts: ReadTexts;
	readonly pace: InsertPace;
}

interface ToWrite {
	readonly spans: readonly NormalizedSpan[];
	readonly logs: readonly NormalizedLogRecord[];
	readonly projects: ProjectsOfWrite;
}

/**
 * Writes one batch after the other. After a failure it is not known what of the batch is stored; sending it again
 * completes it.
 */
export class ClickHouseTraceWriter implements TraceWriter {
	readonly pace: InsertPace;
	readonly #parts: WriterParts;
	readonly #namedProjects = new NamedProjects();

	constructor(parts: WriterParts) {
		this.#parts = parts;
		this.pace = parts.pace;
	}

	write(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects = ANY_PROJECT,
	): Promise<WriteResult> {
		return this.pace.watch(() => this.#write(this.#parts.metadata.turns, { spans, logs, projects }));
	}

	writeBeside(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects = ANY_PROJECT,
	): Promise<WriteResult> {
		return this.pace.watch(() => this.#write(this.#parts.metadata.turnsBeside, { spans, logs, projects }));
	}

	async #write(turns: Turns, { spans, logs, projects }: ToWrite): Promise<WriteResult> {
		const { traces, duplicates } = groupByTrace(spans);
		const packedLogs = logs.map(packLogRecord);
		const { shards, metadata, readTexts } = this.#parts;
		const sessions = new Set(spans.flatMap(({ facts }) => facts.session_id ?? []));
		const traceIds = new Set([...traces, ...packedLogs].map(({ traceId }) => traceId));
		await shards.expectThere(traceIds, sessions);
		const wanted = {
			projects: [...new Set([...traces, ...logs].map(({ projectName }) => projectName))],
			allowed: projects,
			keys: [...traceIds, ...[...sessions].map((sessionId) => `session ${sessionId}`)],
			spans: spans.length,
			// A trace may need a number for its session as well.
			traces: 2 * traces.length,
		};
		try {
			return await turns.take(wanted, (turn) => {
				if (turn.shards !== undefined) shards.expect(turn.shards);
				return writeBatch(shards, turn, {
					...{ traces, duplicates, logs: packedLogs, readTexts },
					annotatedSessions: (rowIds) => annotatedSessions(metadata.db.read, rowIds),
					markTraces: (marked) => metadata.markTraces(marked),
					takesLogsOfNoProject: projects.isUnlimited === true,
					namedProjects: this.#namedProjects,
				});
			});
		} catch (error) {
			if (error instanceof ShardUnavailable) shards.suspect(error.shard);
			throw error;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { metadata, shards, pace } = this.#parts;
		await pace[Symbol.asyncDispose]();
		await metadata[Symbol.asyncDispose]();
		await shards[Symbol.asyncDispose]();
	}
}
