import type { ClientBase } from "pg";
import { matchesAttributes } from "#storage/traces/content/attribute-filter.ts";
import { type RankedRow, rankedFrom } from "#storage/traces/lists/by-score.ts";
import { justBefore, pageFrom, spanKey } from "#storage/traces/lists/positions.ts";
import { isByScore, type SortableSpan, SPAN_SORTS, sortSql } from "#storage/traces/lists/sort-keys.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { AttributeEquals, Page, SpanQuery, SpanSort, SpansByRow } from "#storage/traces/trace-store.ts";
import { NEEDED_COLUMNS, type NeededSpan } from "../filter/needed-spans.ts";
import { planFilter } from "../filter/plan.ts";
import { startTextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { isSmallRange, scanPage, storable } from "./ordered-scan.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { bytesOfHex, type Queryable, query as run } from "./query.ts";
import { SPAN_SUMMARY_COLUMNS } from "./span-columns.ts";
import { SpanContents } from "./span-contents.ts";

const LATENCY = "(spans.end_micros - spans.start_micros)";

export async function listSpanRows(client: ClientBase, query: SpanQuery): Promise<Page<ListedSpan>> {
	const { from: first, ...rest } = query;
	const { sort, order } = rest;
	if (!isByScore(sort)) return await listByColumn(client, { ...query, sort });
	const page = await scanByScore(client, "span", { ...rest, sort }, justBefore(first, order), ({ rowIds, from }) =>
		listByColumn(client, { ...rest, sort: "id", limit: rowIds.length, rowIds, ...(from ? { from } : {}) }),
	);
	return rankedFrom(page, page.rows.map(withScore), order);
}

/** A row of a list of spans; with its score where the list is sorted by it. */
type ListedSpan = SpanSummaryRow & Pick<SortableSpan, "mean_score">;
type ColumnQuery = SpanQuery & { readonly sort: SpanSort };

function withScore({ row, position }: RankedRow<SpanSummaryRow>): ListedSpan {
	return { ...row, mean_score: position.value };
}

async function listByColumn(client: ClientBase, query: ColumnQuery): Promise<Page<SpanSummaryRow>> {
	const { scan, isSorted } = await scanOf(client, query);
	const { order, keyOf } = scan;
	if (scan.checks.length === 0 || !isSorted) {
		const page = await scanPage<SpanSummaryRow>(client, { ...scan, columns: SPAN_SUMMARY_COLUMNS });
		return pageFrom(page, page.rows, order, keyOf);
	}
	const page = await scanPage<NeededSpan>(client, { ...scan, columns: NEEDED_COLUMNS });
	return pageFrom(page, await wholeRows(client, page.rows), order, keyOf);
}

/** The rows of the same list with the columns of `NeededSpan` only. */
export async function listNeededSpans(client: ClientBase, query: SpansByRow): Promise<Page<NeededSpan>> {
	const { scan } = await scanOf(client, query);
	const page = await scanPage<NeededSpan>(client, { ...scan, columns: NEEDED_COLUMNS });
	return pageFrom(page, page.rows, scan.order, scan.keyOf);
}

async function scanOf(client: ClientBase, query: ColumnQuery) {
	const { projectId, order, limit, attributes, text } = query;
	const searched = text === undefined ? undefined : await startTextSearch(client, projectId, text, "span");
	const plan = await planFilter(client, query, "span");
	const known = [query.rowIds, searched?.rows, plan?.rows].filter((rows) => rows !== undefined);
	const { narrow, base } = await rangeOf(client, query, known);
	const filter = spanFilter(query);
	if (plan !== undefined) filter.addAll(plan.quick);
	const checks = [searched?.matches, plan?.slow, attributeCheck(client, attributes)].filter(
		(check) => check !== undefined,
	);
	const key = query.sort === "id" ? undefined : SPAN_SORTS[query.sort];
	const isSorted = key === undefined || key.isIndexed === true;
	if (!isSorted) base.addAll(filter);
	const keyOf = (row: NeededSpan) => spanKey(query, row);
	const scan = {
		table: "spans" as const,
		joins: "",
		value: key === undefined ? null : sortSql(key, order),
		order,
		narrow,
		base,
		filter: isSorted ? filter : new PostgresConditions(),
		keyOf,
		after: justBefore(query.from && key ? storable(key, query.from) : query.from, order),
		limit,
		checks,
	};
	return { scan, isSorted };
}

/** The same rows with all columns: only those shown are read completely. */
async function wholeRows(client: Queryable, rows: readonly NeededSpan[]): Promise<SpanSummaryRow[]> {
	const starts = rows.map(({ start_micros }) => start_micros);
	const found = await run<SpanSummaryRow>(
		client,
		`select ${SPAN_SUMMARY_COLUMNS} from spans where id = any(?::bigint[]) and start_micros = any(?::bigint[])`,
		[rows.map(({ id }) => id), starts],
	);
	const byId = new Map(found.map((row) => [row.id, row]));
	return rows.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
}

function attributeCheck(client: ClientBase, wanted: readonly AttributeEquals[] | undefined) {
	if (wanted === undefined || wanted.length === 0) return undefined;
	const contents = new SpanContents(client);
	return async (rows: readonly NeededSpan[]) => {
		const matching = new Set<number>();
		for await (const { row, content } of contents.read(rows))
			if (matchesAttributes(content, wanted)) matching.add(row.id);
		return matching;
	};
}

/** The range to scan: few spans found by one index, or all spans of an index in the order of the list. */
async function rangeOf(
	client: Queryable,
	query: SpanQuery,
	known: readonly (readonly number[])[],
): Promise<{ narrow: PostgresConditions | undefined; base: PostgresConditions }> {
	const base = new PostgresConditions()
		.add("spans.project_id = ?", query.projectId)
		.addTimeRange("spans.start_micros", query);
	const [narrow, ...others] = [
		...known.toSorted((a, b) => a.length - b.length).map((rows) => new PostgresConditions().addIn("spans.id", rows)),
		...(query.spanIds === undefined ? [] : [new PostgresConditions().addInBytes("spans.span_id", query.spanIds)]),
		...(await inTraces(client, query)),
	];
	for (const other of others) base.addAll(other);
	// The time range limits which months are read.
	if (narrow !== undefined) return { narrow: narrow.addTimeRange("spans.start_micros", query), base };
	const isSmall = query.sort === "id" && (await isSmallRange(client, "spans", query));
	return isSmall ? { narrow: base, base: new PostgresConditions() } : { narrow: undefined, base };
}

/** The condition of being in the requested traces and sessions, if any. */
async function inTraces(client: Queryable, query: SpanQuery): Promise<PostgresConditions[]> {
	const traces = await tracesOf(client, query);
	if (traces === undefined) return [];
	const ids = traces.map(({ id }) => id);
	// No span of a trace starts before the trace.
	const first = traces.reduce((least, { start_micros }) => Math.min(least, start_micros), Number.MAX_SAFE_INTEGER);
	return [new PostgresConditions().addIn("spans.trace_row_id", ids).add("spans.start_micros >= ?", first)];
}

/** The requested traces and those of the requested sessions; undefined when the query names neither. */
async function tracesOf(client: Queryable, { projectId, traceIds, sessionIds }: SpanQuery) {
	if (traceIds === undefined && sessionIds === undefined) return undefined;
	const where = new PostgresConditions().add("project_id = ?", projectId).addInBytes("trace_id", traceIds);
	if (sessionIds !== undefined)
		where.add(
			"session_row_id = any(array(select id from sessions where project_id = ? and session_id = any(?::text[])))",
			projectId,
			sessionIds,
		);
	return run<{ id: number; start_micros: number }>(
		client,
		`select id, start_micros from traces where ${where.sql}`,
		where.values,
	);
}

function spanFilter(query: SpanQuery): PostgresConditions {
	const filter = new PostgresConditions();
	if (query.parentSpanId === null) filter.add("spans.parent_span_id is null");
	else if (query.parentSpanId !== undefined) filter.add("spans.parent_span_id = ?", bytesOfHex(query.parentSpanId));
	filter.addIn("spans.name", query.names);
	filter.addIn("spans.kind", query.kinds?.map(kindNumber));
	filter.addIn("spans.status_code", query.statusCodes);
	if (query.error !== undefined) filter.add(query.error ? "spans.status_code = 2" : "spans.status_code <> 2");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) filter.add(`not ${runningSql("spans")}`);
	// Limits may be fractions of a microsecond.
	if (query.minLatencyMs !== undefined) filter.add(`${LATENCY} >= ?::double precision`, query.minLatencyMs * 1_000);
	if (query.maxLatencyMs !== undefined) filter.add(`${LATENCY} <= ?::double precision`, query.maxLatencyMs * 1_000);
	filter.addIn("spans.user_id", query.userIds);
	filter.addIn("spans.model", query.models);
	return filter;
}
