import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { fromTraceKey, type ScannedPage, traceKey, tracePage } from "#storage/traces/lists/positions.ts";
import { sortSql, storableValue, TRACE_SORTS } from "#storage/traces/lists/sort-keys.ts";
import { isSlow } from "#storage/traces/slow-reads.ts";
import type { Keyset, Page, TraceQuery, TraceSort, TraceSummary } from "#storage/traces/trace-store.ts";
import { type Choose, type Plan, planFilter, type SpansWindow } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { olderSql } from "../readings/older.ts";
import { renewTraces } from "../readings/renew-traces.ts";
import { type TableRow, TRACES } from "../tables.ts";
import { firstOfParts, type Limits, limited, type Range } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { edgesOf, edgesOfTable, nextValue, within } from "./edges.ts";
import { byKey, firstOf } from "./first-of.ts";
import { selectFinal } from "./query.ts";
import { toSummary } from "./trace-rows.ts";
import { AS_WHOLE, type Window, walk } from "./walk.ts";

type TraceRow = TableRow<typeof TRACES>;
export type TracesByColumn = TraceQuery & { readonly sort: TraceSort };

/** Microseconds: the first window, and the narrowest. */
const WINDOWS = { width: 3_600_000_000, least: 1_000_000 } as const;
const LATENCY = "(traces.end_micros - traces.start_micros)";
const COLUMNS = Object.keys(TRACES.columns)
	.map((column) => `traces.${column} as ${column}`)
	.join(", ");

export async function listTraces(sources: Sources, query: TracesByColumn): Promise<Page<TraceSummary>> {
	const begun = performance.now();
	const plan = await planFilter<TraceRow>(sources, query, "trace", chooserOf(query));
	const page = await (query.sort === "start_time" ? byStart : sorted)(sources.shard, { query, plan, begun });
	sources.recent.note(page.rows);
	const rows = await renewTraces(sources, page.rows);
	return tracePage(
		page,
		rows.map((row) => toSummary(row, query.withTexts !== false)),
		query,
	);
}

interface List {
	readonly query: TracesByColumn;
	readonly plan: Plan<TraceRow>;
	readonly begun: number;
}

function walkOf({ query, plan, begun }: List) {
	return {
		order: query.order,
		limit: query.limit,
		begun,
		isSlow: isSlow(query) || plan.readsAnew,
		keep: plan.keep,
	} as const;
}

async function byStart(shard: ShardReader, list: List): Promise<ScannedPage<TraceRow>> {
	const { query, plan } = list;
	const { order, projectId, rowIds } = query;
	const edges = await edgesOfStarts(shard, query);
	const starts = { table: "traces", column: "start_micros", projectId, isSorted: false };
	const keyOf = (row: TraceRow) => ({ value: row.start_micros, id: row.id });
	const compare = byKey(order, keyOf);
	return await walk<TraceRow>({
		...{ ...walkOf(list), edges, least: WINDOWS.least },
		width: rowIds === undefined || edges === undefined ? WINDOWS.width : edges.to - edges.from,
		next: (edge, limits) => nextValue(limited(shard, limits), starts, order, edge),
		after: query.after && { ...query.after, value: storableValue(TRACE_SORTS.start_time, query.after.value) },
		keyOf,
		read: async (window, after, limit, limits) => {
			const where = conditionsOf(query, plan);
			addWindow(where, window);
			addAfter(where, "traces.start_micros", query.order, after);
			const within = limited(shard, limits);
			await addSpans(within, query, plan, where, window);
			const sorted = `traces.start_micros ${query.order}, traces.id ${query.order}`;
			return firstOf(await select(within, where, sorted, limit), limit, compare);
		},
	});
}

