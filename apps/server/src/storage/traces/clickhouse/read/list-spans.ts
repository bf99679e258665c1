import { failureOf } from "#storage/clickhouse/failures.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { justBefore, pageFrom, type ScannedPage, spanKey } from "#storage/traces/lists/positions.ts";
import { SPAN_SORTS, sortSql, storableValue } from "#storage/traces/lists/sort-keys.ts";
import { isSlow } from "#storage/traces/slow-reads.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { Keyset, Page, SpanQuery, SpanSort } from "#storage/traces/trace-store.ts";
import { type Choose, type Plan, planFilter, type SpansWindow } from "../filter/plan.ts";
import type { Sources } from "../filter/world.ts";
import { olderSql } from "../readings/older.ts";
import { renewTraces } from "../readings/renew-traces.ts";
import { SPANS, type SpanRow } from "../tables.ts";
import { firstOfParts, type Limits, limited, type Range, rangeOf } from "./bounds.ts";
import { pageByNumber } from "./by-number.ts";
import { Conditions } from "./conditions.ts";
import { edgesOfTable, nextValue, within } from "./edges.ts";
import { byKey, firstOf } from "./first-of.ts";
import { inRounds } from "./in-rounds.ts";
import { addAfter } from "./list-traces.ts";
import { type Asked, inClickHouse, selectByKey, selectFinal } from "./query.ts";
import { SPAN_COLUMNS } from "./span-rows.ts";
import { findTraceRowsById } from "./trace-rows.ts";
import { AS_WHOLE, walk } from "./walk.ts";

export type SpansByColumn = SpanQuery & { readonly sort: SpanSort };

/** The first window, and the narrowest: of starts in microseconds, or of row numbers. */
const WINDOWS = {
	start_micros: { width: 3_600_000_000, least: 1_000_000 },
	id: { width: 8_192, least: 64 },
} as const;
/** Row numbers in the first window of a list without conditions, where a page has fewer. */
const LEAST_WIDTH = 512;
/** A window of so many row numbers may be read with all columns at once, where that reads no more than so many rows. */
const MOST_AT_ONCE = 32_768;
const MOST_READ = 65_536;
/** Of the rows that a condition names, for each of the page, in the first window. */
const NAMED = 4;
/** ClickHouse's code. */
const TOO_MANY_ROWS = 158;
const LATENCY = "(spans.end_micros - spans.start_micros)";

export async function listSpanRows(sources: Sources, query: SpansByColumn): Promise<Page<SpanRow>> {
	const begun = performance.now();
	const plan = await planFilter<SpanRow>(sources, query, "span", chooserOf(query));
	const list = { query, plan, begun, after: justBefore(query.from, query.order) };
	const page = await (query.sort === "id"
		? byNumber(sources, list)
		: query.sort === "start_time"
			? byStart(sources, list)
			: sorted(sources.shard, list, query.sort));
	return pageFrom(page, page.rows, query.order, (row) => spanKey(query, row));
}

interface List {
	readonly query: SpansByColumn;
	readonly plan: Plan<SpanRow>;
	readonly begun: number;
	readonly after: Keyset | undefined;
}

function walkOf({ query, plan, begun }: List) {
	const { order, limit } = query;
	return {
		order,
		limit,
		begun,
		isSlow: isSlow(query) || plan.readsAnew,
		keep: plan.keep,
		candidates: plan.candidates,
	} as const;
}

async function byStart(sources: Sources, list: List): Promise<ScannedPage<SpanRow>> {
	const { query, plan, after } = list;
	const edges = await edgesOfStarts(sources.shard, query);
	const isNamed = query.rowIds !== undefined || plan.rowIds !== undefined;
	return await inWindows(sources, list, "start_micros", {
		edges,
		width: edges !== undefined && isNamed ? edges.to - edges.from : WINDOWS.start_micros.width,
		after: after && { ...after, value: storableValue(SPAN_SORTS.start_time, after.value) },
	});
}

