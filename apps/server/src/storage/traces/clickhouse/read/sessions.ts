import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { justBefore, pageFrom, type ScannedPage, sessionKey } from "#storage/traces/lists/positions.ts";
import { SESSION_SORTS, sortSql, storableValue } from "#storage/traces/lists/sort-keys.ts";
import { toTraceWithoutTexts } from "#storage/traces/rows/trace-summaries.ts";
import { isSlow } from "#storage/traces/slow-reads.ts";
import type { Keyset, SessionPage, SessionQuery, SessionSort, SessionSummary } from "#storage/traces/trace-store.ts";
import { type Choose, type Plan, planFilter, type SpansWindow } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { olderSql } from "../readings/older.ts";
import { renewSessions, renewTraces } from "../readings/renew-traces.ts";
import type { TraceRow } from "../tables.ts";
import { firstOfParts, type Limits, limited, type Range } from "./bounds.ts";
import { pageByNumber } from "./by-number.ts";
import { Conditions } from "./conditions.ts";
import { edgesOf, edgesOfTable, nextValue, within } from "./edges.ts";
import { addAfter } from "./list-traces.ts";
import { selectByKey, selectFinal } from "./query.ts";
import { findWithTotals } from "./session-parts.ts";
import { withTexts } from "./session-texts.ts";
import { SESSION_COLUMNS, type SessionWithTotals, sessionsWithTotals } from "./session-totals.ts";
import { readAcrossShards } from "./sessions-across.ts";
import { byStart as byStartOfTrace, findTracesOfSessions } from "./trace-rows.ts";
import { AS_WHOLE, type Walk, walk } from "./walk.ts";

export type SessionsByColumn = SessionQuery & { readonly sort: SessionSort };

/** The first window, and the narrowest: of starts in microseconds, or of row numbers. */
const WINDOWS = {
	start_micros: { width: 3_600_000_000, least: 1_000_000 },
	id: { width: 4_096, least: 16 },
} as const;

export async function listSessions(sources: Sources, query: SessionsByColumn): Promise<SessionPage> {
	const begun = performance.now();
	const { sort, order } = query;
	const plan = await planFilter<SessionWithTotals>(sources, query, "session", chooserOf(query));
	const key = sort === "id" ? undefined : SESSION_SORTS[sort];
	const from = justBefore(query.from, order);
	const list = { query, plan, begun, after: from && key ? { ...from, value: storableValue(key, from.value) } : from };
	const page = await (query.rowIds === undefined && (sort === "id" || sort === "start_time")
		? sort === "id"
			? byNumber(sources, list)
			: byStart(sources, list)
		: byKey(sources, list));
	const { rows } = page;
	const [items, traces] = await Promise.all([
		renewSessions(sources, rows).then((renewed) => withTexts(sources, renewed)),
		tracesOf(sources, rows, query),
	]);
	return { ...pageFrom(page, items, order, keyIn(query)), ...(traces && { traces: traces.map(toTraceWithoutTexts) }) };
}

/** All traces of these sessions; undefined where they are not asked for, or too many. */
async function tracesOf(
	sources: Sources,
	rows: readonly SessionWithTotals[],
	{ mostTraces }: SessionsByColumn,
): Promise<readonly TraceRow[] | undefined> {
	if (mostTraces === undefined) return undefined;
	if (rows.reduce((sum, row) => sum + row.trace_count, 0) > mostTraces) return undefined;
	const read = rows.flatMap(({ traces }) => traces ?? []);
	const isRead = rows.every(({ traces }) => traces !== undefined);
	const ids = rows.map(({ id }) => id);
	return await renewTraces(
		sources,
		isRead ? read.toSorted(byStartOfTrace) : await findTracesOfSessions(sources.shard, ids),
	);
}

interface List {
	readonly query: SessionsByColumn;
	readonly plan: Plan<SessionWithTotals>;
	readonly begun: number;
	readonly after: Keyset | undefined;
}

function walkOf({ query, plan, begun, after }: List) {
	const { order, limit } = query;
	return {
		order,
		limit,
		begun,
		after,
		keyOf: keyIn(query),
		isSlow: isSlow(query) || plan.readsAnew,
		keep: plan.keep,
	} satisfies Partial<Walk<SessionWithTotals>>;
}

/** Those of the sessions of which a trace has a user that the query names, by the current reading. */
function chooserOf({ userIds }: SessionsByColumn): Choose<SessionWithTotals> | undefined {
	if (userIds === undefined) return undefined;
	return async (rows, sources) => {
		const ids = rows.map(({ id }) => id);
		const traces = await renewTraces(sources, await findTracesOfSessions(sources.shard, ids));
		const ofUsers = traces.filter(({ user_id }) => user_id !== null && userIds.includes(user_id));
		const chosen = new Set(ofUsers.map(({ session_row_id }) => session_row_id));
		return rows.filter(({ id }) => chosen.has(id));
	};
}

