import type { Condition } from "@spanward/filter-language";
import type { SpanKind, TokenCounts } from "@spanward/semconv";
import type { Transaction } from "kysely";
import type { Cost } from "#pricing/cost.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";
import type { Tables } from "../schema.ts";
import type { ArrivalMarks, ArrivedQuery, Entity, EntityKind } from "./entity.ts";

/**
 * Storage of traces. One implementation per database; `conformance.ts` is run on each. Nobody else names its tables: who
 * needs something of a span, trace or session asks here.
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
	readonly rootSpanRowId: number;
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

/** What all spans of a project add up to. */
export interface ProjectTotals {
	readonly tokens: number;
	/** Dollars; null when no cost is known. */
	readonly cost: number | null;
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

/**
 * What is stored.
 *
 * Order: a page follows its query's sort key, then row numbers; where a method says nothing, the order is not defined.
 * Staleness: what was acknowledged before the call is seen by it, except where a replica of the database is read: lists,
 * totals and metrics may lag behind it by the replica's delay. What is found by an id, and what a decision rests on
 * (`findTraces`, `findExistingSpans`, `findEntities…`, `countSpans`), is never read from a replica that lacks it.
 * Errors: `StorageUnavailable` when the database is away or too busy, `ConditionTooSlow` when a filter could not be
 * decided in time. What does not exist is `undefined` or absent, not an error. A damaged span is answered with content
 * that says so.
 */
export interface TraceReader {
	listTraces(query: TraceQuery): Promise<Page<TraceSummary>>;
	findTrace(traceRowId: number): Promise<TraceSummary | undefined>;
	/** The traces with these ids, in one project or in all of them: an id may be in several. */
	findTracesByTraceIds(traceIds: readonly string[], projectId?: number): Promise<readonly TraceSummary[]>;
	/** Traces by row number, those that exist. */
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
	/** By project; one without spans may be absent. */
	findProjectTotals(projectIds: readonly number[]): Promise<ReadonlyMap<number, ProjectTotals>>;
	/** How many spans start in the range, and the last row number among them. */
	countSpans(range: SpanRange): Promise<{ count: number; lastSpan: number }>;
	/** What {@link TraceMutations.deleteExpired} would do now. */
	previewRetention(rule: RetentionRule): Promise<RetentionPreview>;
	/** Blocks of spans that the text index lacks yet, counted up to `most`. */
	countUnindexedBlocks(most: number): Promise<number>;

	/**
	 * Entities by row number, those that exist and are not being deleted.
	 * @param transaction of the metadata tables: the answer is what it sees, where traces lie in the same database
	 */
	findEntities(
		kind: EntityKind,
		rowIds: readonly number[],
		transaction?: Transaction<Tables>,
	): Promise<readonly Entity[]>;
	/** Entities by id, in all projects: an id may be in several. */
	findEntitiesById(kind: EntityKind, ids: readonly string[]): Promise<readonly Entity[]>;
	/**
	 * Those of these spans that exist. Where traces lie in the same database as the metadata tables, nobody deletes them
	 * before the transaction ends, so that it can store references to them.
	 */
	holdSpans(transaction: Transaction<Tables>, spanRowIds: readonly number[]): Promise<ReadonlySet<number>>;
}

/**
 * Changes of what is stored, beside receiving. All work in bounded batches, keep every total right and give the space
 * back; what refers to a row from other tables follows in the same transaction.
 *
 * Order: calls may run at the same time, also in other processes, and meet receiving; each batch is one transaction.
 * What a call has answered is seen by every read after it.
 * Errors: `StorageUnavailable` as of {@link TraceReader}. A call that failed or was cut off leaves whole batches; calling
 * again goes on. What does not exist is not an error: `false`, or counted as nothing.
 */
export interface TraceMutations {
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
}

/**
 * What was stored, changed or deleted, as it happens.
 *
 * Order: changes of one trace come in the order of their commits; those of different traces may overtake each other.
 * Staleness: a change of this process is told right after its commit, one of another process a little later. One may be
 * lost with a process that is killed, so whoever must not miss any also looks from time to time.
 * Errors: a listener must not throw.
 */
export interface TraceFeed {
	/** Called after each commit that added or changed traces. Returns the unsubscribe. */
	onChange(listener: (change: TraceChange) => void): () => void;
	/** What has arrived by now. */
	readArrivals(): Promise<ArrivalMarks>;
	/**
	 * Row numbers of annotations that wait for what arrived between two moments, in ascending order. More may be named than
	 * have their target: the caller looks each of them up.
	 */
	findArrived(kind: EntityKind, query: ArrivedQuery): Promise<readonly number[]>;
}

export interface TraceStore extends TraceReader, TraceMutations, TraceFeed, AsyncDisposable {}

export interface TraceChange {
	readonly projectId: number;
	readonly traceRowIds: readonly number[];
}
