import type { Condition } from "@spanward/filter-language";
import type { SpanKind, TokenCounts } from "@spanward/semconv";
import type { Transaction } from "kysely";
import type { Cost } from "#pricing/cost.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";
import type { Tables } from "../schema.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "./analytics/analytics-query.ts";
import type { ValueCounts, ValuesQuery } from "./analytics/count-values.ts";
import type { UserScore, UsersQuery } from "./end-users.ts";
import type { ArrivalMarks, ArrivedQuery, Entity, EntityKind } from "./entity.ts";

/**
 * Storage of traces, with one implementation per database; `conformance.ts` runs on each. Nothing else names its
 * tables: code that needs data of spans, traces or sessions calls these methods.
 *
 * Identity: a span is (project, trace id, span id, start time); writing it again changes nothing, unless the stored one
 * has no end and the new one has: then the new one takes its place, under its row number. A trace is (project, trace id),
 * a session (project, session id). Row numbers grow and are never reused.
 *
 * Times are integer microseconds since 1970 plus the remaining nanoseconds (0–999), so nothing is lost and numbers are
 * exact.
 */

export interface Instant {
	/** Microseconds since 1970, UTC; exact as a number until the year 2255. */
	readonly micros: number;
	/** 0–999. */
	readonly nanos: number;
}

/** The row of a span: what lists, filters and totals need. */
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
	/** The start while the span runs. */
	readonly end: Instant;
	/** Present while the span has no end: the latest time that its trace has, in microseconds. */
	readonly heardMicros?: number;
	/** 0 unset, 1 ok, 2 error. */
	readonly statusCode: number;
	readonly statusMessage: string;
	readonly model: string | null;
	readonly provider: string | null;
	readonly tokens: TokenCounts;
	/** The tokens repeat those of descendants (by convention, or because a descendant has tokens of its own). */
	readonly tokensAreAggregate: boolean;
	readonly cost: Cost | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	/** Its own; the trace may have one where this is null. */
	readonly release: string | null;
	readonly environment: string | null;
}

/** What the outline of a trace says of a span, with the first 2,000 characters of its name and message. */
export interface SpanOutline
	extends Pick<
		SpanSummary,
		"id" | "projectId" | "traceId" | "spanId" | "parentSpanId" | "name" | "kind" | "statusMessage" | "model"
	> {
	readonly startMicros: number;
	/** The start while it runs. */
	readonly endMicros: number;
	readonly isRunning: boolean;
	readonly isError: boolean;
	readonly tokens: number | null;
	/** US dollars. */
	readonly cost: number | null;
}

/** The span as sent (after the limits), as OTLP messages in protobuf; decode them with `@spanward/otlp`. */
export interface SpanContent {
	/** `Span` */
	readonly span: Uint8Array;
	/** `InstrumentationScope`; may be empty. */
	readonly scope: Uint8Array;
	readonly scopeSchemaUrl: string;
	/** `Resource`; may be empty. */
	readonly resource: Uint8Array;
	readonly resourceSchemaUrl: string;
	/** The `LogRecord`s with this trace and span id, in order of time. */
	readonly logs: readonly Uint8Array[];
}

export interface StoredSpan {
	readonly summary: SpanSummary;
	readonly content: SpanContent;
}

/** Totals of a span including all its descendants in the trace; tokens and cost count once. */
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

/** What lists show about all spans of a trace or a session. */
export interface SpanTotals {
	readonly spanCount: number;
	/** Spans without an end. */
	readonly runningCount: number;
	readonly errorCount: number;
	/** Over spans that have tokens, while no descendant has. */
	readonly tokens: TokenTotals;
	/** In dollars; null when no span has a known cost. */
	readonly totalCost: number | null;
}

export interface TraceSummary extends TraceWithoutTexts {
	/** Human-readable text, truncated to 2,000 characters. */
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
}

