import type { DatabaseSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";
import { matchesAttributes } from "#storage/traces/content/attribute-filter.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { type RankedRow, rankedFrom } from "#storage/traces/lists/by-score.ts";
import { justBefore, pageFrom, spanKey } from "#storage/traces/lists/positions.ts";
import { isByScore, type SortableSpan, SPAN_SORTS, sortSql } from "#storage/traces/lists/sort-keys.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { Page, SpanQuery, SpanSort } from "#storage/traces/trace-store.ts";
import { type FilterFunctions, TEXT_MATCHES } from "../filter/functions.ts";
import { planFilter } from "../filter/plan.ts";
import { zoneCondition } from "../filter/zones.ts";
import type { TextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { ofProject } from "./index-choice.ts";
import { type NumberRange, scanPage } from "./ordered-scan.ts";
import { rangesWithWords } from "./ranges-with-words.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS } from "./span-columns.ts";
import type { SpanContents } from "./span-contents.ts";
import { findRowsBySpanIds } from "./span-lookup.ts";
import { spansInZones } from "./span-zones.ts";

/** Up to this many spans of a time range are sorted by row number; with more, the list by row number is scanned. */
const SORTED_RANGE = 50_000;
const LATENCY = "(spans.end_micros - spans.start_micros)";

export function listSpanRows(
	db: DatabaseSync,
	query: SpanQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	onFound?: (row: SpanSummaryRow) => void,
): Page<ListedSpan> {
	const { from: first, ...rest } = query;
	const { sort, order } = rest;
	const list = (asked: ColumnQuery) => listByColumn(db, asked, contents, search, functions, onFound);
	if (!isByScore(sort)) return list({ ...query, sort });
	const page = scanByScore(db, "span", { ...rest, sort }, justBefore(first, order), ({ rowIds, from }) =>
		list({ ...rest, sort: "id", limit: rowIds.length, rowIds, ...(from ? { from } : {}) }),
	);
	return rankedFrom(page, page.rows.map(withScore), order);
}

/** A row of a list of spans; with its score where the list is sorted by it. */
type ListedSpan = SpanSummaryRow & Pick<SortableSpan, "mean_score">;
type ColumnQuery = SpanQuery & { readonly sort: SpanSort };

function withScore({ row, position }: RankedRow<SpanSummaryRow>): ListedSpan {
	return { ...row, mean_score: position.value };
}

function listByColumn(
	db: DatabaseSync,
	query: ColumnQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	onFound: ((row: SpanSummaryRow) => void) | undefined,
): Page<SpanSummaryRow> {
	const { order, limit, attributes, text } = query;
	const key = query.sort === "id" ? undefined : SPAN_SORTS[query.sort];
	const isSorted = key === undefined || key.isIndexed === true;
	const byBlock = isByBlock(query);
	const byWords = byBlock && text !== undefined ? search.startByBlock(text) : undefined;
	const searched = byBlock || text === undefined ? byWords : search.start(query.projectId, text);
	const plan = planFilter(db, functions, contents, query, "span", byBlock);
	const known = [query.rowIds, searched?.known?.spans, plan?.rows].filter((rows) => rows !== undefined);
	const { index, base } = rangeOf(db, query, known);
	const filter = spanFilter(db, query, known.length > 0 || query.spanIds !== undefined);
	if (plan !== undefined) filter.addAll(plan.quick);
	if (!isSorted) base.addAll(filter);
	const checks: ((row: SpanSummaryRow) => boolean)[] = [];
	if (attributes !== undefined && attributes.length > 0)
		checks.push((row) => matchesAttributes(contents.of(row), attributes));
	const zones = zoneCondition(query);
	const inZones =
		zones === undefined || !byBlock || known.length > 0
			? undefined
			: (range: NumberRange, most: number) => spansInZones(db, zones, range, most);
	const words = known.length > 0 ? undefined : wordsToFind(byWords?.words, plan?.words);
	const matchesSpan = words === undefined ? searched?.matchesSpan : byWords?.containsWords;
	const keyOf = (row: SpanSummaryRow) => spanKey(query, row);
	const page = scanPage<SpanSummaryRow>(db, {
		columns: SPAN_SUMMARY_COLUMNS,
		table: "spans",
		index,
		joins: SPAN_SUMMARY_JOINS,
		value: key === undefined ? null : sortSql(key, order),
		id: "spans.id",
		order,
		ranges: words && rangesWithWords(db, contents, { ...query, ...words, from: query.from?.id, narrow: inZones }),
		narrow: inZones,
		onFound,
		base,
		filter: isSorted ? filter : new Conditions(),
		slow: functions.slow([...(matchesSpan === undefined ? [] : [TEXT_MATCHES]), ...(plan?.slow ?? [])], matchesSpan),
		...(checks.length === 0 ? {} : { verify: (row) => checks.every((check) => check(row)) }),
		keyOf,
		after: justBefore(query.from, order),
		limit,
	});
	return pageFrom(page, page.rows, order, keyOf);
}

/** The words of a text search, and those that every match of a filter has; undefined if there are neither. */
function wordsToFind(
	searched: readonly string[] | undefined,
	filtered: readonly string[] | undefined,
): { readonly words: readonly string[] } | undefined {
	return searched === undefined && filtered === undefined
		? undefined
		: { words: [...(searched ?? []), ...(filtered ?? [])] };
}

/** Whether the list looks through the blocks that may hold matching spans, as nothing else narrows it down. */
function isByBlock({ sort, rowIds, spanIds, traceIds, sessionIds, startMicros, endMicros }: SpanQuery): boolean {
	return (
		sort === "id" &&
		[rowIds, spanIds, traceIds, sessionIds, startMicros, endMicros].every((asked) => asked === undefined)
	);
}

/** The index to scan, with the conditions that it answers by itself. */
function rangeOf(
	db: DatabaseSync,
	query: SpanQuery,
	known: readonly (readonly number[])[],
): { index: string; base: Conditions } {
	const base = new Conditions();
	const withIds = query.spanIds === undefined ? undefined : findRowsBySpanIds(db, query.spanIds);
	if (known.length > 0 || withIds !== undefined) {
		for (const rows of known) base.addIn("spans.id", rows);
		base.addIn("spans.id", withIds).add(ofProject("spans.project_id", [...known, withIds]), query.projectId);
		return { index: "", base: base.addTimeRange("spans.start_micros", query) };
	}
	const traceRows = tracesOf(db, query);
	if (traceRows !== undefined) {
		base.addIn("spans.trace_row_id", traceRows).addTimeRange("spans.start_micros", query);
		return { index: "indexed by spans_by_identity", base };
	}
	base.add("spans.project_id = ?", query.projectId).addTimeRange("spans.start_micros", query);
	const hasRange = query.startMicros !== undefined || query.endMicros !== undefined;
	// A sort without an index reads all rows of the range or, best in the order of their numbers, of the project.
	const byStart = query.sort === "id" ? hasRange && isSmallRange(db, query) : hasRange || query.sort === "start_time";
	const index = byStart ? "spans_by_start" : "spans_by_project";
	return { index: `indexed by ${index}`, base };
}

/** Row numbers of the requested traces and those of the requested sessions; undefined when the query names neither. */
function tracesOf(db: DatabaseSync, query: SpanQuery): number[] | undefined {
	const { traceIds, sessionIds } = query;
	if (traceIds === undefined && sessionIds === undefined) return undefined;
	const where = new Conditions().add("project_id = ?", query.projectId);
	if (traceIds !== undefined)
		where.add("trace_id in (select unhex(value) from json_each(?))", JSON.stringify(traceIds));
	if (sessionIds !== undefined)
		where.add(
			`session_row_id in (select id from sessions
				where project_id = ? and session_id in (select value from json_each(?)))`,
			query.projectId,
			JSON.stringify(sessionIds),
		);
	const rows = listRows<{ id: number }>(db.prepare(`select id from traces where ${where.sql}`), ...where.values);
	return rows.map(({ id }) => id);
}

function isSmallRange(db: DatabaseSync, query: SpanQuery): boolean {
	const where = new Conditions().add("project_id = ?", query.projectId).addTimeRange("start_micros", query);
	const { spans } = getRow<{ spans: number }>(
		db.prepare(
			`select count(*) as spans from
				(select 1 from spans indexed by spans_by_start where ${where.sql} limit ${SORTED_RANGE + 1})`,
		),
		...where.values,
	);
	return spans <= SORTED_RANGE;
}

/** @param isByRow rows are found by their numbers, so traces and sessions still have to be checked */
function spanFilter(db: DatabaseSync, query: SpanQuery, isByRow: boolean): Conditions {
	const filter = new Conditions();
	if (isByRow) filter.addIn("spans.trace_row_id", tracesOf(db, query));
	if (query.parentSpanId === null) filter.add("spans.parent_span_id is null");
	else if (query.parentSpanId !== undefined) filter.add("spans.parent_span_id = unhex(?)", query.parentSpanId);
	filter.addIn("spans.name", query.names);
	filter.addIn("spans.kind", query.kinds?.map(kindNumber));
	filter.addIn("spans.status_code", query.statusCodes);
	if (query.error !== undefined) filter.add(query.error ? "spans.status_code = 2" : "spans.status_code <> 2");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) filter.add(`not ${runningSql("spans")}`);
	if (query.minLatencyMs !== undefined) filter.add(`${LATENCY} >= ?`, query.minLatencyMs * 1_000);
	if (query.maxLatencyMs !== undefined) filter.add(`${LATENCY} <= ?`, query.maxLatencyMs * 1_000);
	filter.addIn("spans.user_id", query.userIds);
	filter.addIn("spans.model", query.models);
	return filter;
}
