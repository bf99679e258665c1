import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "../analytics/analytics-query.ts";
import type { ValueCounts, ValuesQuery } from "../analytics/count-values.ts";
import type { UserScore, UsersQuery } from "../end-users.ts";
import type { Entity, EntityKind } from "../entity.ts";
import { rankedAfter, rankedFrom } from "../lists/by-score.ts";
import { justBefore, spanKey } from "../lists/positions.ts";
import { isByScore } from "../lists/sort-keys.ts";
import { toSpanOutline } from "../rows/span-outlines.ts";
import { toSpanPlace } from "../rows/span-summaries.ts";
import { toTraceWithoutTexts } from "../rows/trace-summaries.ts";
import { SlowReads } from "../slow-reads.ts";
import { HOUR_MICROS } from "../totals/hour-changes.ts";
import type * as Store from "../trace-store.ts";
import type { Sources } from "./filter/world.ts";
import { analyzeRows, countValuesOfRows } from "./read/analyze.ts";
import { inParts, inRanges, limited } from "./read/bounds.ts";
import { scanByScore } from "./read/by-score.ts";
import { Conditions } from "./read/conditions.ts";
import { readTogether, SelectedContents } from "./read/contents.ts";
import { cumulativeIn, findCumulative, memberOf, memberOfSummary } from "./read/cumulative.ts";
import { edgesOfTable, within } from "./read/edges.ts";
import { findFirstSeen, findUserScores } from "./read/end-users.ts";
import { countDependents, existingSpans, findEntities, findEntitiesById } from "./read/entities.ts";
import { previewRetention } from "./read/expired-traces.ts";
import { listSpanRows } from "./read/list-spans.ts";
import { listSpansOf } from "./read/list-spans-of.ts";
import { listTraces } from "./read/list-traces.ts";
import { metrics } from "./read/metrics.ts";
import { findProjectActivity, findProjectTotals } from "./read/project-totals.ts";
import { type Asked, selectFinal } from "./read/query.ts";
import type { RecentPlaces, RowPlace } from "./read/recent-places.ts";
import { findSessions, listSessions } from "./read/sessions.ts";
import { findSpanRows, findWholeTrace, toStoredSpans, toSummaries } from "./read/span-rows.ts";
import {
	byStart,
	findTraceRows,
	findTraceRowsById,
	findTracesOfSessions,
	type SpansPlace,
	toSummary,
	tracesByPlaces,
} from "./read/trace-rows.ts";
import { type RowSources, renewSpans } from "./readings/renew-spans.ts";
import { renewTraces } from "./readings/renew-traces.ts";
import { SPANS, type SpanRow, type TraceRow } from "./tables.ts";
import { countUnsigned } from "./text/progress.ts";

const CONTENTS_OF_BLOCK = 64;

/**
 * Reads traces of all shards. Each statement sees the newest rows; those of one call share no snapshot. Annotations and
 * projects are in the metadata database.
 */
export class ClickHouseTraceReader implements Store.TraceReader {
	readonly #sources: Sources;
	readonly #shard: ShardReader;
	readonly #recent: RecentPlaces;
	readonly #slowReads: SlowReads;

	/** @param atOnce lists with slow filters that run at a time */
	constructor(sources: Sources, atOnce: number) {
		this.#sources = sources;
		this.#shard = sources.shard;
		this.#recent = sources.recent;
		this.#slowReads = new SlowReads(atOnce);
	}