/** What a trace's row says, for which no content is read. */
export interface TraceWithoutTexts extends SpanTotals {
	readonly id: number;
	readonly projectId: number;
	readonly traceId: string;
	readonly sessionRowId: number | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	/** The root's, else that of the earliest span that has one. */
	readonly release: string | null;
	readonly environment: string | null;
	readonly start: Instant;
	readonly end: Instant;
	/** The earliest span without a parent, else the earliest span. */
	readonly rootName: string | null;
	readonly rootSpanRowId: number;
	readonly rootSpanId: string | null;
	readonly rootStatusCode: number;
	readonly rootKind: SpanKind;
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
 * A page of a sorted list. A search that has to read much may return fewer items than requested, even none, while there
 * are more: continuing from `next` neither skips nor repeats items.
 */
export interface Page<T> {
	readonly items: readonly T[];
	/** Whether there are, or may be, more items; if so, `next` is set. */
	readonly more: boolean;
	/** Present exactly when `more`: the `after` (traces, spans of a trace) or `from` (spans, sessions) of the next page. */
	readonly next?: Keyset;
}

/** Spans with what {@link TraceReader.findCumulative} says of them, where that was wanted and a store has found it along with them. */
export interface SpanPage<T> extends Page<T> {
	readonly cumulative?: ReadonlyMap<number, Cumulative>;
}

/** A part of the spans of a trace. */
export interface TracePage {
	readonly limit: number;
	readonly after?: Keyset;
}

/** Spans of a trace with their content, by row number, where that was wanted, is not too large and a store has it at hand. */
export interface TraceSpansPage extends SpanPage<SpanSummary> {
	readonly contents?: ReadonlyMap<number, SpanContent>;
}

/** Sessions with their traces, where these were wanted and a store has found them along with the page. */
export interface SessionPage extends Page<SessionSummary> {
	readonly traces?: readonly TraceWithoutTexts[];
}

interface TimeRange {
	/** Inclusive, on the start time, microseconds. */
	readonly startMicros?: number;
	/** Exclusive, on the start time, microseconds. */
	readonly endMicros?: number;
}

export interface TraceFilter extends TimeRange {
	/** The server itself when absent. */
	readonly caller?: Caller;
	readonly rowIds?: readonly number[];
	readonly sessionRowIds?: readonly number[];
	readonly error?: boolean;
	readonly minLatencyMs?: number;
	readonly maxLatencyMs?: number;
	/** Names of root spans, exact. */
	readonly names?: readonly string[];
	readonly userIds?: readonly string[];
	/** Traces with a span that one of these models answered. */
	readonly models?: readonly string[];
	/**
	 * Words that all occur, as case-insensitive substrings, in one span: name, ids, attribute values, events, status
	 * message.
	 */
	readonly text?: string;
	/** A condition on traces. */
	readonly condition?: Condition;
}

/**
 * By the mean score of the annotations with the name after the dot; the list has only rows with such a score. The
 * annotations of a trace's root span are the trace's, too.
 */
export type ScoreSort = `score.${string}`;

/** Rows without a cost come last in either order. */
export type TraceSort = "start_time" | "latency_ms" | "total_cost" | "token_count_total" | "error_count" | "span_count";

export interface TraceQuery extends TraceFilter {
	readonly projectId: number;
	/** Leaves the texts null, which are read from a block or two of each trace. */
	readonly withTexts?: false;
	readonly sort: TraceSort | ScoreSort;
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

/** Who asks for a list. */
export interface Caller {
	/** Slow lists of different names take turns. */
	readonly name: string;
	/** The list is waited for however many wait, as it continues an answer that has begun. */
	readonly isPatient?: boolean;
	/** Aborted once the caller has gone, so that a list which has not begun is dropped. */
	readonly gone?: AbortSignal;
}

export interface SpanFilter extends TimeRange {
	/** The server itself when absent. */
	readonly caller?: Caller;
	readonly rowIds?: readonly number[];
	readonly traceIds?: readonly string[];
	readonly spanIds?: readonly string[];
	/** `null` selects root spans, which have no parent id. */
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
	/** A condition on spans. */
	readonly condition?: Condition;
}

/** Rows without a cost or tokens come last in either order. */
export type SpanSort = "id" | "start_time" | "latency_ms" | "total_cost" | "token_count_total" | "status_code";

export interface SpanQuery extends SpanFilter {
	readonly projectId: number;
	readonly sort: SpanSort | ScoreSort;
	readonly order: Order;
	readonly limit: number;
	/** At or after this position in the order (cursors of spans name the first item of the next page). */
	readonly from?: Keyset;
	/** For `listStoredSpans`: the page ends with the span whose content reaches this many bytes in total. */
	readonly maxContentBytes?: number;
	/** Whether the page may have `cumulative`. */
	readonly cumulative?: boolean;
}

export interface TraceSpansQuery extends TracePage {
	/** Whether the page may have `cumulative`. */
	readonly cumulative?: boolean;
	/** The page may have its `contents`, as long as they are fewer bytes. */
	readonly mostContentBytes?: number;
}

/** Rows without a cost come last in either order. */
export type SessionSort =
	| "id"
	| "start_time"
	| "end_time"
	| "trace_count"
	| "span_count"
	| "error_count"
	| "token_count_total"
	| "total_cost";

export interface SessionQuery extends TimeRange {
	/** The server itself when absent. */
	readonly caller?: Caller;
	readonly projectId: number;
	readonly rowIds?: readonly number[];
	readonly userIds?: readonly string[];
	readonly error?: boolean;
	readonly text?: string;
	/** A condition on sessions. */
	readonly condition?: Condition;
	readonly sort: SessionSort | ScoreSort;
	readonly order: Order;
	readonly limit: number;
	/** The page may have its `traces`, as long as there are no more than so many. */
	readonly mostTraces?: number;
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
	/** Spans without an end. */
	readonly runningCount: number;
	readonly errorCount: number;
	/** Milliseconds, within 5 % (histogram), of spans with an end; null without any. */
	readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
	readonly tokens: TokenTotals;
	readonly cost: number;
}

/** Totals of all spans of a project. */
export interface ProjectTotals {
	readonly tokens: number;
	/** Dollars; null when no cost is known. */
	readonly cost: number | null;
}

/** What a project did in the last hours, each a whole one. */
export interface ProjectActivity {
	/** Start of the first hour. */
	readonly startMicros: number;
	/** Spans that start in each hour. */
	readonly spans: readonly number[];
	/** Those of them with an error. */
	readonly errors: readonly number[];
	/** Of all these hours. */
	readonly tokens: number;
	/** Dollars, of all these hours. */
	readonly cost: number;
	/** Of spans with an end in all these hours, within 5 %; undefined without any. */
	readonly latencyMs: { readonly p50: number; readonly p95: number } | undefined;
	/** When the newest trace starts, however long ago; undefined without traces. */
	readonly newestTraceMicros: number | undefined;
}

/** Which traces of a project are expired; without any limit none is. */
export interface RetentionRule {
	readonly projectId: number;
	/** Traces that started earlier are expired. */
	readonly beforeMicros?: number;
	/** All but this many traces are expired; those that started last remain. */
	readonly keepNewest?: number;
	/** Keeps expired traces that are annotated themselves, or by their session, a span or a document. */
	readonly keepAnnotated: boolean;
}

export interface RetentionPreview {
	/** Number of traces in the project. */
	readonly total: number;
	/** Number of traces that would be deleted. */
	readonly expired: number;
	/** Number of traces that are kept only because they are annotated. */
	readonly kept: number;
	/** Start of the first and the last trace that would be deleted. */
	readonly oldestMicros: number | null;
	readonly newestMicros: number | null;
	/** Summaries of the first traces that would be deleted. */
	readonly first: readonly TraceSummary[];
}

/** What belongs to spans, traces or sessions. */
export interface Dependents {
	/** Of the entities themselves, and of their traces, spans and documents. */
	readonly annotations: number;
	readonly logRecords: number;
}

/** Called after each transaction of a long change; false ends the work. */
export type OnBatch = () => Promise<boolean>;

export interface SpanRange extends TimeRange {
	readonly projectId: number;
}

export interface CostQuery extends SpanRange {
	/** Selects spans with row numbers above this, up to `lastSpan`. */
	readonly afterSpan: number;
	readonly lastSpan: number;
	/** Prices that take precedence over the bundled ones. */
	readonly ownPrices: readonly OwnPrice[];
	/** The row of `cost_recomputations` that counts changed spans, in the transaction that changes them. */
	readonly countedIn?: number;
}

export interface CostStep {
	/** The row number up to which spans have been processed; the query's `lastSpan` at the end. */
	readonly afterSpan: number;
	readonly seen: number;
	readonly changed: number;
}

export type SpansByRow = SpanQuery & { readonly sort: "id" };

/** Which span it is, and where. */
export interface SpanPlace {
	readonly id: number;
	readonly projectId: number;
	readonly traceRowId: number;
	readonly startMicros: number;
}

/**
 * Reads stored traces.
 *
 * Order: a page follows its query's sort key, then row numbers; where a method says nothing, the order is not defined.
 * Staleness: a call sees everything acknowledged before it, except on a replica: lists, totals and metrics may lag
 * behind by its delay. Look-ups by an id, and reads on which decisions rest (`findTraces`, `findExistingSpans`,
 * `findEntities…`, `countSpans`), never miss what a replica lacks.
 * Errors: `StorageUnavailable` when the database is unreachable or too busy, `ConditionTooSlow` when a filter could not
 * be evaluated in time, `NoTurn` when too many slow lists wait, `Abandoned` when the caller has gone before a slow list
 * began. What does not exist is `undefined` or absent, not an error. The content of a damaged span says that it is
 * damaged.
 */
export interface TraceReader {
	listTraces(query: TraceQuery): Promise<Page<TraceSummary>>;
	findTrace(traceRowId: number): Promise<TraceSummary | undefined>;
	/** The traces with these ids, in one project or in all: several projects may have the same id. */
	findTracesByTraceIds(traceIds: readonly string[], projectId?: number): Promise<readonly TraceWithoutTexts[]>;
	/** The same with their texts. */
	findSummariesByTraceIds(traceIds: readonly string[], projectId?: number): Promise<readonly TraceSummary[]>;
	/** The existing traces among these row numbers. */
	findTraces(traceRowIds: readonly number[]): Promise<readonly TraceSummary[]>;
	/** At most `limit` spans of a trace after a position, by start time, then id. */
	listTraceSpans(traceRowId: number, page: TraceSpansQuery): Promise<TraceSpansPage>;
	/** The same spans with less of each, of which very many can be read at once. */
	listSpanOutlines(traceRowId: number, page: TracePage): Promise<Page<SpanOutline>>;
	/** Cumulative totals of the given spans, by span row number. */
	findCumulative(spans: readonly SpanSummary[]): Promise<ReadonlyMap<number, Cumulative>>;

