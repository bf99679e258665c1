import type { ClientBase } from "pg";
import { rankedFrom } from "#storage/traces/lists/by-score.ts";
import { justBefore, pageFrom, sessionKey } from "#storage/traces/lists/positions.ts";
import { isByScore, SESSION_SORTS, sortSql } from "#storage/traces/lists/sort-keys.ts";
import { type SessionSummaryRow, toSessionSummary } from "#storage/traces/rows/session-summaries.ts";
import type { Page, SessionQuery, SessionSort, SessionSummary } from "#storage/traces/trace-store.ts";
import { planFilter } from "../filter/plan.ts";
import { startTextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { narrowBy, scanPage, storable } from "./ordered-scan.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { type Queryable, query as run } from "./query.ts";
import type { ShownTextsReader } from "./shown-texts.ts";

const COLUMNS = "sessions.*, first.user_id, first.input_span, last.output_span";
// Texts and user come from the first and the last trace, found by the index on (session, start).
const JOINS = `
	left join lateral (
		select user_id, input_span from traces where session_row_id = sessions.id
		order by start_micros, start_nanos, trace_id limit 1
	) as first on true
	left join lateral (
		select output_span from traces where session_row_id = sessions.id
		order by start_micros desc, start_nanos desc, trace_id desc limit 1
	) as last on true`;

export async function listSessions(
	client: ClientBase,
	query: SessionQuery,
	reader: ShownTextsReader,
): Promise<Page<SessionSummary>> {
	const { from: first, ...rest } = query;
	const { sort, order } = rest;
	if (!isByScore(sort)) return await listByColumn(client, { ...query, sort }, reader);
	const page = await scanByScore(client, "session", { ...rest, sort }, justBefore(first, order), ({ rowIds, from }) =>
		listByColumn(client, { ...rest, sort: "id", limit: rowIds.length, rowIds, ...(from ? { from } : {}) }, reader),
	);
	return rankedFrom(
		page,
		page.rows.map(({ row }) => row),
		order,
	);
}

type ColumnQuery = SessionQuery & { readonly sort: SessionSort };

async function listByColumn(
	client: ClientBase,
	query: ColumnQuery,
	reader: ShownTextsReader,
): Promise<Page<SessionSummary>> {
	const { projectId, order, limit, text } = query;
	const key = query.sort === "id" ? undefined : SESSION_SORTS[query.sort];
	const isSorted = key === undefined || key.isIndexed === true;
	const searched = text === undefined ? undefined : await startTextSearch(client, projectId, text, "session");
	const plan = await planFilter(client, query, "session");
	const base = new PostgresConditions().add("sessions.project_id = ?", projectId);
	const narrow = narrowBy(base, [
		["sessions.id", query.rowIds],
		["sessions.id", searched?.rows],
		["sessions.id", plan?.rows],
	]);
	const filter = new PostgresConditions();
	(key === undefined ? filter : base).addTimeRange("sessions.start_micros", query);
	if (query.error !== undefined) filter.add(query.error ? "sessions.error_count > 0" : "sessions.error_count = 0");
	// An array, since for `exists` PostgreSQL might read all traces of the user.
	if (query.userIds !== undefined)
		filter.add(
			`coalesce((
				select true from traces where traces.session_row_id = sessions.id and traces.user_id = any(?::text[])
				limit 1), false)`,
			query.userIds,
		);
	if (plan !== undefined) filter.addAll(plan.quick);
	if (!isSorted) base.addAll(filter);
	const keyOf = (row: SessionSummaryRow) => sessionKey(query, row);
	const page = await scanPage<SessionSummaryRow>(client, {
		columns: COLUMNS,
		table: "sessions",
		joins: JOINS,
		value: key === undefined ? null : sortSql(key, order),
		order,
		narrow,
		base,
		filter: isSorted ? filter : new PostgresConditions(),
		checks: [searched?.matches, plan?.slow].filter((check) => check !== undefined),
		keyOf,
		after: justBefore(query.from && key ? storable(key, query.from) : query.from, order),
		limit,
	});
	return pageFrom(page, await withTexts(client, page.rows, reader), order, keyOf);
}

/** Call it in one view: the rows name spans, whose content is read next. */
export async function findSessions(
	client: Queryable,
	where: PostgresConditions,
	reader: ShownTextsReader,
): Promise<SessionSummary[]> {
	const rows = await run<SessionSummaryRow>(
		client,
		`select ${COLUMNS} from sessions ${JOINS} where ${where.sql} order by sessions.id`,
		where.values,
	);
	return await withTexts(client, rows, reader);
}

async function withTexts(
	client: Queryable,
	rows: readonly SessionSummaryRow[],
	reader: ShownTextsReader,
): Promise<SessionSummary[]> {
	const texts = await reader.read(client, rows);
	return rows.map((row) => toSessionSummary(row, texts));
}
