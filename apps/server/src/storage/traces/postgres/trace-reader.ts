import type { Transaction } from "kysely";
import type pg from "pg";
import { present } from "#base/present.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "../analytics/analytics-query.ts";
import type { ValueCounts, ValuesQuery } from "../analytics/count-values.ts";
import { countDependents } from "../count-dependents.ts";
import { findFirstSeen, findUserScores, type UsersQuery } from "../end-users.ts";
import type { Entity, EntityKind } from "../entity.ts";
import { findEntities, findEntitiesById, holdSpans, idChunks } from "../find-entities.ts";
import { spanKey } from "../lists/positions.ts";
import { findProjectActivity } from "../project-activity.ts";
import { findProjectTotals } from "../project-totals.ts";
import { type SpanOutlinesRow, spanOutlineColumns, toSpanOutlines } from "../rows/span-outlines.ts";
import { type SpanSummaryRow, toSpanPlace, toSpanSummary } from "../rows/span-summaries.ts";
import {
	NOT_DETACHED,
	TRACE_SUMMARY_COLUMNS,
	TRACE_SUMMARY_JOINS,
	type TraceSummaryRow,
	toTraceSummary,
	toTraceWithoutTexts,
} from "../rows/trace-summaries.ts";
import { SlowReads } from "../slow-reads.ts";
import type * as Store from "../trace-store.ts";
import { countUnindexedBlocks } from "./kept-up.ts";
import { type AnalyticsSources, analyzeRows, countValuesOfRows } from "./read/analyze.ts";
import { findCumulative } from "./read/cumulative.ts";
import { previewRetention } from "./read/expired-traces.ts";
import { listNeededSpans, listSpanRows } from "./read/list-spans.ts";
import { listTraces } from "./read/list-traces.ts";
import { metrics } from "./read/metrics.ts";
import { PostgresConditions } from "./read/postgres-conditions.ts";
import { bytesOfHex, inOneView, type Queryable, query as run } from "./read/query.ts";
import { findSessions, listSessions } from "./read/sessions.ts";
import { ShownTextsReader } from "./read/shown-texts.ts";
import { SPAN_SUMMARY_COLUMNS } from "./read/span-columns.ts";
import { SpanContents } from "./read/span-contents.ts";
import type { PostgresStoreOptions } from "./trace-store.ts";

/**
 * `TraceReader` on connection pools. Several statements of one call share a snapshot. As a replica may lag, look-ups by
 * an id that it lacks and reads on which decisions rest go to the primary.
 */
export class PostgresTraceReader implements Store.TraceReader {
	readonly #db: Database;
	readonly #reading: PostgresStoreOptions["reading"];
	readonly #slowReads: SlowReads;
	readonly #texts = new ShownTextsReader();

	constructor({ db, reading, settings }: PostgresStoreOptions) {
		this.#db = db;
		this.#reading = reading;
		// The other connections stay free for quick reads.
		this.#slowReads = new SlowReads(Math.max(1, Math.floor(settings.poolSize / 2)));
	}

	listTraces(query: Store.TraceQuery): Promise<Store.Page<Store.TraceSummary>> {
		return this.#slowReads.run(query, () => this.#inOneView((client) => listTraces(client, query, this.#texts)));
	}

	async findTrace(traceRowId: number): Promise<Store.TraceSummary | undefined> {
		const [trace] = await this.#traces(new PostgresConditions().add("traces.id = ?", traceRowId).add(NOT_DETACHED));
		return trace;
	}