function keyIn(query: SessionsByColumn) {
	return (row: SessionWithTotals) => sessionKey(query, { ...row, input_span: null, output_span: null });
}

async function byNumber(sources: Sources, list: List): Promise<ScannedPage<SessionWithTotals>> {
	const { shard, highest } = sources;
	const { order, projectId } = list.query;
	return await pageByNumber({
		...{
			order,
			after: list.after,
			isSlow: isSlow(list.query) || list.plan.readsAnew,
			known: highest.known("sessions", projectId),
		},
		find: () => highest.find(shard, "sessions", projectId),
		upTo: (to, above) =>
			inWindows(sources, list, "id", { edges: { from: 1, to: to + 1 }, width: WINDOWS.id.width + above }),
	});
}

async function byStart(sources: Sources, list: List): Promise<ScannedPage<SessionWithTotals>> {
	const edges = await edgesOfStarts(sources.shard, list.query);
	return await inWindows(sources, list, "start_micros", { edges, width: WINDOWS.start_micros.width });
}

async function inWindows(
	sources: Sources,
	list: List,
	column: "id" | "start_micros",
	windows: { readonly edges: Range | undefined; readonly width: number },
): Promise<ScannedPage<SessionWithTotals>> {
	const { shard } = sources;
	const isOne = sources.shards.list.length === 1;
	return await walk<SessionWithTotals>({
		...{ ...walkOf(list), ...windows, least: WINDOWS[column].least, isById: column === "id" },
		next: (edge, limits) => nextKey(limited(shard, limits), list.query, column, edge),
		read: (window, after, limit, limits) =>
			readRows(limited(shard, limits), list, { after, limit, isOne, part: { column, ...window } }),
	});
}

/** Reads all that fits, as the rows lie in no order of the key. */
async function byKey(sources: Sources, list: List): Promise<ScannedPage<SessionWithTotals>> {
	const { shard } = sources;
	const isOne = sources.shards.list.length === 1;
	const { order, keyOf, ...rest } = walkOf(list);
	return await walk<SessionWithTotals>({
		...{ ...rest, order, keyOf, ...AS_WHOLE },
		read: (_window, after, limit, limits: Limits) =>
			firstOfParts<SessionWithTotals>({
				...{ order, limit, keyOf, limits, least: WINDOWS.id.least },
				edges: () => rangeOfNumbers(sources, list.query),
				read: (part) =>
					readRows(limited(shard, limits), list, { after, limit, isOne, part: part && { column: "id", ...part } }),
			}),
	});
}

async function edgesOfNumbers({ shard, highest }: Sources, { projectId }: SessionsByColumn): Promise<Range> {
	return { from: 1, to: (await highest.find(shard, "sessions", projectId)) + 1 };
}

async function rangeOfNumbers(sources: Sources, query: SessionsByColumn): Promise<Range> {
	const { from, to } = await edgesOfNumbers(sources, query);
	return { from: (await nextKey(sources.shard, { ...query, order: "asc" }, "id", from)) ?? from, to };
}

/** A session starts when its first trace does; one without traces has a start of its own. */
async function edgesOfStarts(shard: ShardReader, query: SessionsByColumn): Promise<Range | undefined> {
	const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
	const [anchors, own] = await Promise.all([
		edgesOfTable(shard, { table: "traces", column: "anchor_micros" }),
		edgesOf(shard, { table: "sessions", column: "start_micros" }, where),
	]);
	return own && within({ from: 0, to: Math.max(own.to, anchors?.to ?? 0) }, query);
}

/** As `nextValue`; no session starts before it, though none may start there. */
async function nextKey(
	shard: ShardReader,
	{ projectId, order }: SessionsByColumn,
	column: "id" | "start_micros",
	edge: number,
): Promise<number | undefined> {
	const tables = column === "id" ? ["sessions"] : ["sessions", "traces"];
	const next = await Promise.all(
		tables.map((table) => nextValue(shard, { table, column, projectId, isSorted: false }, order, edge)),
	);
	const known = next.filter((value) => value !== undefined);
	return known.length === 0 ? undefined : order === "asc" ? Math.min(...known) : Math.max(...known);
}

interface Wanted {
	readonly after: Keyset | undefined;
	readonly limit: number;
	/** Whether all is on one shard. */
	readonly isOne: boolean;
	readonly part: (Range & { readonly column: "id" | "start_micros" }) | undefined;
}

