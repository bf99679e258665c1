import type { Condition } from "@spanward/filter-language";
import type { SpanKind, TokenCounts } from "@spanward/semconv";
import type { Cost } from "#pricing/cost.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";

/**
 * Storage of traces. One implementation per database; `conformance.ts` is run on each.
 *
 * Identity: a span is (project, trace id, span id, start time); writing it again changes nothing. A trace is (project,
 * trace id), a session (project, session id). Row numbers grow and are never reused.
 *
 * Times are integer microseconds since 1970 plus the nanoseconds below them (0–999), so nothing is lost and a number is exact.
 */

export interface Instant {
	/** Microseconds since 1970, UTC; exact as a number until the year 2255. */
	readonly micros: number;
	/** 0–999. */
	readonly nanos: number;
}

/** A span's narrow row: what lists, filters and totals need. */
export interface SpanSummary {
	readonly id: number;
	readonly projectId: number;
	readonly traceRowId: number;
	/** 32 hex digits. */
	readonly traceId: string;
	/** 16 hex digits. */
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly name: string;
	readonly kind: SpanKind;
	/** OTLP SpanKind 0–5. */
	readonly otelKind: number;
	readonly start: Instant;
	readonly end: Instant;
	/** 0 unset, 1 ok, 2 error. */
	readonly statusCode: number;
	readonly statusMessage: string;
	readonly model: string | null;
	readonly provider: string | null;
	readonly tokens: TokenCounts;
	/** Its tokens repeat those of descendants (by convention, or because a descendant has tokens of its own). */
	readonly tokensAreAggregate: boolean;
	readonly cost: Cost | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
}

/** The span as sent (after the limits), as OTLP messages in protobuf; decode with `@spanward/otlp`. */
export interface SpanContent {
	/** `Span` */
	readonly span: Uint8Array;
	/** `InstrumentationScope`; may be empty. */
	readonly scope: Uint8Array;
	readonly scopeSchemaUrl: string;
	/** `Resource`; may be empty. */
	readonly resource: Uint8Array;
	readonly resourceSchemaUrl: string;
	/** `LogRecord`s that carry this span's trace and span id, by time. */
	readonly logs: readonly Uint8Array[];
}

export interface StoredSpan {
	readonly summary: SpanSummary;
	readonly content: SpanContent;
}

/** Totals of a span and all its descendants in the trace; tokens and cost counted once. */
export interface Cumulative {
	readonly errorCount: number;
	readonly tokens: TokenTotals;
	readonly cost: number;
}

export interface TokenTotals {
	readonly prompt: number;
	readonly completion: number;
	readonly total: number;
}

/** What lists show of all spans of a trace or a session. */
export interface SpanTotals {
	readonly spanCount: number;
	readonly errorCount: number;
	/** Over spans that have tokens and no descendant with tokens. */
	readonly tokens: TokenTotals;
	/** In dollars; null when no span has a known cost. */
	readonly totalCost: number | null;
}

export interface TraceSummary extends SpanTotals {
	readonly id: number;
	readonly projectId: number;
	readonly traceId: string;
	readonly sessionRowId: number | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	readonly start: Instant;
	readonly end: Instant;
	/** The earliest span without a parent, else the earliest span. */
	readonly rootName: string | null;
	readonly rootSpanId: string | null;
	readonly rootStatusCode: number;
	readonly rootKind: SpanKind;
	/** Human text, cut to 2,000 characters. */
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
}

export interface SessionSummary extends SpanTotals {
	readonly id: number;
	readonly projectId: number;
	readonly sessionId: string;
	readonly userId: string | null;
	readonly start: Instant;
	readonly end: Instant;
	readonly traceCount: number;
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
}

export type Order = "asc" | "desc";

/** A position in a sorted list: the sort key and the row number of an item. */
export interface Keyset {
	readonly value: number;
	readonly id: number;
}

/**
 * A part of a sorted list. A page of a search that needs much reading may hold fewer items than asked for, even none,
 * while there is more: going on from `next` loses nothing and repeats nothing.
 */
export interface Page<T> {
	readonly items: readonly T[];
	/** There are, or may be, more items; then `next` is where they go on. */
	readonly more: boolean;
	/** Present exactly when `more`: the `after` (traces, spans of a trace) or `from` (spans, sessions) of the next page. */
	readonly next?: Keyset;
}

