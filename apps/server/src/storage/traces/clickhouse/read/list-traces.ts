import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { fromTraceKey, type ScannedPage, traceKey, tracePage } from "#storage/traces/lists/positions.ts";
import { sortSql, storableValue, TRACE_SORTS } from "#storage/traces/lists/sort-keys.ts";
import type { Keyset, Page, TraceQuery, TraceSort, TraceSummary } from "#storage/traces/trace-store.ts";
import { type Plan, planFilter } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { type TableRow, TRACES } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";
import { toSummary } from "./trace-rows.ts";
import { WHOLE, type Window, walk } from "./walk.ts";

type TraceRow = TableRow<typeof TRACES>;
export type TracesByColumn = TraceQuery & { readonly sort: TraceSort };

const FIRST_WINDOW_MICROS = 3_600_000_000;
const LATENCY = "(traces.end_micros - traces.start_micros)";
const COLUMNS = Object.keys(TRACES.columns)
	.map((column) => `traces.${column} as ${column}`)
	.join(", ");

export async function listTraces(sources: Sources, query: TracesByColumn): Promise<Page<TraceSummary>> {
	const plan = await planFilter<TraceRow>(sources, query, "trace");
	const page = await (query.sort === "start_time" ? byStart : byKey)(sources.shard, query, plan);
	return tracePage(
		page,
		page.rows.map((row) => toSummary(row, query.withTexts !== false)),
		query,
	);
}

async function byStart(shard: Shard, query: TracesByColumn, plan: Plan<TraceRow>): Promise<ScannedPage<TraceRow>> {
	return await walk<TraceRow>({
		order: query.order,
		limit: query.limit,
		edges: await edgesOf(shard, query),
		after: query.after && { ...query.after, value: storableValue(TRACE_SORTS.start_time, query.after.value) },
		width: FIRST_WINDOW_MICROS,
		keep: plan.keep,
		keyOf: (row) => ({ value: row.start_micros, id: row.id }),
		read: async (window, after, limit) => {
			const where = conditionsOf(query);
			addWindow(where, window);
			addAfter(where, "traces.start_micros", query.order, after);
			plan.narrow(where, { column: "start_micros", ...window });
			return await select(shard, where, `traces.start_micros ${query.order}, traces.id ${query.order}`, limit);
		},
	});
}

/** Reads all that fits, as the rows lie in no order of the key. */
async function byKey(shard: Shard, query: TracesByColumn, plan: Plan<TraceRow>): Promise<ScannedPage<TraceRow>> {
	const key = TRACE_SORTS[query.sort];
	const value = `toFloat64(${sortSql(key, query.order)})`;
	const after = query.after === undefined ? undefined : fromTraceKey(query, query.after);
	return await walk<TraceRow>({
		order: query.order,
		limit: query.limit,
		edges: WHOLE,
		after: after && { ...after, value: storableValue(key, after.value) },
		width: Number.POSITIVE_INFINITY,
		keep: plan.keep,
		keyOf: (row) => fromTraceKey(query, traceKey(query, row)),
		read: async (_window, position, limit) => {
			const where = conditionsOf(query);
			addAfter(where, value, query.order, position, "Float64");
			plan.narrow(where);
			return await select(shard, where, `${value} ${query.order}, traces.id ${query.order}`, limit);
		},
	});
}

/** The earliest and the latest start that the list can have. */
async function edgesOf(shard: Shard, query: TracesByColumn): Promise<Window | undefined> {
	const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
	where.addIn("id", "Int64", query.rowIds);
	// Rows that another one has replaced only make the range larger.
	const [row] = await shard.select(
		`select min(start_micros) as first, max(start_micros) as last, count() as count from traces where ${where.sql}`,
		{ first: types.Integer, last: types.Integer, count: types.Count },
		{ params: where.params },
	);
	if (row === undefined || row.count === 0) return undefined;
	const from = Math.max(row.first, Math.ceil(query.startMicros ?? row.first));
	const to = Math.min(row.last + 1, Math.ceil(query.endMicros ?? row.last + 1));
	return from < to ? { from, to } : undefined;
}

function addWindow(where: Conditions, { from, to }: Window): void {
	where.add(`traces.start_micros >= ${where.bind("Int64", from)} and traces.start_micros < ${where.bind("Int64", to)}`);
	// A trace starts no later than its anchor, by which rows lie.
	where.add(`traces.anchor_micros >= ${where.bind("Int64", from)}`);
}

export function addAfter(
	where: Conditions,
	value: string,
	order: TraceQuery["order"],
	after: Keyset | undefined,
	type = "Int64",
	id = "traces.id",
): void {
	if (after === undefined) return;
	const beyond = order === "asc" ? ">" : "<";
	where.add(`(${value}, ${id}) ${beyond} (${where.bind(type, after.value)}, ${where.bind("Int64", after.id)})`);
}

async function select(shard: Shard, where: Conditions, order: string, limit: number): Promise<readonly TraceRow[]> {
	return await selectFinal(
		shard,
		`select ${COLUMNS} from traces where ${where.sql} order by ${order} limit ${limit}`,
		TRACES.columns,
		where.params,
	);
}

function conditionsOf(query: TracesByColumn): Conditions {
	const where = new Conditions().addEqual("traces.project_id", "Int64", query.projectId);
	where.addTimeRange("traces.start_micros", query);
	where.addIn("traces.id", "Int64", query.rowIds);
	where.addIn("traces.session_row_id", "Int64", query.sessionRowIds);
	if (query.error !== undefined) where.add(query.error ? "traces.error_count > 0" : "traces.error_count = 0");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) where.add("traces.running_count = 0");
	// Limits may be fractions of a microsecond.
	if (query.minLatencyMs !== undefined) where.add(`${LATENCY} >= ${where.bind("Float64", query.minLatencyMs * 1_000)}`);
	if (query.maxLatencyMs !== undefined) where.add(`${LATENCY} <= ${where.bind("Float64", query.maxLatencyMs * 1_000)}`);
	where.addIn("traces.root_name", "String", query.names);
	where.addIn("traces.user_id", "String", query.userIds);
	if (query.models !== undefined)
		where.add(
			`traces.id in (select trace_row_id from spans where project_id = ${where.bind("Int64", query.projectId)}
				and model in ${where.bind("Array(String)", query.models)})`,
		);
	return where;
}
