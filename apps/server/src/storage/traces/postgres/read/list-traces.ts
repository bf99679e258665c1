import type { ClientBase } from "pg";
import type { TextsBySpan } from "#storage/traces/content/shown-texts.ts";
import { rankedAfter } from "#storage/traces/lists/by-score.ts";
import { fromTraceKey, traceKey, tracePage } from "#storage/traces/lists/positions.ts";
import { isByScore, sortSql, TRACE_SORTS } from "#storage/traces/lists/sort-keys.ts";
import {
	TRACE_SUMMARY_COLUMNS,
	TRACE_SUMMARY_JOINS,
	type TraceSummaryRow,
	toTraceSummary,
} from "#storage/traces/rows/trace-summaries.ts";
import type { Page, TraceQuery, TraceSort, TraceSummary } from "#storage/traces/trace-store.ts";
import { planFilter } from "../filter/plan.ts";
import { startTextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { isSmallRange, narrowBy, scanPage, storable } from "./ordered-scan.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import type { Queryable } from "./query.ts";
import type { ShownTextsReader } from "./shown-texts.ts";

const LATENCY = "(traces.end_micros - traces.start_micros)";

export async function listTraces(
	client: ClientBase,
	query: TraceQuery,
	reader: ShownTextsReader,
): Promise<Page<TraceSummary>> {
	const { after, ...rest } = query;
	const { sort } = rest;
	if (!isByScore(sort)) return await listByColumn(client, { ...query, sort }, reader);
	const page = await scanByScore(client, "trace", { ...rest, sort }, after, ({ rowIds, from }) =>
		listByColumn(
			client,
			{ ...rest, sort: "start_time", limit: rowIds.length, rowIds, ...(from ? { after: from } : {}) },
			reader,
		),
	);
	return rankedAfter(
		page,
		page.rows.map(({ row }) => row),
	);
}

type ColumnQuery = TraceQuery & { readonly sort: TraceSort };

async function listByColumn(
	client: ClientBase,
	query: ColumnQuery,
	reader: ShownTextsReader,
): Promise<Page<TraceSummary>> {
	const { projectId, sort, order, limit, text } = query;
	const searched = text === undefined ? undefined : await startTextSearch(client, projectId, text, "trace");
	const plan = await planFilter(client, query, "trace");
	const { narrow, base } = await rangeOf(client, query, [query.rowIds, searched?.rows, plan?.rows]);
	const filter = traceFilter(query);
	if (plan !== undefined) filter.addAll(plan.quick);
	const key = TRACE_SORTS[sort];
	if (key.isIndexed !== true) base.addAll(filter);
	const page = await scanPage<TraceSummaryRow>(client, {
		columns: TRACE_SUMMARY_COLUMNS,
		table: "traces",
		joins: TRACE_SUMMARY_JOINS,
		value: sortSql(key, order),
		order,
		narrow,
		base,
		filter: key.isIndexed === true ? filter : new PostgresConditions(),
		checks: [searched?.matches, plan?.slow].filter((check) => check !== undefined),
		keyOf: (row) => fromTraceKey(query, traceKey(query, row)),
		after: query.after === undefined ? undefined : storable(key, fromTraceKey(query, query.after)),
		limit,
	});
	const texts: TextsBySpan = query.withTexts === false ? new Map() : await reader.read(client, page.rows);
	return tracePage(
		page,
		page.rows.map((row) => toTraceSummary(row, texts)),
		query,
	);
}

/** The range to scan: few traces found by one index, or all traces of an index in the order of the list. */
async function rangeOf(
	client: Queryable,
	query: TraceQuery,
	known: readonly (readonly number[] | undefined)[],
): Promise<{ narrow: PostgresConditions | undefined; base: PostgresConditions }> {
	const base = new PostgresConditions()
		.add("traces.project_id = ?", query.projectId)
		.addTimeRange("traces.start_micros", query);
	const narrow = narrowBy(base, [
		...known.map((rows) => ["traces.id", rows] as const),
		["traces.session_row_id", query.sessionRowIds],
	]);
	if (narrow !== undefined) return { narrow, base };
	const isSmall = query.sort === "latency_ms" && (await isSmallRange(client, "traces", query));
	return isSmall ? { narrow: base, base: new PostgresConditions() } : { narrow: undefined, base };
}

function traceFilter(query: TraceQuery): PostgresConditions {
	const filter = new PostgresConditions();
	if (query.error !== undefined) filter.add(query.error ? "traces.error_count > 0" : "traces.error_count = 0");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) filter.add("traces.running_count = 0");
	// Limits may be fractions of a microsecond.
	if (query.minLatencyMs !== undefined) filter.add(`${LATENCY} >= ?::double precision`, query.minLatencyMs * 1_000);
	if (query.maxLatencyMs !== undefined) filter.add(`${LATENCY} <= ?::double precision`, query.maxLatencyMs * 1_000);
	filter.addIn("traces.root_name", query.names);
	filter.addIn("traces.user_id", query.userIds);
	// An array, since for `exists` PostgreSQL might read all spans of the model.
	if (query.models !== undefined)
		filter.add(
			`coalesce((
				select true from spans
				where spans.trace_row_id = traces.id and spans.start_micros >= traces.start_micros
					and spans.model = any(?::text[])
				limit 1), false)`,
			query.models,
		);
	return filter;
}