/** Reads all that fits, as the rows lie in no order of the key. */
async function sorted(shard: ShardReader, list: List): Promise<ScannedPage<TraceRow>> {
	const { query, plan } = list;
	const { order } = query;
	const key = TRACE_SORTS[query.sort];
	const value = `toFloat64(${sortSql(key, order)})`;
	const keyOf = (row: TraceRow) => fromTraceKey(query, traceKey(query, row));
	const after = query.after === undefined ? undefined : fromTraceKey(query, query.after);
	const read = async (position: Keyset | undefined, most: number, limits: Limits, part?: Range) => {
		const where = conditionsOf(query, plan);
		addAfter(where, value, order, position, "Float64");
		if (part !== undefined) addWindow(where, part);
		const within = limited(shard, limits);
		await addSpans(within, query, plan, where, part);
		const rows = await select(within, where, `${value} ${order}, traces.id ${order}`, most);
		return firstOf(rows, most, byKey(order, keyOf));
	};
	return await walk<TraceRow>({
		...{ ...walkOf(list), keyOf, ...AS_WHOLE },
		after: after && { ...after, value: storableValue(key, after.value) },
		read: (_window, position, most, limits) =>
			firstOfParts<TraceRow>({
				...{ order, limit: most, keyOf, limits, least: WINDOWS.least },
				edges: () => edgesOfStarts(shard, query),
				read: (part) => read(position, most, limits, part),
			}),
	});
}

async function edgesOfStarts(shard: ShardReader, query: TracesByColumn): Promise<Range | undefined> {
	if (query.rowIds !== undefined) {
		const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
		const edges = await edgesOf(
			shard,
			{ table: "traces", column: "start_micros" },
			where.addIn("id", "Int64", query.rowIds),
		);
		return edges && within(edges, query);
	}
	// A trace starts no later than its anchor, by which rows lie.
	const anchors = await edgesOfTable(shard, { table: "traces", column: "anchor_micros" });
	return anchors && within({ from: 0, to: anchors.to }, query);
}

/** Conditions on what spans have; `window` is that of the traces' starts. */
async function addSpans(
	shard: ShardReader,
	query: TracesByColumn,
	plan: Plan<TraceRow>,
	where: Conditions,
	window: Window | undefined,
): Promise<void> {
	const isSearch = plan.searchesSpans || query.models !== undefined;
	const spans = window && isSearch ? await spansOf(shard, query.projectId, window) : undefined;
	await plan.narrow(where, spans);
	if (query.models === undefined) return;
	const within =
		spans &&
		` and start_micros >= ${where.bind("Int64", spans.from)} and start_micros < ${where.bind("Int64", spans.to)}`;
	where.add(`traces.id in (select trace_row_id from spans where project_id = ${where.bind("Int64", query.projectId)}
		${within ?? ""} and model in ${where.bind("Array(String)", query.models)})`);
}

/** When the spans start of traces that start in a window. */
async function spansOf(shard: ShardReader, projectId: number, window: Window): Promise<SpansWindow> {
	const where = new Conditions().addEqual("traces.project_id", "Int64", projectId);
	addWindow(where, window);
	const rows = await shard.select(
		`select max(last_start_micros) as last from traces where ${where.sql}`,
		{ last: types.Integer },
		{ params: where.params },
	);
	return { column: "start_micros", from: window.from, to: Math.max(window.to, ...rows.map(({ last }) => last + 1)) };
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

async function select(
	shard: ShardReader,
	where: Conditions,
	order: string,
	limit: number,
): Promise<readonly TraceRow[]> {
	return await selectFinal(
		shard,
		`select ${COLUMNS} from traces where ${where.sql} order by ${order} limit ${limit}`,
		TRACES.columns,
		where.params,
	);
}

/** Those of the rows that have the attributes which the query names, by the current reading. */
function chooserOf({ sessionRowIds, userIds }: TracesByColumn): Choose<TraceRow> | undefined {
	if (sessionRowIds === undefined && userIds === undefined) return undefined;
	const isOneOf = <T>(list: readonly T[] | undefined, value: T | null) =>
		list === undefined || (value !== null && list.includes(value));
	return (rows) => rows.filter((row) => isOneOf(sessionRowIds, row.session_row_id) && isOneOf(userIds, row.user_id));
}

function conditionsOf(query: TracesByColumn, { readsAnew }: Pick<Plan<TraceRow>, "readsAnew">): Conditions {
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
	where.addIn("traces.user_id", "String", query.userIds, readsAnew ? olderSql("traces") : undefined);
	return where;
}
