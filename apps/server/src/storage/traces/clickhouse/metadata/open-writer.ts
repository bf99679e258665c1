import type { MetadataWriterOptions, WriterMetadata } from "./trace-metadata.ts";

/** Opens the metadata database for a writer, in whatever thread. Each database is loaded only where it is used. */
export async function openWriterMetadata(options: MetadataWriterOptions): Promise<WriterMetadata> {
	if (options.kind === "sqlite") {
		const { openSqliteWriterMetadata } = await import("./sqlite-metadata.ts");
		return openSqliteWriterMetadata(options);
	}
	const { openPostgresWriterMetadata } = await import("./postgres-metadata.ts");
	return openPostgresWriterMetadata(options);
}
