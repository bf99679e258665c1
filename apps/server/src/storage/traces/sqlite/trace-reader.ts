import type { DatabaseSync } from "node:sqlite";
import { findRow, getRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "../analytics/analytics-query.ts";
import type { ValueCounts, ValuesQuery } from "../analytics/count-values.ts";
import type { ReadShownTexts } from "../content/shown-texts.ts";
import type { TraceCursor } from "../expiry/expired-traces.ts";
import { Conditions } from "../filter/conditions.ts";
import { spanKey } from "../lists/positions.ts";
import { type SpanOutlinesRow, spanOutlineColumns } from "../rows/span-outlines.ts";
import { type SpanSummaryRow, toSpanPlace, toSpanSummary } from "../rows/span-summaries.ts";
import {
	NOT_DETACHED,
	TRACE_SUMMARY_COLUMNS,
	TRACE_SUMMARY_JOINS,
	type TraceSummaryRow,
	toTraceSummary,
	toTraceWithoutTexts,
} from "../rows/trace-summaries.ts";
import type * as Store from "../trace-store.ts";
import { FilterFunctions } from "./filter/functions.ts";
import { type AnalyticsSources, analyzeRows, countValuesOfRows } from "./read/analyze.ts";
import { findCumulative } from "./read/cumulative.ts";
import { findExpiry, previewRetention } from "./read/expired-traces.ts";
import { withoutIndex } from "./read/index-choice.ts";
import { listSpanRows } from "./read/list-spans.ts";
import { listTraces } from "./read/list-traces.ts";
import { metrics } from "./read/metrics.ts";
import { RowFeed } from "./read/row-feed.ts";
import { findSession, findSessionsBySessionId, listSessions } from "./read/sessions.ts";
import { ShownTextsReader } from "./read/shown-texts.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS } from "./read/span-columns.ts";
import { SpanContents } from "./read/span-contents.ts";
import { findRowsBySpanIds } from "./read/span-lookup.ts";
import { TextSearch } from "./text/text-search.ts";

/** The synchronous `TraceReader` on one connection: it blocks its thread, so it runs in reader workers. */
export class SqliteTraceReader {
	readonly #db: DatabaseSync;
	readonly #functions: FilterFunctions;
	readonly #feed: RowFeed;
	readonly #texts: ShownTextsReader;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#functions = new FilterFunctions(db);
		this.#feed = new RowFeed(db);
		this.#texts = new ShownTextsReader(db);
	}

	listTraces(query: Store.TraceQuery): Store.Page<Store.TraceSummary> {
		const { contents, search, texts } = this.#newLook();
		return this.#inOneView(() => listTraces(this.#db, query, contents, search, this.#functions, texts));
	}

	findTrace(traceRowId: number): Store.TraceSummary | undefined {
		return this.#traces(new Conditions().add("traces.id = ?", traceRowId).add(NOT_DETACHED))[0];
	}

	findTracesByTraceIds(traceIds: readonly string[], projectId?: number): Store.TraceWithoutTexts[] {
		const ofIds = "traces.trace_id in (select unhex(value) from json_each(?))";
		const where = new Conditions().add(ofIds, JSON.stringify(traceIds)).add(NOT_DETACHED);
		if (projectId !== undefined) where.add(withoutIndex("traces.project_id = ?"), projectId);
		return this.#traceRows(where).map(toTraceWithoutTexts);
	}

	findTraces(traceRowIds: readonly number[]): Store.TraceSummary[] {
		return this.#traces(new Conditions().addIn("traces.id", traceRowIds).add(NOT_DETACHED));
	}

	listTraceSpans(traceRowId: number, { limit, after }: Store.TracePage): Store.Page<Store.SpanSummary> {
		const { sql, values } = pageOfTrace(traceRowId, { limit, ...(after && { after }) });
		const rows = listRows<SpanSummaryRow>(
			this.#db.prepare(
				`select ${SPAN_SUMMARY_COLUMNS} from (${sql}) as page
				cross join spans on spans.id = page.id ${SPAN_SUMMARY_JOINS} order by spans.start_micros, spans.id`,
			),
			...values,
		);
		const items = rows.slice(0, limit).map(toSpanSummary);
		const last = items.at(-1);
		if (rows.length <= limit || last === undefined) return { items, more: false };
		return { items, more: true, next: { value: last.start.micros, id: last.id } };
	}

	listSpanOutlines(traceRowId: number, page: Store.TracePage): SpanOutlinesRow | undefined {
		const { sql, values } = pageOfTrace(traceRowId, page);
		return findRow<SpanOutlinesRow>(
			this.#db.prepare(
				`select traces.project_id, lower(hex(traces.trace_id)) as trace_id,
					(select json_group_array(json_array(${spanOutlineColumns((value) => `lower(hex(${value}))`)}))
						from (${sql}) as page cross join spans on spans.id = page.id) as spans
				from traces where traces.id = ?`,
			),
			...values,
			traceRowId,
		);
	}

	findCumulative(spans: readonly Store.SpanSummary[]): Map<number, Store.Cumulative> {
		return findCumulative(this.#db, spans);
	}

	listSpans(query: Store.SpanQuery): Store.Page<Store.SpanSummary> {
		return this.#listAs(query, toSpanSummary);
	}

	listSpanPlaces(query: Store.SpansByRow): Store.Page<Store.SpanPlace> {
		return this.#listAs(query, toSpanPlace);
	}

	#listAs<Item>(query: Store.SpanQuery, toItem: (row: SpanSummaryRow) => Item): Store.Page<Item> {
		const { contents, search } = this.#newLook();
		return this.#inOneView(() => {
			const page = listSpanRows(this.#db, query, contents, search, this.#functions);
			return { ...page, items: page.items.map(toItem) };
		});
	}

	listStoredSpans(query: Store.SpanQuery): Store.Page<Store.StoredSpan> {
		const { contents, search } = this.#newLook();
		const maxBytes = query.maxContentBytes ?? Number.POSITIVE_INFINITY;
		return this.#inOneView(() => {
			const page = listSpanRows(this.#db, query, contents, search, this.#functions, (row) => contents.keep(row));
			const items: Store.StoredSpan[] = [];
			let bytes = 0;
			for (const row of page.items) {
				if (bytes >= maxBytes) return { items, more: true, next: spanKey(query, row) };
				const stored = contents.stored(row);
				items.push(stored);
				bytes += sizeOf(stored);
			}
			return { ...page, items };
		});
	}

	findSpan(spanRowId: number): Store.StoredSpan | undefined {
		return this.#storedSpans(new Conditions().add("spans.id = ?", spanRowId))[0];
	}

	findSpansBySpanId(spanId: string, within: { projectId?: number; traceId?: string } = {}): Store.StoredSpan[] {
		const where = new Conditions();
		if (within.projectId !== undefined) where.add(withoutIndex("spans.project_id = ?"), within.projectId);
		if (within.traceId === undefined) where.addIn("spans.id", findRowsBySpanIds(this.#db, [spanId]));
		else
			where
				.add("spans.trace_row_id in (select id from traces where trace_id = unhex(?))", within.traceId)
				.add("spans.span_id = unhex(?)", spanId);
		return this.#storedSpans(where);
	}

	/** Row numbers of the spans with these ids, in any project, including spans that are being deleted. */
	findSpanRows(spanIds: readonly string[]): number[] {
		return this.#inOneView(() => findRowsBySpanIds(this.#db, spanIds));
	}

	findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): { traceId: string; spanId: string }[] {
		const find = this.#db.prepare(
			`select 1 from traces cross join spans on spans.trace_row_id = traces.id
			where traces.trace_id = unhex(?) and traces.project_id = ? and spans.span_id = unhex(?) limit 1`,
		);
		return ids.filter(({ traceId, spanId }) => hasRow(find, traceId, projectId, spanId));
	}

	listSessions(query: Store.SessionQuery): Store.Page<Store.SessionSummary> {
		const { contents, search, texts } = this.#newLook();
		return this.#inOneView(() => listSessions(this.#db, query, contents, search, this.#functions, texts));
	}

	findSession(sessionRowId: number): Store.SessionSummary | undefined {
		const { texts } = this.#newLook();
		return this.#inOneView(() => findSession(this.#db, sessionRowId, texts));
	}

	findSessionsBySessionId(sessionId: string, projectId?: number): Store.SessionSummary[] {
		const { texts } = this.#newLook();
		return this.#inOneView(() => findSessionsBySessionId(this.#db, sessionId, projectId, texts));
	}

	listSessionTraces(sessionRowIds: readonly number[]): Store.TraceWithoutTexts[] {
		return this.#traceRows(new Conditions().addIn("traces.session_row_id", sessionRowIds)).map(toTraceWithoutTexts);
	}

	metrics(query: Store.MetricsQuery): Store.MetricsPoint[] {
		return this.#inOneView(() => metrics(this.#db, query));
	}

	analyze(query: AnalyticsQuery): Promise<AnalyticsAnswer> {
		return this.#inOneViewThen(() => analyzeRows(this.#analyticsSources(), query));
	}

	countValues(query: ValuesQuery): Promise<readonly ValueCounts[]> {
		return this.#inOneViewThen(() => countValuesOfRows(this.#analyticsSources(), query));
	}

	/** The cursor before which traces of a project are expired. */
	findExpiry(rule: Store.RetentionRule): TraceCursor | undefined {
		return findExpiry(this.#db, rule);
	}

	previewRetention(rule: Store.RetentionRule): Store.RetentionPreview {
		const { texts } = this.#newLook();
		return this.#inOneView(() => previewRetention(this.#db, rule, texts));
	}

	countSpans({ projectId, startMicros, endMicros }: Store.SpanRange): { count: number; lastSpan: number } {
		const where = new Conditions().add("project_id = ?", projectId);
		if (startMicros !== undefined) where.add("start_micros >= ?", startMicros);
		if (endMicros !== undefined) where.add("start_micros < ?", endMicros);
		return getRow<{ count: number; lastSpan: number }>(
			this.#db.prepare(`select count(*) as count, coalesce(max(id), 0) as lastSpan from spans where ${where.sql}`),
			...where.values,
		);
	}

	countUnindexedBlocks(most: number): number {
		const row = this.#db
			.prepare(
				`select count(*) as count from (
					select 1 from block_text_unsigned cross join blocks on blocks.id between first_block and last_block limit ?
				)`,
			)
			.get(most);
		return Number(row?.["count"]);
	}

	#analyticsSources(): AnalyticsSources {
		const tracesOf = (where: Conditions) => this.#traceRows(where).map(toTraceWithoutTexts);
		return { ...this.#newLook(), db: this.#db, functions: this.#functions, feed: this.#feed, tracesOf };
	}

	#traces(where: Conditions): Store.TraceSummary[] {
		const { texts } = this.#newLook();
		return this.#inOneView(() => {
			const rows = this.#traceRows(where);
			const found = texts(rows);
			return rows.map((row) => toTraceSummary(row, found));
		});
	}

	#traceRows(where: Conditions): TraceSummaryRow[] {
		return listRows<TraceSummaryRow>(
			this.#db.prepare(
				`select ${TRACE_SUMMARY_COLUMNS} from traces ${TRACE_SUMMARY_JOINS} where ${where.sql}
				order by traces.start_micros, traces.start_nanos, traces.id`,
			),
			...where.values,
		);
	}

	#storedSpans(where: Conditions): Store.StoredSpan[] {
		const { contents } = this.#newLook();
		return this.#inOneView(() => {
			const rows = listRows<SpanSummaryRow>(
				this.#db.prepare(
					`select ${SPAN_SUMMARY_COLUMNS} from spans ${SPAN_SUMMARY_JOINS} where ${where.sql}
					order by spans.start_micros, spans.id`,
				),
				...where.values,
			);
			return rows.map((row) => contents.stored(row));
		});
	}

	/** Blocks may be repacked between two calls, so unpacked blocks are cached for one call only. */
	#newLook(): { contents: SpanContents; search: TextSearch; texts: ReadShownTexts } {
		const contents = new SpanContents(this.#db);
		const texts: ReadShownTexts = (rows) => this.#texts.read(contents, rows);
		return { contents, search: new TextSearch(this.#db, contents), texts };
	}

	/** As `#inOneView`, of what waits for nothing: no other call gets its turn meanwhile. */
	async #inOneViewThen<T>(read: () => Promise<T>): Promise<T> {
		this.#db.exec("begin");
		try {
			return await read();
		} finally {
			this.#db.exec("commit");
		}
	}

	/** Runs several statements on one snapshot. */
	#inOneView<T>(read: () => T): T {
		this.#db.exec("begin");
		try {
			return read();
		} finally {
			this.#db.exec("commit");
		}
	}
}

/** Row numbers of one span more than the limit, found in an index alone. */
function pageOfTrace(traceRowId: number, { limit, after }: Store.TracePage) {
	const where = new Conditions().add("trace_row_id = ?", traceRowId);
	if (after !== undefined) where.add("(start_micros, id) > (?, ?)", after.value, after.id);
	const sql = `select id from spans indexed by spans_by_identity where ${where.sql} order by start_micros, id limit ?`;
	return { sql, values: [...where.values, limit + 1] };
}

function sizeOf({ content }: Store.StoredSpan): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
