import type { ClickHouseWriterOptions } from "./clickhouse/trace-writer.ts";
import type { PostgresWriterOptions } from "./postgres/trace-writer.ts";
import type { ReadTexts, TraceWriter } from "./span-batch.ts";
import { openSqliteTraceWriter, type SqliteWriterOptions } from "./sqlite/trace-writer.ts";

/** What a thread needs to open a writer; can be posted to a worker. */
export type TraceWriterOptions = SqliteWriterOptions | PostgresWriterOptions | ClickHouseWriterOptions;

/**
 * Opens a writer with its own connection. On SQLite it blocks its thread while writing or waiting, so use it in a
 * worker.
 */
export async function openTraceWriter(options: TraceWriterOptions, readTexts: ReadTexts): Promise<TraceWriter> {
	if (options.kind === "sqlite") return openSqliteTraceWriter(options, readTexts);
	if (options.kind === "clickhouse") {
		const { openClickHouseTraceWriter } = await import("./clickhouse/trace-writer.ts");
		return await openClickHouseTraceWriter(options, readTexts);
	}
	const { openPostgresTraceWriter } = await import("./postgres/trace-writer.ts");
	return openPostgresTraceWriter(options, readTexts);
}
