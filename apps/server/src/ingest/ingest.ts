import type { ExportSender } from "#access/rights/sender-rights.ts";
import type { UserError } from "#base/errors.ts";
import type { ProblemCode } from "#base/problems.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";
import type { WhyUnavailable } from "#storage/traces/span-batch.ts";

/**
 * The way of an export from the wire to the disk: receive (HTTP or gRPC) → queue → worker (inflate, decode, normalize,
 * group commit) → answer. The answer comes after the commit.
 */
export interface ExportRequest {
	readonly signal: "traces" | "logs";
	readonly format: "protobuf" | "json";
	readonly encoding: "identity" | "gzip" | "deflate" | "zstd";
	/** The body as it came; given away (its buffer is transferred), so it must be the only view of its buffer. */
	readonly body: Uint8Array<ArrayBuffer>;
	/** `x-project-name`: overrides the resource attribute for the whole request. */
	readonly projectName?: string;
	/** Self-tracing of another Spanward; it is not traced in turn. */
	readonly isSelfTracing?: boolean;
	/** Row number of the key that it came with. */
	readonly apiKeyId?: number;
	/** Absent for who may write everything: while authentication is off, and for what was allowed before. */
	readonly sender?: ExportSender | undefined;
}

export interface ExportAnswer {
	/** HTTP status: 200, or 400 corrupt compression, 413 too large, 422 undecodable, 503 queue or storage full. */
	readonly status: number;
	/** gRPC code of the same answer. */
	readonly code: number;
	/** Why it is not 200, for counters: `undecodable`, `queue_full`, `storage_full`, … */
	readonly reason?: ProblemCode;
	/** A sentence for the caller when status is not 200. */
	readonly message: string;
	/** Seconds; present when a retry makes sense. */
	readonly retryAfter?: number;
	readonly accepted: number;
	/** Those of them that are spans, sent as such or as events. */
	readonly acceptedSpans: number;
	/** Spans or log records that were left out; where all were, of a refused export. */
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

/** A place in the queue, held from the first byte on the wire to the answer. */
export interface Reservation {
	/** Adds bytes, after waiting for room; false when there is none within some seconds. */
	grow(bytes: number): Promise<boolean>;
	/** Gives the room back; safe to call twice. */
	release(): void;
}

/** `traces`: a database that has nothing else. */
export type DatabasePart = "database" | "traces";

export interface Ingest extends AsyncDisposable {
	/**
	 * Takes a place in the queue for a request that is about to be read, after waiting for room; undefined when there is
	 * none within some seconds, or too many wait.
	 */
	admit(bytes: number): Promise<Reservation | undefined>;
	/**
	 * Resolves once the spans are on disk; never rejects for what the caller sent. Releases `reservation` with the answer;
	 * without one it refuses at once when the queue is full.
	 */
	submit(request: ExportRequest, reservation?: Reservation): Promise<ExportAnswer>;
	/** The answer that every request gets while nothing may be stored; undefined otherwise. */
	readonly refusing: ExportAnswer | undefined;
	/** Gives every request this answer, unread, until it is undefined. */
	refuseWith(answer: ExportAnswer | undefined): void;
	/**
	 * While a database cannot be reached every request is refused at once, and what waits for it shortly after, so that
	 * senders keep their spans and nothing piles up here.
	 */
	setReachable(database: DatabasePart, isReachable: boolean): void;
	/**
	 * Prices that win over the bundled ones, for spans that arrive from then on. Calls of `read` do not overlap, so
	 * that the last one counts.
	 */
	usePrices(read: () => Promise<readonly OwnPrice[]>): Promise<void>;
	/** Whether spans are being stored now, or wait for it. */
	readonly isBusy: boolean;
	/** Why the storage takes no exports at the moment, as far as was tried; undefined while it does. */
	readonly storageRefusal: WhyUnavailable | undefined;
	/** Counts a request that was answered without being submitted. */
	countRefusal(answer: ExportAnswer): void;
	/** Counts a request that was not let in; those without valid credentials as `unauthorized`. */
	countDenial(error: Pick<UserError, "status" | "code">): void;
	health(): IngestHealth;
	/** Upper bounds in milliseconds, and the cumulative number of commits within each, for `/metrics`. */
	commitHistogram(): CommitHistogram;
	/**
	 * The least milliseconds between two inserts, as of the last one, which grows while the storage cannot keep up; undefined
	 * where there is none, or while nothing was written for a while.
	 */
	insertIntervalMs(): number | undefined;
}

export interface CommitHistogram {
	readonly buckets: readonly { readonly atMostMs: number; readonly count: number }[];
	readonly count: number;
	readonly sumMs: number;
}