async function byNumber(sources: Sources, list: List): Promise<ScannedPage<SpanRow>> {
	const { shard, highest } = sources;
	const { query, plan, after } = list;
	const named = query.rowIds ?? plan.rowIds;
	if (named !== undefined) return await inWindows(sources, list, "id", windowsOfNamed(named, list));
	const width = hasConditions(query) ? WINDOWS.id.width : Math.max(LEAST_WIDTH, 2 * query.limit);
	const { projectId, order } = query;
	return await pageByNumber({
		...{ order, after, isSlow: isSlow(query) || plan.readsAnew, known: highest.known("spans", projectId) },
		find: () => highest.find(shard, "spans", projectId),
		upTo: (to, above) =>
			inWindows(sources, list, "id", { edges: { from: 1, to: to + 1 }, width: width + above, after, isDense: true }),
	});
}

/** The windows of a list of rows whose numbers are known. */
function windowsOfNamed(named: readonly number[], { query, after }: List): Windows {
	const { order, limit } = query;
	// The id decides where the value is the same: a position may be just before a row.
	const sign = order === "asc" ? 1 : -1;
	const isLeft = (id: number) => after === undefined || sign * (id - after.value || id - after.id) > 0;
	const left = named.filter(isLeft).sort((a, b) => sign * (a - b));
	const [first, last] = [left[0], left[Math.min(left.length, NAMED * limit) - 1]];
	if (first === undefined || last === undefined) return { edges: undefined, width: 1, after };
	return { edges: rangeOf(left), width: Math.abs(last - first) + 1, after };
}

interface Windows {
	readonly edges: Range | undefined;
	/** Of the first one. */
	readonly width: number;
	readonly after: Keyset | undefined;
	/** Whether most row numbers in them are those of rows, which lie next to each other if they came as they happened. */
	readonly isDense?: boolean;
}

async function inWindows(
	{ shard, scattered }: Sources,
	list: List,
	column: "id" | "start_micros",
	windows: Windows,
): Promise<ScannedPage<SpanRow>> {
	const { query, plan } = list;
	const { order, projectId } = query;
	const ofProject = { table: "spans", column, projectId, isSorted: column === "start_micros" };
	const keyOf = (row: SpanRow) => ({ value: row[column], id: row.id });
	const compare = byKey(order, keyOf);
	const comparePlaces = byKey(order, (place: SpanPlace) => ({ value: place[column], id: place.id }));
	// By start and without conditions, the first rows of a window are those that lie first.
	const isChosenFirst = column === "id" || hasConditions(query);
	return await walk<SpanRow>({
		...{ ...walkOf(list), ...windows, least: WINDOWS[column].least, isById: column === "id", keyOf },
		next: (edge, limits) => nextValue(limited(shard, limits), ofProject, order, edge),
		read: async (range, position, limit, limits) => {
			const reader = limited(shard, limits);
			const window = { column, ...range };
			const width = range.to - range.from;
			const sorted = `spans.${column} ${order}, spans.id ${order}`;
			if (!isChosenFirst)
				return firstOf(await select(reader, rowsOf(list, window, position), sorted, limit), limit, compare);
			if (
				windows.isDense === true &&
				!plan.searchesSpans &&
				width <= MOST_AT_ONCE &&
				!scattered.has(projectId, width)
			) {
				const rows = await selectDense(reader, rowsOf(list, window, position), sorted, limit);
				if (rows !== undefined) return firstOf(rows, limit, compare);
				scattered.note(projectId, width);
			}
			return await inRounds(limit, position, {
				find: async (after, most) => {
					const where = rowsOf(list, window, after);
					await plan.narrowContents(where, window);
					return firstOf(await selectPlaces(reader, where, sorted, most), most, comparePlaces);
				},
				read: async (places) =>
					firstOf(
						await selectAt(reader, rowsOf(list, window, position), sorted, { projectId, places }),
						places.length,
						compare,
					),
				keyOf: (place) => ({ value: place[column], id: place.id }),
			});
		},
	});
}

