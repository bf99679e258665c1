import type { DatabaseSync } from "node:sqlite";
import type { ReadShownTexts, TextsBySpan } from "#storage/traces/content/shown-texts.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
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
import type { FilterFunctions } from "../filter/functions.ts";
import { planFilter } from "../filter/plan.ts";
import type { TextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { ofProject } from "./index-choice.ts";
import { scanPage } from "./ordered-scan.ts";
import type { SpanContents } from "./span-contents.ts";

const LATENCY = "(traces.end_micros - traces.start_micros)";

export function listTraces(
	db: DatabaseSync,
	query: TraceQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	textsOf: ReadShownTexts,
): Page<TraceSummary> {
	const { after, ...rest } = query;
	const { sort } = rest;
	const list = (asked: ColumnQuery) => listByColumn(db, asked, contents, search, functions, textsOf);
	if (!isByScore(sort)) return list({ ...query, sort });
	const page = scanByScore(db, "trace", { ...rest, sort }, after, ({ rowIds, from }) =>
		list({ ...rest, sort: "start_time", limit: rowIds.length, rowIds, ...(from ? { after: from } : {}) }),
	);
	return rankedAfter(
		page,
		page.rows.map(({ row }) => row),
	);
}

type ColumnQuery = TraceQuery & { readonly sort: TraceSort };

function listByColumn(
	db: DatabaseSync,
	query: ColumnQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	textsOf: ReadShownTexts,
): Page<TraceSummary> {
	const { sort, order, limit, text } = query;
	const key = TRACE_SORTS[sort];
	const inSessions = query.sessionRowIds !== undefined;
	const searched = text === undefined ? undefined : search.start(query.projectId, text);
	const { known, matchesTrace } = searched ?? {};
	const plan = planFilter(db, functions, contents, query, "trace");
	const base = new Conditions().add(
		ofProject("traces.project_id", [known?.traces, plan?.rows, query.rowIds]),
		query.projectId,
	);
	base.addIn("traces.session_row_id", query.sessionRowIds).addTimeRange("traces.start_micros", query);
	base.addIn("traces.id", known?.traces).addIn("traces.id", plan?.rows).addIn("traces.id", query.rowIds);
	const filter = traceFilter(query);
	if (plan !== undefined) filter.addAll(plan.quick);
	if (key.isIndexed !== true) base.addAll(filter);
	const after = query.after === undefined ? undefined : fromTraceKey(query, query.after);
	const page = scanPage<TraceSummaryRow>(db, {
		columns: TRACE_SUMMARY_COLUMNS,
		table: "traces",
		index:
			known !== undefined || plan?.rows !== undefined || query.rowIds !== undefined
				? ""
				: `indexed by ${inSessions ? "traces_by_session" : "traces_by_start"}`,
		joins: TRACE_SUMMARY_JOINS,
		value: sortSql(key, order),
		id: "traces.id",
		order,
		base,
		filter: key.isIndexed === true ? filter : new Conditions(),
		slow: functions.slow(plan?.slow ?? []),
		...(matchesTrace === undefined ? {} : { verify: (row) => matchesTrace(row.id) }),
		keyOf: (row) => fromTraceKey(query, traceKey(query, row)),
		after,
		limit,
	});
	const texts: TextsBySpan = query.withTexts === false ? new Map() : textsOf(page.rows);
	return tracePage(
		page,
		page.rows.map((row) => toTraceSummary(row, texts)),
		query,
	);
}

function traceFilter(query: TraceQuery): Conditions {
	const filter = new Conditions();
	if (query.error !== undefined) filter.add(query.error ? "traces.error_count > 0" : "traces.error_count = 0");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) filter.add("traces.running_count = 0");
	if (query.minLatencyMs !== undefined) filter.add(`${LATENCY} >= ?`, query.minLatencyMs * 1_000);
	if (query.maxLatencyMs !== undefined) filter.add(`${LATENCY} <= ?`, query.maxLatencyMs * 1_000);
	filter.addIn("traces.root_name", query.names);
	filter.addIn("traces.user_id", query.userIds);
	if (query.models !== undefined)
		filter.add(
			`exists (select 1 from spans where spans.trace_row_id = traces.id
				and spans.model in (select value from json_each(?)))`,
			JSON.stringify(query.models),
		);
	return filter;
}
