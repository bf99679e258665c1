import type { PostgresSettings } from "../../postgres/postgres-settings.ts";
import type { NormalizedLogRecord, NormalizedSpan, ReadTexts, TraceWriter, WriteResult } from "../span-batch.ts";

export interface PostgresWriterOptions {
	readonly kind: "postgres";
	readonly settings: PostgresSettings;
}

export function openPostgresTraceWriter(options: PostgresWriterOptions, readTexts: ReadTexts): PostgresTraceWriter {
	return new PostgresTraceWriter(options.settings, readTexts);
}

export class PostgresTraceWriter implements TraceWriter {
	constructor(_settings: PostgresSettings, _readTexts: ReadTexts) {}

	async write(_spans: readonly NormalizedSpan[], _logs: readonly NormalizedLogRecord[]): Promise<WriteResult> {
		throw new Error("not yet");
	}

	async [Symbol.asyncDispose](): Promise<void> {}
}
