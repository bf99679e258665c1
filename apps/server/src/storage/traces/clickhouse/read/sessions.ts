import { type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { justBefore, pageFrom, sessionKey } from "#storage/traces/lists/positions.ts";
import { SESSION_SORTS, sortSql, storableValue } from "#storage/traces/lists/sort-keys.ts";
import { type SessionSummaryRow, toSessionSummary } from "#storage/traces/rows/session-summaries.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import type { Keyset, Page, SessionQuery, SessionSort, SessionSummary } from "#storage/traces/trace-store.ts";
import { type Plan, planFilter } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { SESSIONS, TRACES } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { addAfter } from "./list-traces.ts";
import { selectFinal } from "./query.ts";
import { textsOf } from "./trace-rows.ts";
import { WHOLE, walk } from "./walk.ts";

export type SessionsByColumn = SessionQuery & { readonly sort: SessionSort };

const COLUMNS = {
	project_id: SESSIONS.columns.project_id,
	session_id: SESSIONS.columns.session_id,
	id: SESSIONS.columns.id,
	start_micros: types.Integer,
	start_nanos: types.UInt16,
	end_micros: types.Integer,
	end_nanos: types.UInt16,
	trace_count: types.Integer,
	...pick(TRACES.columns, TOTALS_COLUMNS),
	user_id: TRACES.columns.user_id,
	input_span: TRACES.columns.input_span,
	output_span: TRACES.columns.output_span,
	first_input: TRACES.columns.first_input,
	last_output: TRACES.columns.last_output,
} as const;

/** A session with the totals of its traces. */
export type SessionWithTotals = RowOf<typeof COLUMNS>;

const PLACE = "(start_micros, start_nanos, trace_id)";

/** Sums, first and last of the traces of each session. */
function sumsOf(traces: string): string {
	const sums = TOTALS_COLUMNS.map((column) => `sum(${column}) as ${column}_sum`);
	return `select session_row_id, toInt64(count()) as traces, ${sums.join(", ")},
			min((start_micros, start_nanos)) as started, max((end_micros, end_nanos)) as ended,
			argMin(tuple(user_id, input_span, first_input), ${PLACE}) as first,
			argMax(tuple(output_span, last_output), ${PLACE}) as last
		from traces where ${traces} group by session_row_id`;
}

/** Rows of sessions with the totals of their traces; one without traces has the times that it had. */
function sessionsWithTotals(sessions: string, traces: string): string {
	const has = "sums.traces > 0";
	return `select known.project_id as project_id, known.session_id as session_id, known.id as id,
		if(${has}, sums.started.1, known.start_micros) as start_micros,
		if(${has}, sums.started.2, known.start_nanos) as start_nanos,
		if(${has}, sums.ended.1, known.end_micros) as end_micros,
		if(${has}, sums.ended.2, known.end_nanos) as end_nanos,
		sums.traces as trace_count,
		${TOTALS_COLUMNS.map((column) => `sums.${column}_sum as ${column}`).join(", ")},
		sums.first.1 as user_id, sums.first.2 as input_span, sums.last.1 as output_span,
		sums.first.3 as first_input, sums.last.2 as last_output
	from (select * from sessions where ${sessions}) as known
		left join (${sumsOf(traces)}) as sums on sums.session_row_id = known.id`;
}

export async function listSessions(sources: Sources, query: SessionsByColumn): Promise<Page<SessionSummary>> {
	const { sort, order, limit } = query;
	const plan = await planFilter<SessionWithTotals>(sources, query, "session");
	const key = sort === "id" ? undefined : SESSION_SORTS[sort];
	const from = justBefore(query.from, order);
	const page = await walk<SessionWithTotals>({
		order,
		limit,
		edges: WHOLE,
		after: from && key ? { ...from, value: storableValue(key, from.value) } : from,
		width: Number.POSITIVE_INFINITY,
		keep: plan.keep,
		keyOf: (row) => sessionKey({ sort, order }, row),
		read: (_window, after, most) => readSessionRows(sources.shard, query, plan, { after, limit: most }),
	});
	return pageFrom(
		page,
		page.rows.map((row) => toSessionSummary(row, textsOf(row))),
		order,
		(row: SessionSummaryRow) => sessionKey({ sort, order }, row),
	);
}

async function readSessionRows(
	shard: Shard,
	query: SessionsByColumn,
	plan: Plan<SessionWithTotals>,
	{ after, limit }: { after: Keyset | undefined; limit: number },
): Promise<SessionWithTotals[]> {
	const { sort, order } = query;
	const where = new Conditions();
	const ofProject = `project_id = ${where.bind("Int64", query.projectId)}`;
	const own = query.rowIds === undefined ? "true" : `id in ${where.bind("Array(Int64)", query.rowIds)}`;
	const key = sort === "id" ? undefined : SESSION_SORTS[sort];
	const value = key === undefined ? "sessions.id" : `toFloat64(${sortSql(key, order)})`;
	where.addTimeRange("sessions.start_micros", query);
	if (query.error !== undefined) where.add(query.error ? "sessions.error_count > 0" : "sessions.error_count = 0");
	if (query.userIds !== undefined)
		where.add(
			`sessions.id in (select assumeNotNull(session_row_id) from traces where ${ofProject} and session_row_id is not null
				and user_id in ${where.bind("Array(String)", query.userIds)})`,
		);
	if (key !== undefined) addAfter(where, value, order, after, "Float64", "sessions.id");
	else if (after !== undefined)
		where.add(`sessions.id ${order === "asc" ? ">" : "<"} ${where.bind("Int64", after.id)}`);
	plan.narrow(where);
	// Without conditions on totals those of a page are enough.
	const isPlain =
		key === undefined &&
		query.startMicros === undefined &&
		query.endMicros === undefined &&
		query.error === undefined &&
		query.condition === undefined;
	const page = `select id from (select * from sessions where ${ofProject} and ${own}) as sessions
		where ${where.sql} order by id ${order} limit ${limit}`;
	const chosen = isPlain ? `id in (${page})` : own;
	const traces = isPlain ? `session_row_id in (${page})` : "session_row_id is not null";
	return await selectFinal(
		shard,
		`select * from (${sessionsWithTotals(`${ofProject} and ${chosen}`, `${ofProject} and ${traces}`)}) as sessions
		where ${where.sql} order by ${value} ${order}, sessions.id ${order} limit ${limit}`,
		COLUMNS,
		where.params,
	);
}

/** Sessions by row number. @param sql condition on the rows of sessions */
export async function findSessions(shard: Shard, where: Conditions): Promise<SessionSummary[]> {
	const traces = `session_row_id in (select id from sessions where ${where.sql})`;
	const rows = await selectFinal(
		shard,
		`select * from (${sessionsWithTotals(where.sql, traces)}) as sessions order by id`,
		COLUMNS,
		where.params,
	);
	return rows.map((row) => toSessionSummary(row, textsOf(row)));
}

function pick<Of extends Columns, Name extends keyof Of>(columns: Of, names: readonly Name[]): Pick<Of, Name> {
	return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Of, Name>;
}