interface TimeRange {
	/** Inclusive, on the start time, microseconds. */
	readonly startMicros?: number;
	/** Exclusive, on the start time, microseconds. */
	readonly endMicros?: number;
}

export interface TraceFilter extends TimeRange {
	readonly sessionRowIds?: readonly number[];
	readonly error?: boolean;
	readonly minLatencyMs?: number;
	readonly maxLatencyMs?: number;
	/** Root name, exact. */
	readonly names?: readonly string[];
	readonly userIds?: readonly string[];
	/** Any span answered by one of these models. */
	readonly models?: readonly string[];
	/** All words occur (case-insensitive substrings) in one span: names, ids, attribute values, events, status message. */
	readonly text?: string;
	/** Of a filter for traces. */
	readonly condition?: Condition;
}

export interface TraceQuery extends TraceFilter {
	readonly projectId: number;
	readonly sort: "start_time" | "latency_ms";
	readonly order: Order;
	readonly limit: number;
	/** Strictly after this position in the order. */
	readonly after?: Keyset;
}

export interface AttributeEquals {
	/** Dotted path as in the flattened attributes. */
	readonly key: string;
	readonly value: string | number | boolean;
}

export interface SpanFilter extends TimeRange {
	readonly traceIds?: readonly string[];
	readonly spanIds?: readonly string[];
	/** `null`: roots without a parent id. */
	readonly parentSpanId?: string | null;
	readonly names?: readonly string[];
	readonly kinds?: readonly SpanKind[];
	readonly statusCodes?: readonly number[];
	readonly attributes?: readonly AttributeEquals[];
	readonly error?: boolean;
	readonly minLatencyMs?: number;
	readonly maxLatencyMs?: number;
	readonly userIds?: readonly string[];
	readonly sessionIds?: readonly string[];
	readonly models?: readonly string[];
	readonly text?: string;
	/** Of a filter for spans. */
	readonly condition?: Condition;
}

export interface SpanQuery extends SpanFilter {
	readonly projectId: number;
	readonly sort: "id" | "start_time";
	readonly order: Order;
	readonly limit: number;
	/** At or after this position in the order (span cursors name the first item of the next page). */
	readonly from?: Keyset;
	/** Of `listStoredSpans`: a page ends after the span with which its content reaches so many bytes. */
	readonly maxContentBytes?: number;
}

export interface SessionQuery extends TimeRange {
	readonly projectId: number;
	readonly userIds?: readonly string[];
	readonly error?: boolean;
	readonly text?: string;
	/** Of a filter for sessions. */
	readonly condition?: Condition;
	readonly sort: "id" | "start_time";
	readonly order: Order;
	readonly limit: number;
	readonly from?: Keyset;
}

export type MetricsBucket = "minute" | "hour" | "day";

export interface MetricsQuery {
	readonly projectId: number;
	readonly startMicros: number;
	readonly endMicros: number;
	readonly bucket: MetricsBucket;
	readonly groupBy?: "model" | "kind" | "name";
}

export interface MetricsPoint {
	/** Start of the bucket, microseconds, aligned to UTC. */
	readonly startMicros: number;
	/** Value of the group; null for spans without one, and when nothing is grouped. */
	readonly group: string | null;
	readonly traceCount: number;
	readonly spanCount: number;
	readonly errorCount: number;
	/** Milliseconds; null without spans. Within 5 % (histogram). */
	readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
	readonly tokens: TokenTotals;
	readonly cost: number;
}

/** Which traces of a project are expired; with neither limit none is. */
export interface RetentionRule {
	readonly projectId: number;
	/** Those that started before. */
	readonly beforeMicros?: number;
	/** All but so many, those that started last. */
	readonly keepNewest?: number;
	/** Expired traces stay that have an annotation, or whose session, span or document has one. */
	readonly keepAnnotated: boolean;
}

export interface RetentionPreview {
	/** Traces of the project. */
	readonly total: number;
	/** Those that would be deleted. */
	readonly expired: number;
	/** Those that stay only because of their annotations. */
	readonly kept: number;
	/** Starts of the first and the last of those that would be deleted. */
	readonly oldestMicros: number | null;
	readonly newestMicros: number | null;
	/** A few of those that would be deleted, by start. */
	readonly first: readonly TraceSummary[];
}

export interface SpanRange extends TimeRange {
	readonly projectId: number;
}

