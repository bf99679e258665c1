/**
 * The way of an export from the wire to the disk: receive (HTTP or gRPC) → queue → worker (inflate, decode, normalize,
 * group commit) → answer. The answer comes after the commit.
 */
export interface ExportRequest {
	readonly signal: "traces" | "logs";
	readonly format: "protobuf" | "json";
	readonly encoding: "identity" | "gzip" | "deflate" | "zstd";
	/** The body as it came; given away (its buffer is transferred). */
	readonly body: Uint8Array<ArrayBuffer>;
	/** `x-project-name`: overrides the resource attribute for the whole request. */
	readonly projectName?: string;
}

export interface ExportAnswer {
	/** HTTP status: 200, or 400 corrupt compression, 413 too large, 422 undecodable, 503 storage full or locked. */
	readonly status: number;
	/** gRPC code of the same answer. */
	readonly code: number;
	/** A sentence for the caller when status is not 200. */
	readonly message: string;
	readonly retryAfter?: number;
	readonly accepted: number;
	readonly rejected: number;
	/** Why the rejected ones were, for partial success. */
	readonly rejectedMessage: string;
}

export interface IngestHealth {
	readonly startedAtMicros: number;
	readonly acceptedSpans: number;
	readonly duplicateSpans: number;
	readonly acceptedLogRecords: number;
	readonly ignoredLogRecords: number;
	readonly rejectedSpans: Readonly<Record<string, number>>;
	readonly refusedRequests: Readonly<Record<string, number>>;
	readonly queuedRequests: number;
	readonly queuedBytes: number;
	readonly queueLimitBytes: number;
	/** Milliseconds, over the last 1,000 commits. */
	readonly commitMs: { readonly p50: number; readonly p99: number; readonly max: number } | null;
	readonly commits: number;
	readonly lastCommitAtMicros: number | null;
	readonly lastError: { readonly atMicros: number; readonly message: string } | null;
}

export interface Ingest extends AsyncDisposable {
	/** Resolves once the spans are on disk; never rejects for what the caller sent. Refuses at once when the queue is full. */
	submit(request: ExportRequest): Promise<ExportAnswer>;
	health(): IngestHealth;
}