	listTraces(query: Store.TraceQuery): Promise<Store.Page<Store.TraceSummary>> {
		return this.#slowReads.run(query, async () => {
			const sources = this.#sourcesFor(query);
			const { after, ...rest } = query;
			const { sort } = rest;
			if (!isByScore(sort)) return await listTraces(sources, { ...query, sort });
			const page = await scanByScore(sources, "trace", { ...rest, sort }, after, ({ rowIds, from }) =>
				listTraces(sources, {
					...{ ...rest, sort: "start_time", limit: rowIds.length, rowIds },
					...(from ? { after: from } : {}),
				}),
			);
			return rankedAfter(
				page,
				page.rows.map(({ row }) => row),
			);
		});
	}

	async findTrace(traceRowId: number): Promise<Store.TraceSummary | undefined> {
		const [trace] = await this.findTraces([traceRowId]);
		return trace;
	}

	async findTracesByTraceIds(
		traceIds: readonly string[],
		projectId?: number,
	): Promise<readonly Store.TraceWithoutTexts[]> {
		return (await this.#renewed(this.#rowsByTraceIds(traceIds, projectId, "without"))).map(toTraceWithoutTexts);
	}

	async findSummariesByTraceIds(
		traceIds: readonly string[],
		projectId?: number,
	): Promise<readonly Store.TraceSummary[]> {
		return (await this.#renewed(this.#rowsByTraceIds(traceIds, projectId, "with"))).map((row) => toSummary(row));
	}

	async findTraces(traceRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		return (await this.#renewed(this.#rowsOf(traceRowIds, "with"))).map((row) => toSummary(row));
	}

	async listTraceSpans(
		traceRowId: number,
		{ limit, after, cumulative, mostContentBytes = 0 }: Store.TraceSpansQuery,
	): Promise<Store.TraceSpansPage> {
		const place = this.#recent.find(traceRowId);
		const whole =
			place && after === undefined ? await findWholeTrace(this.#shard, { ...place, id: traceRowId }, limit) : [];
		if (whole.length > 0 && whole.length <= limit) {
			const renewed = await renewSpans(this.#sources, whole);
			const page = await this.#withContents(renewed, mostContentBytes);
			return { ...page, more: false, ...(cumulative === true ? { cumulative: cumulativeIn(renewed) } : {}) };
		}
		const [trace] = await this.#placesOf([traceRowId]);
		if (trace === undefined) return { items: [], more: false };
		const { rows, following } = await listSpansOf(this.#shard, trace, { limit, after });
		const page = await this.#withContents(rows, mostContentBytes);
		const last = page.items.at(-1);
		if (following === undefined || last === undefined) return { ...page, more: false };
		return { ...page, more: true, next: { value: last.start.micros, id: last.id } };
	}

	async listSpanOutlines(traceRowId: number, page: Store.TracePage): Promise<Store.Page<Store.SpanOutline>> {
		const spans = await this.listTraceSpans(traceRowId, page);
		return { ...spans, items: spans.items.map(toSpanOutline) };
	}

	findCumulative(spans: readonly Store.SpanSummary[]): Promise<ReadonlyMap<number, Store.Cumulative>> {
		return findCumulative(this.#sources, spans.map(memberOfSummary));
	}

	async listSpans(query: Store.SpanQuery): Promise<Store.SpanPage<Store.SpanSummary>> {
		const sources = this.#sourcesFor(query);
		const page = await this.#listSpanRows(query, sources);
		const [items, cumulative] = await Promise.all([
			toSummaries(sources, page.items),
			query.cumulative === true ? findCumulative(sources, page.items.map(memberOf)) : undefined,
		]);
		return { ...page, items, ...(cumulative && { cumulative }) };
	}

	async listSpanPlaces(query: Store.SpansByRow): Promise<Store.Page<Store.SpanPlace>> {
		const page = await this.#listSpanRows(query, this.#sourcesFor(query));
		return { ...page, items: page.items.map(toSpanPlace) };
	}

	async listStoredSpans(query: Store.SpanQuery): Promise<Store.SpanPage<Store.StoredSpan>> {
		const sources = { ...this.#sourcesFor(query), selected: new SelectedContents() };
		const page = await this.#listSpanRows(query, sources);
		const rows = fitting(page.items, query.maxContentBytes);
		const [read, cumulative] = await Promise.all([
			readStored(sources, rows, query.maxContentBytes),
			query.cumulative === true ? findCumulative(sources, rows.map(memberOf)) : undefined,
		]);
		const following = page.items[read.length];
		return {
			...(following === undefined ? page : { more: true, next: spanKey(query, following) }),
			items: read,
			...(cumulative && { cumulative }),
		};
	}

	async findSpan(spanRowId: number): Promise<Store.StoredSpan | undefined> {
		const where = new Conditions().addEqual("id", "Int64", spanRowId);
		const [span] = await this.#storedSpans(where, { most: 1 });
		return span;
	}

	async findSpansBySpanId(
		spanId: string,
		within: { projectId?: number; traceId?: string } = {},
	): Promise<readonly Store.StoredSpan[]> {
		const where = new Conditions().addInHex("span_id", 8, [spanId]);
		if (within.projectId !== undefined) where.addEqual("project_id", "Int64", within.projectId);
		const { traceId } = within;
		if (traceId === undefined) return await this.#storedSpans(where);
		where.addInHex("trace_id", 16, [traceId]);
		return await this.#storedSpans(where, { traceIds: () => [traceId] });
	}

	async findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]> {
		const rows = await inParts(ids, async (part) => {
			const where = new Conditions().addEqual("project_id", "Int64", projectId);
			where.addInHex("trace_id", 16, [...new Set(part.map(({ traceId }) => traceId))]);
			where.addInHex("span_id", 8, [...new Set(part.map(({ spanId }) => spanId))]);
			return await selectFinal(
				this.#shard,
				`select trace_id, span_id from spans where ${where.sql}`,
				{ trace_id: SPANS.columns.trace_id, span_id: SPANS.columns.span_id },
				where.params,
				{ traceIds: () => part.map(({ traceId }) => traceId) },
			);
		});
		const found = new Set(rows.map((row) => `${row.trace_id.toString("hex")} ${row.span_id.toString("hex")}`));
		return ids.filter(({ traceId, spanId }) => found.has(`${traceId} ${spanId}`));
	}

	listSessions(query: Store.SessionQuery): Promise<Store.SessionPage> {
		return this.#slowReads.run(query, async () => {
			const sources = this.#sourcesFor(query);
			const { from: first, ...rest } = query;
			const { sort, order } = rest;
			if (!isByScore(sort)) return await listSessions(sources, { ...query, sort });
			const after = justBefore(first, order);
			const page = await scanByScore(sources, "session", { ...rest, sort }, after, ({ rowIds, from }) =>
				listSessions(sources, {
					...{ ...rest, sort: "id", limit: rowIds.length, rowIds },
					...(from ? { from } : {}),
				}),
			);
			return rankedFrom(
				page,
				page.rows.map(({ row }) => row),
				order,
			);
		});
	}

	async findSession(sessionRowId: number): Promise<Store.SessionSummary | undefined> {
		const [session] = await findSessions(this.#sources, new Conditions().addEqual("id", "Int64", sessionRowId));
		return session;
	}

	async findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly Store.SessionSummary[]> {
		const where = new Conditions().addEqual("session_id", "String", sessionId);
		if (projectId !== undefined) where.addEqual("project_id", "Int64", projectId);
		return await findSessions(this.#sources, where);
	}

	async listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly Store.TraceWithoutTexts[]> {
		return (await this.#renewed(findTracesOfSessions(this.#shard, sessionRowIds))).map(toTraceWithoutTexts);
	}

	metrics(query: Store.MetricsQuery): Promise<readonly Store.MetricsPoint[]> {
		return metrics(this.#shard, query);
	}

	async countSpans(range: Store.SpanRange): Promise<{ count: number; lastSpan: number }> {
		const edges = await edgesOfTable(this.#shard, { table: "spans", column: "start_micros" });
		const starts = edges && within(edges, range);
		if (starts === undefined) return { count: 0, lastSpan: 0 };
		const counts = await inRanges(starts, HOUR_MICROS, async ({ from, to }) => {
			const where = new Conditions().addEqual("project_id", "Int64", range.projectId);
			where.addTimeRange("start_micros", { startMicros: from, endMicros: to });
			return await selectFinal(
				this.#shard,
				`select count() as count, max(id) as last from spans where ${where.sql}`,
				{ count: types.Count, last: types.Integer },
				where.params,
			);
		});
		return {
			count: counts.reduce((sum, { count }) => sum + count, 0),
			lastSpan: counts.reduce((highest, { last }) => Math.max(highest, last), 0),
		};
	}

	analyze(query: AnalyticsQuery): Promise<AnalyticsAnswer> {
		return analyzeRows(this.#sourcesFor(query), query);
	}

	countValues(query: ValuesQuery): Promise<readonly ValueCounts[]> {
		return countValuesOfRows(this.#sourcesFor(query), query);
	}

	previewRetention(rule: Store.RetentionRule): Promise<Store.RetentionPreview> {
		return previewRetention(this.#sources, rule);
	}

	findFirstSeen(projectId: number, userIds?: readonly string[]): Promise<ReadonlyMap<string, number>> {
		return findFirstSeen(this.#shard, projectId, userIds);
	}

	findUserScores(query: UsersQuery): Promise<readonly UserScore[]> {
		return findUserScores(this.#sources, query);
	}

	findProjectTotals(projectIds: readonly number[]): Promise<ReadonlyMap<number, Store.ProjectTotals>> {
		return findProjectTotals(this.#shard, projectIds);
	}

	async findProjectActivity(
		projectIds: readonly number[],
		nowMicros: number,
		hours: number,
	): Promise<ReadonlyMap<number, Store.ProjectActivity>> {
		if (projectIds.length === 0) return new Map();
		const known = await this.#sources.db
			.selectFrom("projects")
			.select("id")
			.where("id", "in", listed(projectIds))
			.execute();
		return await findProjectActivity(
			this.#shard,
			known.map(({ id }) => id),
			nowMicros,
			hours,
		);
	}

	/** As many contents as blocks have in other stores count as one. */
	async countUnindexedBlocks(most: number): Promise<number> {
		const counts = await countUnsigned(this.#sources.shards);
		const count = counts.reduce((sum, one) => sum + one, 0);
		return Math.min(most, Math.ceil(count / CONTENTS_OF_BLOCK));
	}

	countDependents(kind: EntityKind, rowIds: readonly number[]): Promise<Store.Dependents> {
		return countDependents(this.#sources, kind, rowIds);
	}

	findEntities(kind: EntityKind, rowIds: readonly number[]): Promise<readonly Entity[]> {
		return findEntities(this.#shard, kind, rowIds);
	}

	findEntitiesById(kind: EntityKind, ids: readonly string[]): Promise<readonly Entity[]> {
		return findEntitiesById(this.#shard, kind, ids);
	}

	/** Traces and metadata are not in the same database: whoever stores a reference checks first, and what is deleted later is found by the reconciler. */
	holdSpans(_transaction: unknown, spanRowIds: readonly number[]): Promise<ReadonlySet<number>> {
		return existingSpans(this.#shard, spanRowIds);
	}

	#listSpanRows(
		query: Store.SpanQuery,
		sources: Sources,
	): Promise<Store.Page<SpanRow & { readonly mean_score?: number }>> {
		return this.#slowReads.run(query, async () => {
			const { from: first, ...rest } = query;
			const { sort, order } = rest;
			if (!isByScore(sort)) return await listSpanRows(sources, { ...query, sort });
			const after = justBefore(first, order);
			const page = await scanByScore(sources, "span", { ...rest, sort }, after, ({ rowIds, from }) =>
				listSpanRows(sources, {
					...{ ...rest, sort: "id", limit: rowIds.length, rowIds },
					...(from ? { from } : {}),
				}),
			);
			const items = page.rows.map(({ row, position }) => ({ ...row, mean_score: position.value }));
			return rankedFrom(page, items, order);
		});
	}

	/** Statements end when the caller has gone. */
	#sourcesFor({ caller }: { readonly caller?: Store.Caller }): Sources {
		return { ...this.#sources, shard: limited(this.#shard, { gone: caller?.gone }) };
	}

	async #storedSpans(where: Conditions, asked?: Asked): Promise<readonly Store.StoredSpan[]> {
		return await toStoredSpans(this.#sources, await findSpanRows(this.#shard, where, asked));
	}

	/** Spans, with their content where that is fewer bytes; of log records no row says how large they are. */
	async #withContents(
		rows: readonly SpanRow[],
		mostBytes: number,
	): Promise<Pick<Store.TraceSpansPage, "items" | "contents">> {
		const fits = rows.every(({ has_logs }) => has_logs === 0) && fitting(rows, mostBytes).length === rows.length;
		if (mostBytes === 0 || !fits) return { items: await toSummaries(this.#sources, rows) };
		const stored = await readStored(this.#sources, rows);
		return {
			items: stored.map(({ summary }) => summary),
			contents: new Map(stored.map(({ summary, content }) => [summary.id, content])),
		};
	}

	async #renewed(rows: Promise<readonly TraceRow[]>): Promise<readonly TraceRow[]> {
		return await renewTraces(this.#sources, await rows);
	}

	async #rowsByTraceIds(
		traceIds: readonly string[],
		projectId: number | undefined,
		texts: "with" | "without",
	): Promise<readonly TraceRow[]> {
		const inProjects = projectId === undefined ? undefined : [projectId];
		const rows = await findTraceRows(this.#shard, traceIds, (part) => tracesByPlaces(inProjects, part), {
			texts,
			asked: (part) => ({ traceIds: () => part }),
		});
		this.#recent.note(rows);
		return rows;
	}

	#placesOf(traceRowIds: readonly number[]): Promise<readonly SpansPlace[]> {
		return this.#rowsOf(traceRowIds, "without");
	}

	/** Traces by start: where they were lately, and by their numbers those that are not there. */
	async #rowsOf(traceRowIds: readonly number[], texts: "with" | "without"): Promise<TraceRow[]> {
		const wanted = new Set(traceRowIds);
		const places = [...wanted].flatMap((id) => this.#recent.find(id) ?? []);
		const near = (await this.#rowsAt(places, texts)).filter(({ id }) => wanted.delete(id));
		if (wanted.size === 0) return near;
		const others = await findTraceRowsById(this.#shard, [...wanted], texts === "without" ? texts : undefined);
		this.#recent.note(others);
		return [...near, ...others].toSorted(byStart);
	}

	async #rowsAt(places: readonly RowPlace[], texts: "with" | "without"): Promise<TraceRow[]> {
		const rows = await findTraceRows(this.#shard, places, atPlaces, {
			texts,
			asked: (part) => ({ traceIds: () => part.map((place) => place.trace_id.toString("hex")) }),
		});
		this.#recent.note(rows);
		return rows;
	}
}

function atPlaces(places: readonly RowPlace[]): Conditions {
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		places.map((place) => place.project_id),
	);
	where.addIn(
		"anchor_micros",
		"Int64",
		places.map((place) => place.anchor_micros),
	);
	return where.addInHex(
		"trace_id",
		16,
		places.map((place) => place.trace_id.toString("hex")),
	);
}

/** The first spans, up to the one with which their content reaches so many bytes, as far as their rows tell. */
function fitting<Row extends Pick<SpanRow, "content_bytes">>(
	rows: readonly Row[],
	maxBytes = Infinity,
): readonly Row[] {
	let bytes = 0;
	const end = rows.findIndex((row) => {
		bytes += row.content_bytes;
		return bytes >= maxBytes;
	});
	return end === -1 ? rows : rows.slice(0, end + 1);
}

/** Spans with their content, which may be fewer where log records make it large. */
async function readStored(
	sources: RowSources,
	rows: readonly SpanRow[],
	maxBytes = Infinity,
): Promise<readonly Store.StoredSpan[]> {
	const items: Store.StoredSpan[] = [];
	let bytes = 0;
	for (const part of readTogether(rows))
		for (const stored of await toStoredSpans(sources, part)) {
			if (bytes >= maxBytes) return items;
			items.push(stored);
			bytes += sizeOf(stored.content);
		}
	return items;
}

function sizeOf(content: Store.SpanContent): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