async function readRows(
	shard: ShardReader,
	{ query, plan }: List,
	{ after, limit, isOne, part }: Wanted,
): Promise<readonly SessionWithTotals[]> {
	const { sort, order } = query;
	// No shard knows all totals; and those of a page are enough where no condition needs others.
	if (!isOne || isPlain(query)) {
		const list = { query, plan, keyOf: keyIn(query), isByNumber: sort === "id", isPlain: isPlain(query) };
		return await readAcrossShards(shard, { ...list, after, limit, part });
	}
	const where = new Conditions();
	const ofProject = `project_id = ${where.bind("Int64", query.projectId)}`;
	const chosen = choose(where, query, ofProject, part);
	const key = sort === "id" ? undefined : SESSION_SORTS[sort];
	const value = key === undefined ? "sessions.id" : `toFloat64(${sortSql(key, order)})`;
	where.addTimeRange("sessions.start_micros", query);
	if (part?.column === "start_micros")
		where.addTimeRange("sessions.start_micros", { startMicros: part.from, endMicros: part.to });
	if (query.error !== undefined) where.add(query.error ? "sessions.error_count > 0" : "sessions.error_count = 0");
	if (query.userIds !== undefined)
		where.add(
			`sessions.id in (select assumeNotNull(session_row_id) from traces final where ${ofProject} and ${chosen.traces}
				and (user_id in ${where.bind("Array(String)", query.userIds)}${plan.readsAnew ? ` or ${olderSql("traces")}` : ""}))`,
		);
	if (key !== undefined) addAfter(where, value, order, after, "Float64", "sessions.id");
	else if (after !== undefined)
		where.add(`sessions.id ${order === "asc" ? ">" : "<"} ${where.bind("Int64", after.id)}`);
	await plan.narrow(
		where,
		plan.searchesSpans && part !== undefined
			? await spansOf(shard, `${ofProject} and ${chosen.traces}`, where)
			: undefined,
	);
	const withTotals = sessionsWithTotals(`${ofProject} and ${chosen.sessions}`, {
		...{ where: chosen.traces, ofProject, areFew: query.rowIds !== undefined },
	});
	return await selectByKey(
		shard,
		`select * from (${withTotals}) as sessions
		where ${where.sql} order by ${value} ${order}, sessions.id ${order} limit ${limit}`,
		SESSION_COLUMNS,
		where.params,
	);
}

/** Whether a list has no conditions on what only traces tell, and is not in the order of that. */
function isPlain({ sort, startMicros, endMicros, error, condition, text, userIds }: SessionsByColumn): boolean {
	const conditions = [startMicros, endMicros, error, condition, text, userIds];
	return sort === "id" && conditions.every((value) => value === undefined);
}

/** The conditions of being one of the sessions that a part of the list has at most, and one of their traces. */
function choose(
	where: Conditions,
	query: SessionsByColumn,
	ofProject: string,
	part: Wanted["part"],
): { readonly sessions: string; readonly traces: string } {
	if (query.rowIds !== undefined) {
		const ids = where.bind("Array(Int64)", query.rowIds);
		return { sessions: `id in ${ids}`, traces: `session_row_id in ${ids}` };
	}
	if (part === undefined) return { sessions: "true", traces: "session_row_id is not null" };
	const [from, to] = [where.bind("Int64", part.from), where.bind("Int64", part.to)];
	const within = (column: string) => `${column} >= ${from} and ${column} < ${to}`;
	if (part.column === "id") return { sessions: within("id"), traces: within("session_row_id") };
	// A trace starts no later than its anchor, by which rows lie.
	const ids = `select assumeNotNull(session_row_id) as id from traces where ${ofProject} and session_row_id is not null
			and ${within("start_micros")} and anchor_micros >= ${from}
		union all select id from sessions where ${ofProject} and ${within("start_micros")}`;
	return { sessions: `id in (${ids})`, traces: `session_row_id in (${ids})` };
}

/** When the spans of traces start. */
async function spansOf(shard: ShardReader, traces: string, { params }: Conditions): Promise<SpansWindow> {
	const [row] = await shard.select(
		`select min(start_micros) as first, max(last_start_micros) as last from traces where ${traces}`,
		{ first: types.Integer, last: types.Integer },
		{ params },
	);
	return { column: "start_micros", from: row?.first ?? 0, to: (row?.last ?? 0) + 1 };
}

/** Sessions by row number. @param where condition on the rows of sessions */
export async function findSessions(sources: Sources, where: Conditions): Promise<SessionSummary[]> {
	const { shards } = sources;
	if (shards.list.length > 1) {
		const found = await selectFinal(
			shards,
			`select id from sessions where ${where.sql}`,
			{ id: types.Integer },
			where.params,
		);
		const rows = await findWithTotals(
			shards,
			found.map(({ id }) => id),
		);
		const sorted = rows.toSorted((a, b) => a.id - b.id);
		return await withTexts(sources, await renewSessions(sources, sorted));
	}
	const traces = `session_row_id in (select id from sessions where ${where.sql})`;
	const withTotals = sessionsWithTotals(where.sql, { where: traces, ofProject: "true", areFew: true });
	const rows = await selectByKey(
		shards,
		`select * from (${withTotals}) as sessions order by id`,
		SESSION_COLUMNS,
		where.params,
	);
	return await withTexts(sources, await renewSessions(sources, rows));
}