	listSpans(query: SpanQuery): Promise<SpanPage<SpanSummary>>;
	/** As `listSpans`, without what the spans hold, for what deals with very many. */
	listSpanPlaces(query: SpansByRow): Promise<Page<SpanPlace>>;
	/** As `listSpans`, with content. */
	listStoredSpans(query: SpanQuery): Promise<SpanPage<StoredSpan>>;
	findSpan(spanRowId: number): Promise<StoredSpan | undefined>;
	findSpansBySpanId(spanId: string, within?: { projectId?: number; traceId?: string }): Promise<readonly StoredSpan[]>;
	/** Which of these (trace id, span id) pairs exist in the project. */
	findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]>;

	listSessions(query: SessionQuery): Promise<SessionPage>;
	findSession(sessionRowId: number): Promise<SessionSummary | undefined>;
	findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly SessionSummary[]>;
	/** Traces of the sessions, by start, ascending. */
	listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly TraceWithoutTexts[]>;

	metrics(query: MetricsQuery): Promise<readonly MetricsPoint[]>;
	/**
	 * Counts, sums and percentiles of rows by group and bucket, of one state of the database where the store has such.
	 * Reads the newest first, and what was read when time is up.
	 * @throws TooManyGroups
	 */
	analyze(query: AnalyticsQuery): Promise<AnalyticsAnswer>;
	/** How many rows have each value of some fields, in the order of the fields; read as by `analyze`. */
	countValues(query: ValuesQuery): Promise<readonly ValueCounts[]>;
	/**
	 * When the first stored trace of each of these users of a project starts, in microseconds; of all its users when
	 * absent. Who has none is missing.
	 */
	findFirstSeen(projectId: number, userIds?: readonly string[]): Promise<ReadonlyMap<string, number>>;
	/** Scores of annotations on the users' traces and their spans, by user and name. */
	findUserScores(query: UsersQuery): Promise<readonly UserScore[]>;
	/** Totals by project; projects without spans may be missing. */
	findProjectTotals(projectIds: readonly number[]): Promise<ReadonlyMap<number, ProjectTotals>>;
	/** What these projects did in the `hours` hours up to and with the one of `nowMicros`; unknown projects are missing. */
	findProjectActivity(
		projectIds: readonly number[],
		nowMicros: number,
		hours: number,
	): Promise<ReadonlyMap<number, ProjectActivity>>;
	/** The number of spans that start in the range, and the highest row number among them. */
	countSpans(range: SpanRange): Promise<{ count: number; lastSpan: number }>;
	/** What {@link TraceMutations.deleteExpired} would do now. */
	previewRetention(rule: RetentionRule): Promise<RetentionPreview>;
	/** Number of blocks that are not in the text index yet, counted up to `most`. */
	countUnindexedBlocks(most: number): Promise<number>;
	/** What is deleted together with these entities, besides spans and traces. */
	countDependents(kind: EntityKind, rowIds: readonly number[]): Promise<Dependents>;

