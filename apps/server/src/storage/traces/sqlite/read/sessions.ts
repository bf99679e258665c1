import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import type { ReadShownTexts } from "#storage/traces/content/shown-texts.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { rankedFrom } from "#storage/traces/lists/by-score.ts";
import { justBefore, pageFrom, sessionKey } from "#storage/traces/lists/positions.ts";
import { isByScore, SESSION_SORTS, sortSql } from "#storage/traces/lists/sort-keys.ts";
import { type SessionSummaryRow, toSessionSummary } from "#storage/traces/rows/session-summaries.ts";
import type { Page, SessionQuery, SessionSort, SessionSummary } from "#storage/traces/trace-store.ts";
import type { FilterFunctions } from "../filter/functions.ts";
import { planFilter } from "../filter/plan.ts";
import type { TextSearch } from "../text/text-search.ts";
import { scanByScore } from "./by-score.ts";
import { ofProject } from "./index-choice.ts";
import { scanPage } from "./ordered-scan.ts";
import type { SpanContents } from "./span-contents.ts";

// Texts and user come from the first and the last trace, found by the index on (session, start).
const FIRST_TRACE =
	"from traces where session_row_id = sessions.id order by start_micros, start_nanos, trace_id limit 1";
const LAST_TRACE =
	"from traces where session_row_id = sessions.id order by start_micros desc, start_nanos desc, trace_id desc limit 1";
const COLUMNS = `sessions.*, (select user_id ${FIRST_TRACE}) as user_id,
	(select input_span ${FIRST_TRACE}) as input_span, (select output_span ${LAST_TRACE}) as output_span`;

export function listSessions(
	db: DatabaseSync,
	query: SessionQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	textsOf: ReadShownTexts,
): Page<SessionSummary> {
	const { from: first, ...rest } = query;
	const { sort, order } = rest;
	const list = (asked: ColumnQuery) => listByColumn(db, asked, contents, search, functions, textsOf);
	if (!isByScore(sort)) return list({ ...query, sort });
	const page = scanByScore(db, "session", { ...rest, sort }, justBefore(first, order), ({ rowIds, from }) =>
		list({ ...rest, sort: "id", limit: rowIds.length, rowIds, ...(from ? { from } : {}) }),
	);
	return rankedFrom(
		page,
		page.rows.map(({ row }) => row),
		order,
	);
}

type ColumnQuery = SessionQuery & { readonly sort: SessionSort };

function listByColumn(
	db: DatabaseSync,
	query: ColumnQuery,
	contents: SpanContents,
	search: TextSearch,
	functions: FilterFunctions,
	textsOf: ReadShownTexts,
): Page<SessionSummary> {
	const { order, limit, text } = query;
	const key = query.sort === "id" ? undefined : SESSION_SORTS[query.sort];
	const byStart = query.sort === "start_time";
	const { known, matchesSession } = (text === undefined ? undefined : search.start(query.projectId, text)) ?? {};
	const plan = planFilter(db, functions, contents, query, "session");
	const base = new Conditions().add(
		ofProject("sessions.project_id", [known?.sessions, plan?.rows, query.rowIds]),
		query.projectId,
	);
	base.addIn("sessions.id", known?.sessions).addIn("sessions.id", plan?.rows).addIn("sessions.id", query.rowIds);
	const filter = new Conditions();
	(key === undefined ? filter : base).addTimeRange("sessions.start_micros", query);
	if (query.error !== undefined) filter.add(query.error ? "sessions.error_count > 0" : "sessions.error_count = 0");
	if (query.userIds !== undefined)
		filter.add(
			`exists (select 1 from traces where traces.session_row_id = sessions.id
				and traces.user_id in (select value from json_each(?)))`,
			JSON.stringify(query.userIds),
		);
	if (plan !== undefined) filter.addAll(plan.quick);
	const isSorted = key === undefined || key.isIndexed === true;
	if (!isSorted) base.addAll(filter);
	const keyOf = (row: SessionSummaryRow) => sessionKey(query, row);
	const page = scanPage<SessionSummaryRow>(db, {
		columns: COLUMNS,
		table: "sessions",
		index:
			known !== undefined || plan?.rows !== undefined || query.rowIds !== undefined
				? ""
				: `indexed by ${byStart ? "sessions_by_start" : "sessions_by_project"}`,
		joins: "",
		value: key === undefined ? null : sortSql(key, order),
		id: "sessions.id",
		order,
		base,
		filter: isSorted ? filter : new Conditions(),
		slow: functions.slow(plan?.slow ?? []),
		...(matchesSession === undefined ? {} : { verify: (row) => matchesSession(row.id) }),
		keyOf,
		after: justBefore(query.from, order),
		limit,
	});
	return pageFrom(page, withTexts(page.rows, textsOf), order, keyOf);
}

function withTexts(rows: readonly SessionSummaryRow[], textsOf: ReadShownTexts): SessionSummary[] {
	const texts = textsOf(rows);
	return rows.map((row) => toSessionSummary(row, texts));
}

export function findSession(
	db: DatabaseSync,
	sessionRowId: number,
	textsOf: ReadShownTexts,
): SessionSummary | undefined {
	const rows = listRows<SessionSummaryRow>(db.prepare(`select ${COLUMNS} from sessions where id = ?`), sessionRowId);
	return withTexts(rows, textsOf)[0];
}

export function findSessionsBySessionId(
	db: DatabaseSync,
	sessionId: string,
	projectId: number | undefined,
	textsOf: ReadShownTexts,
): SessionSummary[] {
	const where = new Conditions().add("session_id = ?", sessionId);
	// The unique index starts with the project, so search each project.
	where.add("project_id in (select id from projects)");
	if (projectId !== undefined) where.add("project_id = ?", projectId);
	const statement = db.prepare(`select ${COLUMNS} from sessions where ${where.sql} order by id`);
	return withTexts(listRows<SessionSummaryRow>(statement, ...where.values), textsOf);
}
