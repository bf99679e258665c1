import type { SpanFacts } from "@spanward/semconv";
import type { Cost } from "#pricing/cost.ts";
import type { RightsVersion } from "#storage/projects/rights-version.ts";
import type { Access } from "#storage/schema.ts";
import type { Texts } from "./totals/trace-texts.ts";
import type { Instant, SpanContent } from "./trace-store.ts";

/** A decoded and normalized span; input of the storage writers. */
export interface NormalizedSpan {
	readonly projectName: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly name: string;
	readonly otelKind: number;
	readonly start: Instant;
	/** The start while the span runs. */
	readonly end: Instant;
	/** It was sent without an end; the same span with an end takes its place. */
	readonly isRunning: boolean;
	readonly statusCode: number;
	readonly statusMessage: string;
	/** Whether its trace is to be looked at for failures; see `mayHaveFailed` of `@spanward/error-groups`. */
	readonly mayHaveFailed: boolean;
	readonly facts: SpanFacts;
	/** Row number of the key that the export came with; absent for sessions and where nobody signs in. */
	readonly apiKeyId?: number;
	readonly cost: Cost | null;
	/**
	 * Human-readable texts of the span, computed on demand: the writer needs only those of roots and their substitutes.
	 */
	readonly texts: (logs: readonly Uint8Array[]) => {
		readonly input: string | undefined;
		readonly output: string | undefined;
	};
	readonly bytes: Uint8Array;
	readonly scope: { readonly bytes: Uint8Array; readonly schemaUrl: string };
	readonly resource: { readonly bytes: Uint8Array; readonly schemaUrl: string };
}

/** Human-readable texts of a stored span; passed in because storage does not interpret attributes. */
export type ReadTexts = (content: SpanContent) => Texts;

export interface NormalizedLogRecord {
	readonly projectName: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly time: Instant;
	readonly bytes: Uint8Array;
}

export interface WriteResult {
	/** Spans that were new, or ended. */
	readonly written: number;
	/** Spans that were there already. */
	readonly duplicates: number;
	readonly logRecords: number;
	/** Traces that were added or changed, by project. */
	readonly changes: readonly { readonly projectId: number; readonly traceRowIds: readonly number[] }[];
}

/** In which projects a write may store spans, as it was decided before it. */
export interface ProjectsOfWrite {
	/** The rights by which it was decided. None where no right could end. */
	readonly decidedBy: readonly RightsVersion[];
	/** When it was decided, by `monotonicMs`. Undefined as above. */
	readonly decidedAtMs?: number;
	/**
	 * Who becomes the manager of a project of this name that the write makes; null for nobody. Undefined when it must not
	 * make it.
	 */
	makerOf(name: string): number | null | undefined;
	/** Whether nothing is hidden from any of the senders, so that log records of before may join their spans. */
	readonly isUnlimited?: boolean;
	/** What a variable says of the access of new projects; stronger than the stored policy. */
	readonly pinnedAccess?: Access | undefined;
	/** Called when the write makes projects; it may fail afterwards. */
	onMade?(): void;
}

/** For who writes as nobody whose rights could end. */
export const ANY_PROJECT: ProjectsOfWrite = { decidedBy: [], isUnlimited: true, makerOf: () => null };

/** Writes normalized spans, one transaction per call; used in ingest workers. Several writers may use one database. */
export interface TraceWriter extends AsyncDisposable {
	/**
	 * Atomic, and durable once it resolves.
	 * @param projects `ANY_PROJECT` when absent
	 * @throws StorageUnavailable when the disk is full, read-only or failing; nothing was written and a retry may succeed
	 * @throws RightsChanged when it was decided by other rights than those that are stored now; nothing was written
	 */
	write(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects?: ProjectsOfWrite,
	): Promise<WriteResult>;
	/** Absent where many small writes are no worse than a large one. */
	readonly pace?: WritePace;
	/** As `write`, where that is slow: neither waits for the other. Present with a pace. */
	writeBeside?(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects?: ProjectsOfWrite,
	): Promise<WriteResult>;
}

/** How often a writer wants to write, and how much at a time. */
export interface WritePace {
	/**
	 * The least milliseconds from the beginning of one write to that of the next, of all writers of a process together, at
	 * the moment: it grows while the storage cannot keep up. A writer that has been idle for so long writes at once.
	 */
	readonly intervalMs: number;
	/** Spans and log records with which a write need not wait for the interval. */
	readonly rows: number;
	/** The same in bytes of content. */
	readonly bytes: number;
	/** The partition that a span goes to, unless it is one of these days', to which nearly all spans go. */
	farPartitionOf(span: NormalizedSpan): number | undefined;
	/** How many of those a write may touch: each makes it slower. */
	readonly farPartitions: number;
	/** How many of those all writers of the process may touch within a second. */
	readonly farPartitionsPerSecond: number;
}

/**
 * Why the storage does not do something.
 * - `full`, `read_only`, `failing`: of the database that was asked
 * - `unreachable`: the database of everything but traces, or of everything
 * - `busy`: all connections of this process are in use; the database may be fine
 * - `traces_unreachable`, `traces_busy`: where traces have a database of their own, which does not answer, or cannot do it
 *   at the moment
 * - `traces_incomplete`: of several shards that have the traces, one does not answer; see `ShardUnavailable`
 * - `traces_behind`: all replicas of that one that are there lack what was stored a while ago
 * - `traces_refused`: that one refuses the user of this server, or a right of it
 * - `too_slow`, `too_large`: a statement reached its limit of time or of memory; a smaller one may not
 */
export type WhyUnavailable = keyof typeof SENTENCES;

const SENTENCES = {
	full: "the storage is full",
	read_only: "the storage is read-only",
	failing: "the storage is failing",
	unreachable: "the storage is unreachable",
	busy: "the storage is busy",
	traces_unreachable: "the database of traces is unreachable",
	traces_incomplete: "a part of the traces is unreachable",
	traces_busy: "the database of traces is busy",
	traces_behind: "the replicas of the database of traces are too far behind",
	traces_refused: "the database of traces refuses this server",
	too_slow: "a statement takes longer than it may",
	too_large: "a statement needs more memory than it may",
} as const;

export class StorageUnavailable extends Error {
	override readonly name = "StorageUnavailable";
	readonly reason: WhyUnavailable;

	constructor(reason: WhyUnavailable, cause: unknown) {
		super(SENTENCES[reason], { cause });
		this.reason = reason;
	}
}

/** A shard of the traces is away, and others may be there. */
export class ShardUnavailable extends StorageUnavailable {
	/** From 1. */
	readonly shard: number;

	constructor(shard: number, cause: unknown) {
		super("traces_incomplete", cause);
		this.shard = shard;
	}
}
