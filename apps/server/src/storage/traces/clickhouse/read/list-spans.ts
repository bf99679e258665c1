import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { justBefore, pageFrom, type ScannedPage, spanKey } from "#storage/traces/lists/positions.ts";
import { SPAN_SORTS, sortSql, storableValue } from "#storage/traces/lists/sort-keys.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { Keyset, Page, SpanQuery, SpanSort } from "#storage/traces/trace-store.ts";
import { type Plan, planFilter } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { SPANS, type SpanRow } from "../tables.ts";
import { Conditions } from "./conditions.ts";
import { addAfter } from "./list-traces.ts";
import { inClickHouse, selectFinal } from "./query.ts";
import { SPAN_COLUMNS } from "./span-rows.ts";
import { WHOLE, type Window, walk } from "./walk.ts";

export type SpansByColumn = SpanQuery & { readonly sort: SpanSort };

const FIRST_WINDOW_MICROS = 3_600_000_000;
const FIRST_WINDOW_NUMBERS = 4_096;
const LATENCY = "(spans.end_micros - spans.start_micros)";

export async function listSpanRows(sources: Sources, query: SpansByColumn): Promise<Page<SpanRow>> {
	const plan = await planFilter<SpanRow>(sources, query, "span");
	const after = justBefore(query.from, query.order);
	const page = await (query.sort === "id"
		? inWindows(sources.shard, query, plan, { column: "id", after })
		: query.sort === "start_time"
			? inWindows(sources.shard, query, plan, { column: "start_micros", after })
			: byKey(sources.shard, query, plan, after));
	return pageFrom(page, page.rows, query.order, (row) => spanKey(query, row));
}

interface InWindows {
	readonly column: "id" | "start_micros";
	readonly after: Keyset | undefined;
}

async function inWindows(
	shard: Shard,
	query: SpansByColumn,
	plan: Plan<SpanRow>,
	{ column, after }: InWindows,
): Promise<ScannedPage<SpanRow>> {
	const isByStart = column === "start_micros";
	const { order } = query;
	return await walk<SpanRow>({
		order,
		limit: query.limit,
		edges: await edgesOf(shard, query, column),
		after: isByStart && after ? { ...after, value: storableValue(SPAN_SORTS.start_time, after.value) } : after,
		width: isByStart ? FIRST_WINDOW_MICROS : FIRST_WINDOW_NUMBERS,
		keep: plan.keep,
		keyOf: (row) => ({ value: row[column], id: row.id }),
		read: async ({ from, to }, position, limit) => {
			const where = conditionsOf(query);
			const range = [where.bind("Int64", from), where.bind("Int64", to)];
			where.add(`spans.${column} >= ${range[0]} and spans.${column} < ${range[1]}`);
			addAfter(where, `spans.${column}`, order, position, "Int64", "spans.id");
			plan.narrow(where, { column, from, to });
			return await select(shard, where, `spans.${column} ${order}, spans.id ${order}`, limit);
		},
	});
}

/** Reads all that fits, as the rows lie in no order of the key. */
async function byKey(
	shard: Shard,
	query: SpansByColumn,
	plan: Plan<SpanRow>,
	after: Keyset | undefined,
): Promise<ScannedPage<SpanRow>> {
	if (query.sort === "id") throw new Error("spans by row number are read in windows");
	const key = SPAN_SORTS[query.sort];
	const value = `toFloat64(${inClickHouse(sortSql(key, query.order))})`;
	return await walk<SpanRow>({
		order: query.order,
		limit: query.limit,
		edges: WHOLE,
		after: after && { ...after, value: storableValue(key, after.value) },
		width: Number.POSITIVE_INFINITY,
		keep: plan.keep,
		keyOf: (row) => spanKey(query, row),
		read: async (_window, position, limit) => {
			const where = conditionsOf(query);
			addAfter(where, value, query.order, position, "Float64", "spans.id");
			plan.narrow(where);
			return await select(shard, where, `${value} ${query.order}, spans.id ${query.order}`, limit);
		},
	});
}

/** The smallest and the largest key that the list can have. */
async function edgesOf(shard: Shard, query: SpansByColumn, column: string): Promise<Window | undefined> {
	const where = new Conditions().addEqual("project_id", "Int64", query.projectId).addTimeRange("start_micros", query);
	where.addIn("id", "Int64", query.rowIds);
	const [row] = await shard.select(
		`select min(${column}) as first, max(${column}) as last, count() as count from spans where ${where.sql}`,
		{ first: types.Integer, last: types.Integer, count: types.Count },
		{ params: where.params },
	);
	return row === undefined || row.count === 0 ? undefined : { from: row.first, to: row.last + 1 };
}

async function select(shard: Shard, where: Conditions, order: string, limit: number): Promise<readonly SpanRow[]> {
	return await selectFinal(
		shard,
		`select ${SPAN_COLUMNS} from spans where ${where.sql} order by ${order} limit ${limit}`,
		SPANS.columns,
		where.params,
	);
}

function conditionsOf(query: SpansByColumn): Conditions {
	const where = new Conditions().addEqual("spans.project_id", "Int64", query.projectId);
	where.addTimeRange("spans.start_micros", query);
	where.addIn("spans.id", "Int64", query.rowIds);
	where.addInHex("spans.trace_id", 16, query.traceIds);
	where.addInHex("spans.span_id", 8, query.spanIds);
	if (query.parentSpanId === null) where.add("spans.parent_span_id is null");
	else if (query.parentSpanId !== undefined) where.addInHex("spans.parent_span_id", 8, [query.parentSpanId]);
	where.addIn("spans.name", "String", query.names);
	where.addIn("spans.kind", "UInt8", query.kinds?.map(kindNumber));
	where.addIn("spans.status_code", "UInt8", query.statusCodes);
	if (query.error !== undefined) where.add(query.error ? "spans.status_code = 2" : "spans.status_code <> 2");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) where.add(`not ${IS_RUNNING}`);
	// Limits may be fractions of a microsecond.
	if (query.minLatencyMs !== undefined) where.add(`${LATENCY} >= ${where.bind("Float64", query.minLatencyMs * 1_000)}`);
	if (query.maxLatencyMs !== undefined) where.add(`${LATENCY} <= ${where.bind("Float64", query.maxLatencyMs * 1_000)}`);
	where.addIn("spans.user_id", "String", query.userIds);
	where.addIn("spans.model", "String", query.models);
	if (query.sessionIds !== undefined)
		where.add(
			`spans.trace_row_id in (select id from traces where project_id = ${where.bind("Int64", query.projectId)}
				and session_id in ${where.bind("Array(String)", query.sessionIds)})`,
		);
	return where;
}

const IS_RUNNING = inClickHouse(runningSql("spans"));
