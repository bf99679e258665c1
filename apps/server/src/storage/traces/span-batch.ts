import type { SpanFacts } from "@spanward/semconv";
import type { Cost } from "#pricing/cost.ts";
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
	readonly facts: SpanFacts;
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

/** Writes normalized spans, one transaction per call; used in ingest workers. Several writers may use one database. */
export interface TraceWriter extends AsyncDisposable {
	/**
	 * Atomic, and durable once it resolves.
	 * @throws StorageUnavailable when the disk is full, read-only or failing; nothing was written and a retry may succeed
	 */
	write(spans: readonly NormalizedSpan[], logs: readonly NormalizedLogRecord[]): Promise<WriteResult>;
}

export class StorageUnavailable extends Error {
	override readonly name = "StorageUnavailable";
	/** `busy`: all connections of this process are in use; the database may be fine. */
	readonly reason: "full" | "read_only" | "failing" | "unreachable" | "busy";

	constructor(reason: StorageUnavailable["reason"], cause: unknown) {
		super(`the storage is ${reason.replace("_", "-")}`, { cause });
		this.reason = reason;
	}
}