/** The conditions of being a row of a window behind a position, without what only contents tell. */
function rowsOf({ query, plan }: List, window: SpansWindow, position: Keyset | undefined): Conditions {
	const { column, from, to } = window;
	const where = conditionsOf(query, plan);
	where.add(`spans.${column} >= ${where.bind("Int64", from)} and spans.${column} < ${where.bind("Int64", to)}`);
	addAfter(where, `spans.${column}`, query.order, position, "Int64", "spans.id");
	plan.narrowRows(where, window);
	return where;
}

/** Where a row lies that may have been replaced or deleted. */
type SpanPlace = Pick<SpanRow, "start_micros" | "id">;

async function selectPlaces(
	shard: ShardReader,
	where: Conditions,
	order: string,
	limit: number,
): Promise<readonly SpanPlace[]> {
	return await selectByKey(
		shard,
		`select spans.start_micros as start_micros, spans.id as id from spans where ${where.sql} order by ${order} limit ${limit}`,
		{ start_micros: SPANS.columns.start_micros, id: SPANS.columns.id },
		where.params,
	);
}

/**
 * The rows at these places that fulfil the conditions. All versions of a row lie at its start. With a limit, the engine
 * reads most columns of those rows alone.
 */
async function selectAt(
	shard: ShardReader,
	where: Conditions,
	order: string,
	{ projectId, places }: { readonly projectId: number; readonly places: readonly SpanPlace[] },
): Promise<readonly SpanRow[]> {
	const starts = places.map(({ start_micros }) => start_micros);
	const ids = places.map(({ id }) => id);
	const ofProject = `spans.project_id = ${where.bind("Int64", projectId)}`;
	const lie = `${ofProject} and spans.start_micros in ${where.bind("Array(Int64)", starts)}`;
	where.addIn("spans.id", "Int64", ids);
	return await selectByKey(
		shard,
		`select ${SPAN_COLUMNS} from spans final prewhere ${lie}
		where ${where.sql} order by ${order} limit ${places.length}`,
		SPANS.columns,
		where.params,
	);
}

/** Whether any row of the project may be left out. */
function hasConditions(query: SpansByColumn): boolean {
	return isSlow(query) || conditionsOf(query, { readsAnew: false }).count > 1;
}

/** Reads all that fits, as the rows lie in no order of the key. */
async function sorted(shard: ShardReader, list: List, sort: Exclude<SpanSort, "id">): Promise<ScannedPage<SpanRow>> {
	const { query, plan, after } = list;
	const { order } = query;
	const key = SPAN_SORTS[sort];
	const value = `toFloat64(${inClickHouse(sortSql(key, order))})`;
	const keyOf = (row: SpanRow) => spanKey(query, row);
	const read = async (position: Keyset | undefined, most: number, limits: Limits, part?: Range) => {
		const where = conditionsOf(query, plan);
		if (part !== undefined) where.addTimeRange("spans.start_micros", { startMicros: part.from, endMicros: part.to });
		addAfter(where, value, order, position, "Float64", "spans.id");
		await plan.narrow(where, part && { column: "start_micros", ...part });
		const rows = await select(limited(shard, limits), where, `${value} ${order}, spans.id ${order}`, most);
		return firstOf(rows, most, byKey(order, keyOf));
	};
	return await walk<SpanRow>({
		...{ ...walkOf(list), keyOf, ...AS_WHOLE },
		after: after && { ...after, value: storableValue(key, after.value) },
		read: (_window, position, most, limits) =>
			firstOfParts<SpanRow>({
				...{ order, limit: most, keyOf, limits, least: WINDOWS.start_micros.least },
				edges: () => edgesOfStarts(shard, query),
				read: (part) => read(position, most, limits, part),
			}),
	});
}

async function edgesOfStarts(shard: ShardReader, query: SpansByColumn): Promise<Range | undefined> {
	const { startMicros, endMicros } = query;
	if (startMicros !== undefined && endMicros !== undefined)
		return within({ from: Math.ceil(startMicros), to: Math.ceil(endMicros) }, query);
	const edges = await edgesOfTable(shard, { table: "spans", column: "start_micros" });
	return edges && within(edges, query);
}

