import type { SQLInputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { AnalyticsQuery } from "../traces/analytics/analytics-query.ts";
import type { ValuesQuery } from "../traces/analytics/count-values.ts";
import { packContents } from "../traces/sqlite/read/pack-contents.ts";
import { SqliteTraceReader } from "../traces/sqlite/trace-reader.ts";
import type * as Store from "../traces/trace-store.ts";
import { AbandonedCalls } from "./abandoned-calls.ts";
import { openForReading } from "./connection.ts";
import type { ReaderSettings } from "./database-workers.ts";
import { type QueryAnswer, runQuery } from "./query.ts";
import { serve, Transferred } from "./worker-protocol.ts";

const CACHE_MEBIBYTES = 16;

// A worker gets its settings once, from database-workers.ts.
const settings = workerData as ReaderSettings;
const db = openForReading(settings.path, CACHE_MEBIBYTES);
const reader = new SqliteTraceReader(db);

const handlers = {
	query: (sql: string, parameters: readonly SQLInputValue[]): QueryAnswer => runQuery(db, sql, parameters),
	listTraces: (query: Store.TraceQuery) => reader.listTraces(query),
	findTrace: (traceRowId: number) => reader.findTrace(traceRowId),
	findTracesByTraceIds: (traceIds: readonly string[], projectId?: number) =>
		reader.findTracesByTraceIds(traceIds, projectId),
	findTraces: (traceRowIds: readonly number[]) => reader.findTraces(traceRowIds),
	listTraceSpans: (traceRowId: number, page: Store.TracePage) => reader.listTraceSpans(traceRowId, page),
	listSpanOutlines: (traceRowId: number, page: Store.TracePage) => reader.listSpanOutlines(traceRowId, page),
	findCumulative: (spans: readonly Store.SpanSummary[]) => reader.findCumulative(spans),
	listSpans: (query: Store.SpanQuery) => reader.listSpans(query),
	listSpanPlaces: (query: Store.SpansByRow) => reader.listSpanPlaces(query),
	listStoredSpans: (query: Store.SpanQuery) => {
		const page = reader.listStoredSpans(query);
		const { spans, buffer } = packContents(page.items);
		return new Transferred({ ...page, items: spans }, [buffer]);
	},
	findSpan: (spanRowId: number) => {
		const span = reader.findSpan(spanRowId);
		const { spans, buffer } = packContents(span === undefined ? [] : [span]);
		return new Transferred(spans[0], [buffer]);
	},
	findSpansBySpanId: (spanId: string, within?: { projectId?: number; traceId?: string }) => {
		const { spans, buffer } = packContents(reader.findSpansBySpanId(spanId, within));
		return new Transferred(spans, [buffer]);
	},
	findSpanRows: (spanIds: readonly string[]) => reader.findSpanRows(spanIds),
	countUnindexedBlocks: (most: number) => reader.countUnindexedBlocks(most),
	findExistingSpans: (projectId: number, ids: readonly { traceId: string; spanId: string }[]) =>
		reader.findExistingSpans(projectId, ids),
	listSessions: (query: Store.SessionQuery) => reader.listSessions(query),
	findSession: (sessionRowId: number) => reader.findSession(sessionRowId),
	findSessionsBySessionId: (sessionId: string, projectId?: number) =>
		reader.findSessionsBySessionId(sessionId, projectId),
	listSessionTraces: (sessionRowIds: readonly number[]) => reader.listSessionTraces(sessionRowIds),
	metrics: (query: Store.MetricsQuery) => reader.metrics(query),
	analyze: (query: AnalyticsQuery) => reader.analyze(query),
	countValues: (query: ValuesQuery) => reader.countValues(query),
	findExpiry: (rule: Store.RetentionRule) => reader.findExpiry(rule),
	previewRetention: (rule: Store.RetentionRule) => reader.previewRetention(rule),
	countSpans: (range: Store.SpanRange) => reader.countSpans(range),
};

export type ReaderHandlers = typeof handlers;

if (parentPort !== null) serve(parentPort, handlers, new AbandonedCalls(settings.abandoned));
