import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { Entity, EntityKind } from "../entity.ts";
import { rankedAfter, rankedFrom } from "../lists/by-score.ts";
import { justBefore, spanKey } from "../lists/positions.ts";
import { isByScore } from "../lists/sort-keys.ts";
import { toTraceWithoutTexts } from "../rows/trace-summaries.ts";
import { SlowReads } from "../slow-reads.ts";
import { cumulativeOfRows } from "../totals/cumulative.ts";
import type * as Store from "../trace-store.ts";
import type { Sources } from "./filter/world.ts";
import { scanByScore } from "./read/by-score.ts";
import { Conditions } from "./read/conditions.ts";
import { readTogether } from "./read/contents.ts";
import { countDependents, existingSpans, findEntities, findEntitiesById } from "./read/entities.ts";
import { previewRetention } from "./read/expired-traces.ts";
import { listSpanRows } from "./read/list-spans.ts";
import { listTraces } from "./read/list-traces.ts";
import { metrics } from "./read/metrics.ts";
import { findProjectActivity, findProjectTotals } from "./read/project-totals.ts";
import { findRows, selectFinal } from "./read/query.ts";
import { findSessions, listSessions } from "./read/sessions.ts";
import { findSpanRows, toStoredSpans, toSummaries } from "./read/span-rows.ts";
import { findTraceRows, inTraces, toSummary } from "./read/trace-rows.ts";
import { SPANS, type SpanRow } from "./tables.ts";

/**
 * Reads traces of one shard. Each statement sees the newest rows; those of one call share no snapshot. Annotations and
 * projects are in the metadata database.
 */
export class ClickHouseTraceReader implements Store.TraceReader {
	readonly #sources: Sources;
	readonly #shard: Shard;
	readonly #slowReads: SlowReads;

	/** @param atOnce lists with slow filters that run at a time */
	constructor(sources: Sources, atOnce: number) {
		this.#sources = sources;
		this.#shard = sources.shard;
		this.#slowReads = new SlowReads(atOnce);
	}

