import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { Entity, EntityKind } from "../entity.ts";
import { rankedAfter, rankedFrom } from "../lists/by-score.ts";
import { justBefore, spanKey } from "../lists/positions.ts";
import { isByScore } from "../lists/sort-keys.ts";
import { toTraceWithoutTexts } from "../rows/trace-summaries.ts";
import { SlowReads } from "../slow-reads.ts";
import { cumulativeOfRows } from "../totals/cumulative.ts";
import { HOUR_MICROS } from "../totals/hour-changes.ts";
import type * as Store from "../trace-store.ts";
import type { Sources } from "./filter/world.ts";
import { inParts, inRanges, limited } from "./read/bounds.ts";
import { scanByScore } from "./read/by-score.ts";
import { Conditions } from "./read/conditions.ts";
import { readTogether } from "./read/contents.ts";
import { edgesOfTable, within } from "./read/edges.ts";
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
import { findSpanRows, findSpansOf, toStoredSpans, toSummaries } from "./read/span-rows.ts";
import { byStart, findTraceRows, findTraceRowsById, type SpansPlace, toSummary } from "./read/trace-rows.ts";
import { SPANS, type SpanRow, TRACES, type TraceRow } from "./tables.ts";
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
		const places = await inParts(traceIds, async (part) => {
			const where = new Conditions().addInHex("trace_id", 16, part);
			if (projectId !== undefined) where.addEqual("project_id", "Int64", projectId);
			return await selectFinal(
				this.#shard,
				`select trace_id, project_id, anchor_micros from trace_places where ${where.sql}`,
				PLACE_COLUMNS,
				where.params,
				{ traceIds: () => part },
			);
		});
		return (await this.#rowsAt(places, "without")).map(toTraceWithoutTexts);
	}

	async findTraces(traceRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		return (await this.#rowsOf(traceRowIds, "with")).map((row) => toSummary(row));
	}

	async listTraceSpans(
		traceRowId: number,
		{ limit, after }: { limit: number; after?: Store.Keyset },
	): Promise<Store.Page<Store.SpanSummary>> {
		const [trace] = await this.#placesOf([traceRowId]);
		if (trace === undefined) return { items: [], more: false };
		const { rows, following } = await listSpansOf(this.#shard, trace, { limit, after });
		const items = await toSummaries(this.#shard, rows);
		const last = items.at(-1);
		if (following === undefined || last === undefined) return { items, more: false };
		return { items, more: true, next: { value: last.start.micros, id: last.id } };
	}

	async findCumulative(spans: readonly Store.SpanSummary[]): Promise<ReadonlyMap<number, Store.Cumulative>> {
		const wanted = Map.groupBy(spans, (span) => span.traceRowId);
		const rows = await findSpansOf(this.#shard, await this.#placesOf([...wanted.keys()]));
		const result = new Map<number, Store.Cumulative>();
		for (const [traceRowId, members] of Map.groupBy(rows, (row) => row.trace_row_id)) {
			const cumulativeOf = cumulativeOfRows(members);
			for (const { id } of wanted.get(traceRowId) ?? []) {
				const cumulative = cumulativeOf(id);
				if (cumulative !== undefined) result.set(id, cumulative);
			}
		}
		return result;
	}

	async listSpans(query: Store.SpanQuery): Promise<Store.Page<Store.SpanSummary>> {
		const page = await this.#listSpanRows(query);
		return { ...page, items: await toSummaries(this.#sourcesFor(query).shard, page.items) };
	}

	async listStoredSpans(query: Store.SpanQuery): Promise<Store.Page<Store.StoredSpan>> {
		const maxBytes = query.maxContentBytes ?? Number.POSITIVE_INFINITY;
		const page = await this.#listSpanRows(query);
		const { shard } = this.#sourcesFor(query);
		const items: Store.StoredSpan[] = [];
		let bytes = 0;
		for (const part of readTogether(page.items))
			for (const [index, stored] of (await toStoredSpans(shard, part)).entries()) {
				const row = part[index];
				if (bytes >= maxBytes && row !== undefined) return { items, more: true, next: spanKey(query, row) };
				items.push(stored);
				bytes += sizeOf(stored.content);
			}
		return { ...page, items };
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

	listSessions(query: Store.SessionQuery): Promise<Store.Page<Store.SessionSummary>> {
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
		const [session] = await findSessions(this.#sources.shards, new Conditions().addEqual("id", "Int64", sessionRowId));
		return session;
	}

	async findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly Store.SessionSummary[]> {
		const where = new Conditions().addEqual("session_id", "String", sessionId);
		if (projectId !== undefined) where.addEqual("project_id", "Int64", projectId);
		return await findSessions(this.#sources.shards, where);
	}

	async listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly Store.TraceWithoutTexts[]> {
		const ofSessions = (part: readonly number[]) => new Conditions().addIn("session_row_id", "Int64", part);
		return (await findTraceRows(this.#shard, sessionRowIds, ofSessions, { texts: "without" })).map(toTraceWithoutTexts);
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

	previewRetention(rule: Store.RetentionRule): Promise<Store.RetentionPreview> {
		return previewRetention(this.#sources, rule);
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

	#listSpanRows(query: Store.SpanQuery): Promise<Store.Page<SpanRow & { readonly mean_score?: number }>> {
		return this.#slowReads.run(query, async () => {
			const sources = this.#sourcesFor(query);
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
		return await toStoredSpans(this.#shard, await findSpanRows(this.#shard, where, asked));
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

const { trace_id, project_id, anchor_micros } = TRACES.columns;
const PLACE_COLUMNS = { trace_id, project_id, anchor_micros } as const;

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

function sizeOf(content: Store.SpanContent): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