	/**
	 * The existing entities among these row numbers, in the order of these, without those that are being deleted.
	 * @param transaction of the metadata tables; its snapshot is used where traces are in the same database
	 */
	findEntities(
		kind: EntityKind,
		rowIds: readonly number[],
		transaction?: Transaction<Tables>,
	): Promise<readonly Entity[]>;
	/** Entities by id, in all projects: several may have the same id. */
	findEntitiesById(kind: EntityKind, ids: readonly string[]): Promise<readonly Entity[]>;
	/**
	 * Those of these spans that exist. Where traces and metadata are in the same database, none is deleted before the
	 * transaction ends, so that it can store references to them.
	 */
	holdSpans(transaction: Transaction<Tables>, spanRowIds: readonly number[]): Promise<ReadonlySet<number>>;
}

/**
 * Changes stored traces, other than by receiving. All methods work in bounded batches, keep every total correct and
 * free the space; references from other tables are updated in the same transaction.
 *
 * Order: calls may run concurrently, with each other, with other processes and with receiving; each batch is one
 * transaction. Every later read sees the effect of a completed call.
 * Errors: `StorageUnavailable` as in {@link TraceReader}. A call that failed or was interrupted leaves complete
 * batches; calling again continues. What does not exist is not an error: `false`, or counted as nothing.
 */
export interface TraceMutations {
	deleteSpan(spanRowId: number): Promise<boolean>;
	deleteTrace(traceRowId: number): Promise<boolean>;
	/** Deletes those of these spans that are in the project, and traces and unannotated sessions that become empty. */
	deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: OnBatch): Promise<void>;
	/** Deletes those of these traces that are in the project, and unannotated sessions that become empty. */
	deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: OnBatch): Promise<void>;
	/** Deletes traces that start in the range, and sessions that become empty. */
	deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number>;
	deleteSession(sessionRowId: number): Promise<boolean>;
	/** Deletes the project's traces, sessions and totals, then its row. */
	deleteProject(projectId: number): Promise<boolean>;
	/** Moves traces; merges each with a trace, and its session with a session, of the same id at the destination. */
	transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number>;
	/**
	 * Deletes the traces that are expired at the beginning, and sessions that become empty.
	 * @param onBatch called after each batch with its result; false ends the work
	 */
	deleteExpired(
		rule: RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void>;
	/**
	 * Deletes at once, for all these projects together, what can be deleted without reading most traces singly; {@link
	 * deleteExpired} deletes the rest. Absent where that saves nothing.
	 * @param onBatch called after each step with the number of deleted traces by project; false ends the work
	 */
	dropExpired?(
		rules: readonly RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<void>;
	/**
	 * Recomputes the costs of the next spans, one bounded batch, and updates the totals. Costs that were sent stay. The
	 * caller continues from `afterSpan` of the result.
	 */
	recomputeCosts(query: CostQuery): Promise<CostStep>;
}

/**
 * Notifies of what was stored, changed or deleted.
 *
 * Order: changes of one trace arrive in commit order; those of different traces may overtake each other.
 * Staleness: a change of this process arrives right after its commit, one of another process a little later.
 * Notifications may be lost when a process dies, so listeners that must not miss any also poll.
 * Errors: a listener must not throw.
 */
export interface TraceFeed {
	/** Called after each commit that added or changed traces. Returns the function that unsubscribes. */
	onChange(listener: (change: TraceChange) => void): () => void;
	/** The current marks, for {@link findArrived}. */
	readArrivals(): Promise<ArrivalMarks>;
	/**
	 * Row numbers, ascending, of waiting annotations whose target arrived between two marks. May include others: the
	 * caller looks up each target.
	 */
	findArrived(kind: EntityKind, query: ArrivedQuery): Promise<readonly number[]>;
}

/** Traces, for who only reads. */
export interface ReadableTraces extends TraceReader, TraceFeed {
	/**
	 * Resolves when traces can be read, however much there is to do. Where they are in the metadata database, its own
	 * check tells.
	 * @throws StorageUnavailable
	 */
	check(): Promise<void>;
}

export interface TraceStore extends ReadableTraces, TraceMutations, AsyncDisposable {}

export interface TraceChange {
	readonly projectId: number;
	readonly traceRowIds: readonly number[];
}