export interface CostQuery extends SpanRange {
	/** Spans with row numbers above it, and up to `lastSpan`. */
	readonly afterSpan: number;
	readonly lastSpan: number;
	/** Prices that win over the bundled ones. */
	readonly ownPrices: readonly OwnPrice[];
	/** The row of `cost_recomputations` that counts spans as changed in the transaction that changes them. */
	readonly countedIn?: number;
}

export interface CostStep {
	/** The row number up to which spans have been seen; the query's `lastSpan` when all have. */
	readonly afterSpan: number;
	readonly seen: number;
	readonly changed: number;
}

export interface TraceReader {
	listTraces(query: TraceQuery): Promise<Page<TraceSummary>>;
	findTrace(traceRowId: number): Promise<TraceSummary | undefined>;
	/** The traces of this hex id, one per project. */
	findTracesByTraceId(traceId: string, projectId?: number): Promise<readonly TraceSummary[]>;
	/** Traces by row number, those that exist, in no particular order. */
	findTraces(traceRowIds: readonly number[]): Promise<readonly TraceSummary[]>;
	/** Narrow rows of a trace by start time then id, after a position, at most `limit`. */
	listTraceSpans(traceRowId: number, page: { limit: number; after?: Keyset }): Promise<Page<SpanSummary>>;
	/** Cumulative totals of the given spans, by span row number. */
	findCumulative(spans: readonly SpanSummary[]): Promise<ReadonlyMap<number, Cumulative>>;

	listSpans(query: SpanQuery): Promise<Page<SpanSummary>>;
	/** As `listSpans`, with content. */
	listStoredSpans(query: SpanQuery): Promise<Page<StoredSpan>>;
	findSpan(spanRowId: number): Promise<StoredSpan | undefined>;
	findSpansBySpanId(spanId: string, within?: { projectId?: number; traceId?: string }): Promise<readonly StoredSpan[]>;
	/** Row numbers of the spans with these hex ids, in any project; also of spans that are being deleted. */
	findSpanRows(spanIds: readonly string[]): Promise<readonly number[]>;
	/** Which of these (trace id, span id) pairs the project has. */
	findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]>;

	listSessions(query: SessionQuery): Promise<Page<SessionSummary>>;
	findSession(sessionRowId: number): Promise<SessionSummary | undefined>;
	findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly SessionSummary[]>;
	/** Traces of the sessions by start ascending. */
	listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly TraceSummary[]>;

	metrics(query: MetricsQuery): Promise<readonly MetricsPoint[]>;

	/** What {@link TraceStore.deleteExpired} would do now. */
	previewRetention(rule: RetentionRule): Promise<RetentionPreview>;
	/** How many spans start in the range, and the last row number among them. */
	countSpans(range: SpanRange): Promise<{ count: number; lastSpan: number }>;
}

/** Deletes work in bounded batches, keep every total right, and give the space back. */
export interface TraceStore extends TraceReader, AsyncDisposable {
	deleteSpan(spanRowId: number): Promise<boolean>;
	deleteTrace(traceRowId: number): Promise<boolean>;
	/** Traces that start in the range; sessions left without traces go too. */
	deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number>;
	deleteSession(sessionRowId: number): Promise<boolean>;
	/** The project's traces, sessions and totals, then its row. */
	deleteProject(projectId: number): Promise<boolean>;
	/** Moves traces; merges with a trace of the same id, and into the session of the same id, at the destination. */
	transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number>;
	/**
	 * Deletes the traces that are expired when it begins, and the sessions they leave empty.
	 * @param onBatch asked after each batch, with what it did; false ends the work
	 */
	deleteExpired(
		rule: RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void>;
	/**
	 * Deletes at once, for all these projects together, what needs no looking at single traces; {@link deleteExpired} deletes
	 * the rest. Absent where nothing is won by it.
	 * @param onBatch asked after each step, with the traces that are gone by project; false ends the work
	 */
	dropExpired?(
		rules: readonly RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<void>;
	/**
	 * Computes the costs of the next spans anew, one bounded batch; totals follow. Costs that were sent stay. The caller
	 * goes on from the answer's `afterSpan`.
	 */
	recomputeCosts(query: CostQuery): Promise<CostStep>;
	/** Called after each commit that added or changed traces. Returns the unsubscribe. */
	onChange(listener: (change: TraceChange) => void): () => void;
}

export interface TraceChange {
	readonly projectId: number;
	readonly traceRowIds: readonly number[];
}