	findTracesByTraceIds(traceIds: readonly string[], projectId?: number): Promise<readonly Store.TraceWithoutTexts[]> {
		const ids = traceIds.map(bytesOfHex);
		const where = new PostgresConditions().add("traces.trace_id = any(?::bytea[])", ids).add(NOT_DETACHED);
		if (projectId !== undefined) where.add("traces.project_id = ?", projectId);
		const wanted = new Set(traceIds);
		return this.#reading.find(
			async (pool) => (await traceRows(pool, where)).map(toTraceWithoutTexts),
			(found) => new Set(found.map(({ traceId }) => traceId)).size === wanted.size,
		);
	}

	async findSummariesByTraceIds(traceIds: readonly string[], projectId?: number) {
		const found = await this.findTracesByTraceIds(traceIds, projectId);
		return await this.findTraces(found.map(({ id }) => id));
	}

	findTraces(traceRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		// Live views need what was stored just now.
		const where = new PostgresConditions().addIn("traces.id", traceRowIds).add(NOT_DETACHED);
		return this.#reading.readNow((pool) => this.#selectTraces(pool, where));
	}

	async listTraceSpans(traceRowId: number, { limit, after }: Store.TracePage): Promise<Store.Page<Store.SpanSummary>> {
		const where = afterInTrace(traceRowId, after);
		const rows = await this.#reading.find(
			(pool) =>
				run<SpanSummaryRow>(
					pool,
					`select ${SPAN_SUMMARY_COLUMNS} from spans where ${where.sql} order by start_micros, id limit ?`,
					[...where.values, limit + 1],
				),
			isThere,
		);
		const items = rows.slice(0, limit).map(toSpanSummary);
		const last = items.at(-1);
		if (rows.length <= limit || last === undefined) return { items, more: false };
		return { items, more: true, next: { value: last.start.micros, id: last.id } };
	}

	async listSpanOutlines(
		traceRowId: number,
		{ limit, after }: Store.TracePage,
	): Promise<Store.Page<Store.SpanOutline>> {
		const where = afterInTrace(traceRowId, after);
		const [row] = await this.#reading.find(
			(pool) =>
				run<SpanOutlinesRow>(
					pool,
					`select traces.project_id, encode(traces.trace_id, 'hex') as trace_id,
						(select coalesce(json_agg(json_build_array(${spanOutlineColumns((value) => `encode(${value}, 'hex')`)}))::text, '[]')
							from (select * from spans where ${where.sql} order by start_micros, id limit ?) as spans) as spans
					from traces where traces.id = ?`,
					[...where.values, limit + 1, traceRowId],
				),
			isThere,
		);
		return toSpanOutlines(row, limit);
	}

	findCumulative(spans: readonly Store.SpanSummary[]): Promise<ReadonlyMap<number, Store.Cumulative>> {
		return this.#inOneView((client) => findCumulative(client, spans));
	}

	listSpans(query: Store.SpanQuery): Promise<Store.Page<Store.SpanSummary>> {
		const read = async (client: pg.PoolClient) => {
			const page = await listSpanRows(client, query);
			return { ...page, items: page.items.map(toSpanSummary) };
		};
		return this.#slowReads.run(query, () => this.#inOneView(read));
	}

	listSpanPlaces(query: Store.SpansByRow): Promise<Store.Page<Store.SpanPlace>> {
		const read = async (client: pg.PoolClient) => {
			const page = await listNeededSpans(client, query);
			return { ...page, items: page.items.map(toSpanPlace) };
		};
		return this.#slowReads.run(query, () => this.#inOneView(read));
	}

	listStoredSpans(query: Store.SpanQuery): Promise<Store.Page<Store.StoredSpan>> {
		const maxBytes = query.maxContentBytes ?? Number.POSITIVE_INFINITY;
		const read = async (client: pg.PoolClient): Promise<Store.Page<Store.StoredSpan>> => {
			const page = await listSpanRows(client, query);
			const items: Store.StoredSpan[] = [];
			let bytes = 0;
			for await (const { row, content } of new SpanContents(client).read(page.items)) {
				if (bytes >= maxBytes) return { items, more: true, next: spanKey(query, row) };
				items.push({ summary: toSpanSummary(row), content });
				bytes += sizeOf(content);
			}
			return { ...page, items };
		};
		// The caller knows the ids, so their traces have been found before.
		return this.#slowReads.run(query, () =>
			query.traceIds === undefined
				? this.#inOneView(read)
				: this.#reading.find(
						(pool) => inOneView(pool, read),
						({ items, more }) => more || isThere(items),
					),
		);
	}

	async findSpan(spanRowId: number): Promise<Store.StoredSpan | undefined> {
		const [span] = await this.#storedSpans(new PostgresConditions().add("id = ?", spanRowId));
		return span;
	}

	findSpansBySpanId(
		spanId: string,
		within: { projectId?: number; traceId?: string } = {},
	): Promise<readonly Store.StoredSpan[]> {
		const where = new PostgresConditions().add("span_id = ?", bytesOfHex(spanId));
		if (within.projectId !== undefined) where.add("project_id = ?", within.projectId);
		if (within.traceId !== undefined) where.add("trace_id = ?", bytesOfHex(within.traceId));
		return this.#storedSpans(where);
	}

	async findEntitiesById(kind: EntityKind, ids: readonly string[]): Promise<readonly Entity[]> {
		if (kind !== "span") return await findEntitiesById(this.#db.read, kind, ids);
		const rowIds: number[] = [];
		for (const part of idChunks(ids)) rowIds.push(...(await this.#findSpanRows(part)));
		return await findEntities(this.#db.read, kind, rowIds);
	}

	countDependents(kind: EntityKind, rowIds: readonly number[]) {
		return countDependents(this.#db.read, kind, rowIds);
	}

	findEntities(
		kind: EntityKind,
		rowIds: readonly number[],
		transaction?: Transaction<Tables>,
	): Promise<readonly Entity[]> {
		return findEntities(transaction ?? this.#db.read, kind, rowIds);
	}

	holdSpans(transaction: Transaction<Tables>, spanRowIds: readonly number[]): Promise<ReadonlySet<number>> {
		return holdSpans(transaction, spanRowIds);
	}

	async #findSpanRows(spanIds: readonly string[]): Promise<readonly number[]> {
		const rows = await this.#reading.readNow((pool) =>
			run<{ id: number }>(
				pool,
				`select distinct id from unnest(?::bytea[]) as wanted (span_id)
				cross join lateral (select id from spans where spans.span_id = wanted.span_id offset 0) as found`,
				[spanIds.map(bytesOfHex)],
			),
		);
		return rows.map(({ id }) => id);
	}

	async findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]> {
		const rows = await this.#reading.readNow((pool) =>
			run<{ position: number }>(
				pool,
				`select position from unnest(?::bytea[], ?::bytea[]) with ordinality as wanted (trace_id, span_id, position)
				where exists (
					select 1 from traces join spans on spans.trace_row_id = traces.id
					where traces.trace_id = wanted.trace_id and traces.project_id = ? and spans.span_id = wanted.span_id
					offset 0)
				order by position`,
				[ids.map(({ traceId }) => bytesOfHex(traceId)), ids.map(({ spanId }) => bytesOfHex(spanId)), projectId],
			),
		);
		return rows.map(({ position }) => present(ids[position - 1], "an id that was asked for"));
	}

	listSessions(query: Store.SessionQuery): Promise<Store.Page<Store.SessionSummary>> {
		return this.#slowReads.run(query, () => this.#inOneView((client) => listSessions(client, query, this.#texts)));
	}

	async findSession(sessionRowId: number): Promise<Store.SessionSummary | undefined> {
		const where = new PostgresConditions().add("sessions.id = ?", sessionRowId);
		const [session] = await this.#reading.find(
			(pool) => inOneView(pool, (client) => findSessions(client, where, this.#texts)),
			isThere,
		);
		return session;
	}

	findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly Store.SessionSummary[]> {
		const where = new PostgresConditions().add("sessions.session_id = ?", sessionId);
		// The unique index starts with the project, so search each project.
		if (projectId === undefined) where.add("sessions.project_id = any(array(select id from projects))");
		else where.add("sessions.project_id = ?", projectId);
		return this.#reading.find((pool) => inOneView(pool, (client) => findSessions(client, where, this.#texts)), isThere);
	}

	async listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly Store.TraceWithoutTexts[]> {
		const where = new PostgresConditions().addIn("traces.session_row_id", sessionRowIds);
		return (await this.#reading.find((pool) => traceRows(pool, where), isThere)).map(toTraceWithoutTexts);
	}

	metrics(query: Store.MetricsQuery): Promise<readonly Store.MetricsPoint[]> {
		return this.#inOneView((client) => metrics(client, query));
	}

	analyze(query: AnalyticsQuery): Promise<AnalyticsAnswer> {
		return this.#inOneView((client) => analyzeRows(this.#analyticsSources(client), query));
	}

	countValues(query: ValuesQuery): Promise<readonly ValueCounts[]> {
		return this.#inOneView((client) => countValuesOfRows(this.#analyticsSources(client), query));
	}

	#analyticsSources(client: pg.PoolClient): AnalyticsSources {
		const tracesOf = async (where: PostgresConditions) => (await traceRows(client, where)).map(toTraceWithoutTexts);
		return { client, texts: this.#texts, tracesOf };
	}

	previewRetention(rule: Store.RetentionRule): Promise<Store.RetentionPreview> {
		return this.#inOneView((client) => previewRetention(client, rule, this.#texts));
	}

	async countSpans(range: Store.SpanRange): Promise<{ count: number; lastSpan: number }> {
		const where = new PostgresConditions().add("project_id = ?", range.projectId).addTimeRange("start_micros", range);
		const [row] = await this.#reading.readNow((pool) =>
			run<{ count: number; lastSpan: number }>(
				pool,
				`select count(*) as count, coalesce(max(id), 0) as "lastSpan" from spans where ${where.sql}`,
				where.values,
			),
		);
		return present(row, "the count of spans");
	}

	findFirstSeen(projectId: number, userIds?: readonly string[]) {
		return findFirstSeen(this.#db.read, projectId, userIds);
	}

	findUserScores(query: UsersQuery) {
		return findUserScores(this.#db.read, query);
	}

	findProjectTotals(projectIds: readonly number[]): Promise<ReadonlyMap<number, Store.ProjectTotals>> {
		return findProjectTotals(this.#db.read, projectIds);
	}

	findProjectActivity(
		projectIds: readonly number[],
		nowMicros: number,
		hours: number,
	): Promise<ReadonlyMap<number, Store.ProjectActivity>> {
		return findProjectActivity(this.#db.read, projectIds, nowMicros, hours);
	}

	countUnindexedBlocks(most: number): Promise<number> {
		return this.#reading.readNow((pool) => countUnindexedBlocks(pool, most));
	}

	async #traces(where: PostgresConditions): Promise<readonly Store.TraceSummary[]> {
		return await this.#reading.find((pool) => this.#selectTraces(pool, where), isThere);
	}

	#selectTraces(pool: pg.Pool, where: PostgresConditions): Promise<readonly Store.TraceSummary[]> {
		return inOneView(pool, async (client) => {
			const rows = await traceRows(client, where);
			const texts = await this.#texts.read(client, rows);
			return rows.map((row) => toTraceSummary(row, texts));
		});
	}

	#storedSpans(where: PostgresConditions): Promise<readonly Store.StoredSpan[]> {
		return this.#reading.find(
			(pool) =>
				inOneView(pool, async (client) => {
					const rows = await findSpanRows(client, where);
					const spans: Store.StoredSpan[] = [];
					for await (const { row, content } of new SpanContents(client).read(rows))
						spans.push({ summary: toSpanSummary(row), content });
					return spans;
				}),
			isThere,
		);
	}

	#inOneView<T>(read: (client: pg.PoolClient) => Promise<T>): Promise<T> {
		return this.#reading.read((pool) => inOneView(pool, read));
	}
}

function afterInTrace(traceRowId: number, after: Store.Keyset | undefined): PostgresConditions {
	// No span of a trace starts before the trace, so earlier months are not read.
	const where = new PostgresConditions()
		.add("trace_row_id = ?", traceRowId)
		.add("start_micros >= (select start_micros from traces where id = ?)", traceRowId);
	if (after !== undefined)
		where.add("start_micros >= ?", after.value).add("(start_micros, id) > (?, ?)", after.value, after.id);
	return where;
}

const isThere = (found: readonly unknown[]): boolean => found.length > 0;

function traceRows(client: Queryable, where: PostgresConditions): Promise<TraceSummaryRow[]> {
	return run(
		client,
		`select ${TRACE_SUMMARY_COLUMNS} from traces ${TRACE_SUMMARY_JOINS} where ${where.sql}
		order by traces.start_micros, traces.start_nanos, traces.id`,
		where.values,
	);
}

function findSpanRows(client: Queryable, where: PostgresConditions): Promise<SpanSummaryRow[]> {
	return run(
		client,
		`select ${SPAN_SUMMARY_COLUMNS} from spans where ${where.sql} order by start_micros, id`,
		where.values,
	);
}

function sizeOf(content: Store.SpanContent): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