async function select(
	shard: ShardReader,
	where: Conditions,
	order: string,
	limit: number,
	asked: Asked = {},
): Promise<readonly SpanRow[]> {
	return await selectFinal(
		shard,
		`select ${SPAN_COLUMNS} from spans where ${where.sql} order by ${order} limit ${limit}`,
		SPANS.columns,
		where.params,
		asked,
	);
}

/**
 * As `select`, where the rows lie close to each other: it plans one statement in place of two, which takes more time than
 * reading some thousand rows. Undefined where they do not, as those of old traces that came one after the other.
 */
async function selectDense(
	shard: ShardReader,
	where: Conditions,
	order: string,
	limit: number,
): Promise<readonly SpanRow[] | undefined> {
	try {
		return await select(shard, where, order, limit, { mostRead: MOST_READ });
	} catch (error) {
		if (failureOf(error)?.code === TOO_MANY_ROWS) return undefined;
		throw error;
	}
}

/** Those of the rows that have the attributes which the query names, by the current reading. */
function chooserOf({ kinds, userIds, models, sessionIds }: SpansByColumn): Choose<SpanRow> | undefined {
	if ([kinds, userIds, models, sessionIds].every((named) => named === undefined)) return undefined;
	const numbers = kinds?.map(kindNumber);
	const isOneOf = <T>(list: readonly T[] | undefined, value: T | null) =>
		list === undefined || (value !== null && list.includes(value));
	return async (rows, sources) => {
		const chosen = rows.filter(
			(row) => isOneOf(numbers, row.kind) && isOneOf(userIds, row.user_id) && isOneOf(models, row.model),
		);
		if (sessionIds === undefined) return chosen;
		const ids = [...new Set(chosen.map(({ trace_row_id }) => trace_row_id))];
		const traces = await renewTraces(sources, await findTraceRowsById(sources.shard, ids));
		const inSessions = new Set(traces.filter((row) => isOneOf(sessionIds, row.session_id)).map(({ id }) => id));
		return chosen.filter(({ trace_row_id }) => inSessions.has(trace_row_id));
	};
}

function conditionsOf(query: SpansByColumn, { readsAnew }: Pick<Plan<SpanRow>, "readsAnew">): Conditions {
	const where = new Conditions().addEqual("spans.project_id", "Int64", query.projectId);
	where.addTimeRange("spans.start_micros", query);
	where.addIn("spans.id", "Int64", query.rowIds);
	where.addInHex("spans.trace_id", 16, query.traceIds);
	where.addInHex("spans.span_id", 8, query.spanIds);
	if (query.parentSpanId === null) where.add("spans.parent_span_id is null");
	else if (query.parentSpanId !== undefined) where.addInHex("spans.parent_span_id", 8, [query.parentSpanId]);
	where.addIn("spans.name", "String", query.names);
	const orOlder = readsAnew ? olderSql("spans") : undefined;
	where.addIn("spans.kind", "UInt8", query.kinds?.map(kindNumber), orOlder);
	where.addIn("spans.status_code", "UInt8", query.statusCodes);
	if (query.error !== undefined) where.add(query.error ? "spans.status_code = 2" : "spans.status_code <> 2");
	if (query.minLatencyMs !== undefined || query.maxLatencyMs !== undefined) where.add(`not ${IS_RUNNING}`);
	// Limits may be fractions of a microsecond.
	if (query.minLatencyMs !== undefined) where.add(`${LATENCY} >= ${where.bind("Float64", query.minLatencyMs * 1_000)}`);
	if (query.maxLatencyMs !== undefined) where.add(`${LATENCY} <= ${where.bind("Float64", query.maxLatencyMs * 1_000)}`);
	where.addIn("spans.user_id", "String", query.userIds, orOlder);
	where.addIn("spans.model", "String", query.models, orOlder);
	if (query.sessionIds !== undefined)
		where.add(
			`spans.trace_row_id in (select id from traces final where project_id = ${where.bind("Int64", query.projectId)}
				and (session_id in ${where.bind("Array(String)", query.sessionIds)}${readsAnew ? ` or ${olderSql("traces")}` : ""}))`,
		);
	return where;
}

const IS_RUNNING = inClickHouse(runningSql("spans"));