	listTraces(query: Store.TraceQuery): Promise<Store.Page<Store.TraceSummary>> {
		return this.#slowReads.run(query, async () => {
			const { after, ...rest } = query;
			const { sort } = rest;
			if (!isByScore(sort)) return await listTraces(this.#sources, { ...query, sort });
			const page = await scanByScore(this.#sources, "trace", { ...rest, sort }, after, ({ rowIds, from }) =>
				listTraces(this.#sources, {
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
		const where = new Conditions();
		const places = new Conditions().addInHex("trace_id", 16, traceIds);
		if (projectId !== undefined) places.addEqual("project_id", "Int64", projectId);
		const found = await selectFinal(
			this.#shard,
			`select project_id, anchor_micros from trace_places where ${places.sql}`,
			{ project_id: types.Integer, anchor_micros: types.Integer },
			places.params,
		);
		if (found.length === 0) return [];
		where.addIn("project_id", "Int64", [...new Set(found.map(({ project_id }) => project_id))]);
		where.addIn("anchor_micros", "Int64", [...new Set(found.map(({ anchor_micros }) => anchor_micros))]);
		where.addInHex("trace_id", 16, traceIds);
		return (await findTraceRows(this.#shard, where)).map(toTraceWithoutTexts);
	}

	async findTraces(traceRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		if (traceRowIds.length === 0) return [];
		const where = new Conditions().addIn("id", "Int64", traceRowIds);
		return (await findTraceRows(this.#shard, where)).map((row) => toSummary(row));
	}

	async listTraceSpans(
		traceRowId: number,
		{ limit, after }: { limit: number; after?: Store.Keyset },
	): Promise<Store.Page<Store.SpanSummary>> {
		const where = await this.#inTraces([traceRowId]);
		if (where === undefined) return { items: [], more: false };
		if (after !== undefined)
			where.add(`(start_micros, id) > (${where.bind("Int64", after.value)}, ${where.bind("Int64", after.id)})`);
		const rows = await findRows(this.#shard, SPANS, where, `order by start_micros, id limit ${limit + 1}`);
		const items = await toSummaries(this.#shard, rows.slice(0, limit));
		const last = items.at(-1);
		if (rows.length <= limit || last === undefined) return { items, more: false };
		return { items, more: true, next: { value: last.start.micros, id: last.id } };
	}

	async findCumulative(spans: readonly Store.SpanSummary[]): Promise<ReadonlyMap<number, Store.Cumulative>> {
		const wanted = Map.groupBy(spans, (span) => span.traceRowId);
		const where = await this.#inTraces([...wanted.keys()]);
		const result = new Map<number, Store.Cumulative>();
		if (where === undefined) return result;
		const rows = await findRows(this.#shard, SPANS, where);
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
		return { ...page, items: await toSummaries(this.#shard, page.items) };
	}

	async listStoredSpans(query: Store.SpanQuery): Promise<Store.Page<Store.StoredSpan>> {
		const maxBytes = query.maxContentBytes ?? Number.POSITIVE_INFINITY;
		const page = await this.#listSpanRows(query);
		const items: Store.StoredSpan[] = [];
		let bytes = 0;
		for (const part of readTogether(page.items))
			for (const [index, stored] of (await toStoredSpans(this.#shard, part)).entries()) {
				const row = part[index];
				if (bytes >= maxBytes && row !== undefined) return { items, more: true, next: spanKey(query, row) };
				items.push(stored);
				bytes += sizeOf(stored.content);
			}
		return { ...page, items };
	}

	async findSpan(spanRowId: number): Promise<Store.StoredSpan | undefined> {
		const where = new Conditions().addEqual("id", "Int64", spanRowId);
		const [span] = await this.#storedSpans(where);
		return span;
	}

	async findSpansBySpanId(
		spanId: string,
		within: { projectId?: number; traceId?: string } = {},
	): Promise<readonly Store.StoredSpan[]> {
		const where = new Conditions().addInHex("span_id", 8, [spanId]);
		if (within.projectId !== undefined) where.addEqual("project_id", "Int64", within.projectId);
		if (within.traceId !== undefined) where.addInHex("trace_id", 16, [within.traceId]);
		return await this.#storedSpans(where);
	}

	async findExistingSpans(
		projectId: number,
		ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]> {
		if (ids.length === 0) return [];
		const where = new Conditions().addEqual("project_id", "Int64", projectId);
		where.addInHex("trace_id", 16, [...new Set(ids.map(({ traceId }) => traceId))]);
		where.addInHex("span_id", 8, [...new Set(ids.map(({ spanId }) => spanId))]);
		const rows = await selectFinal(
			this.#shard,
			`select trace_id, span_id from spans where ${where.sql}`,
			{ trace_id: SPANS.columns.trace_id, span_id: SPANS.columns.span_id },
			where.params,
		);
		const found = new Set(rows.map((row) => `${row.trace_id.toString("hex")} ${row.span_id.toString("hex")}`));
		return ids.filter(({ traceId, spanId }) => found.has(`${traceId} ${spanId}`));
	}

	listSessions(query: Store.SessionQuery): Promise<Store.Page<Store.SessionSummary>> {
		return this.#slowReads.run(query, async () => {
			const { from: first, ...rest } = query;
			const { sort, order } = rest;
			if (!isByScore(sort)) return await listSessions(this.#sources, { ...query, sort });
			const after = justBefore(first, order);
			const page = await scanByScore(this.#sources, "session", { ...rest, sort }, after, ({ rowIds, from }) =>
				listSessions(this.#sources, {
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
		const [session] = await findSessions(this.#shard, new Conditions().addEqual("id", "Int64", sessionRowId));
		return session;
	}

	async findSessionsBySessionId(sessionId: string, projectId?: number): Promise<readonly Store.SessionSummary[]> {
		const where = new Conditions().addEqual("session_id", "String", sessionId);
		if (projectId !== undefined) where.addEqual("project_id", "Int64", projectId);
		return await findSessions(this.#shard, where);
	}

	async listSessionTraces(sessionRowIds: readonly number[]): Promise<readonly Store.TraceWithoutTexts[]> {
		const where = new Conditions().addIn("session_row_id", "Int64", sessionRowIds);
		return (await findTraceRows(this.#shard, where)).map(toTraceWithoutTexts);
	}

	metrics(query: Store.MetricsQuery): Promise<readonly Store.MetricsPoint[]> {
		return metrics(this.#shard, query);
	}

	async countSpans(range: Store.SpanRange): Promise<{ count: number; lastSpan: number }> {
		const where = new Conditions().addEqual("project_id", "Int64", range.projectId);
		where.addTimeRange("start_micros", range);
		const [row] = await selectFinal(
			this.#shard,
			`select count() as count, max(id) as last from spans where ${where.sql}`,
			{ count: types.Count, last: types.Integer },
			where.params,
		);
		return { count: row?.count ?? 0, lastSpan: row?.last ?? 0 };
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

	/** There is no index of texts: content is searched as it is. */
	async countUnindexedBlocks(): Promise<number> {
		return 0;
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
			const { from: first, ...rest } = query;
			const { sort, order } = rest;
			if (!isByScore(sort)) return await listSpanRows(this.#sources, { ...query, sort });
			const after = justBefore(first, order);
			const page = await scanByScore(this.#sources, "span", { ...rest, sort }, after, ({ rowIds, from }) =>
				listSpanRows(this.#sources, {
					...{ ...rest, sort: "id", limit: rowIds.length, rowIds },
					...(from ? { from } : {}),
				}),
			);
			const items = page.rows.map(({ row, position }) => ({ ...row, mean_score: position.value }));
			return rankedFrom(page, items, order);
		});
	}

	async #storedSpans(where: Conditions): Promise<readonly Store.StoredSpan[]> {
		return await toStoredSpans(this.#shard, await findSpanRows(this.#shard, where));
	}

	/** The condition of being a span of these traces; undefined when none is there. */
	async #inTraces(traceRowIds: readonly number[]): Promise<Conditions | undefined> {
		if (traceRowIds.length === 0) return undefined;
		const where = new Conditions().addIn("id", "Int64", traceRowIds);
		const rows = await selectFinal(
			this.#shard,
			`select id, project_id, start_micros, last_start_micros from traces where ${where.sql}`,
			PLACES,
			where.params,
		);
		return rows.length === 0 ? undefined : inTraces(rows);
	}
}

const PLACES = {
	id: types.Integer,
	project_id: types.Integer,
	start_micros: types.Integer,
	last_start_micros: types.Integer,
} as const;

function sizeOf(content: Store.SpanContent): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
