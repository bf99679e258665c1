import { type Columns, pickColumns, type RowOf } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { cumulativeOfRows } from "#storage/traces/totals/cumulative.ts";
import type { Cumulative, SpanSummary } from "#storage/traces/trace-store.ts";
import { isOlder } from "../readings/older.ts";
import { type RowSources, renewSpans } from "../readings/renew-spans.ts";
import { SPANS, type SpanRow, TRACES } from "../tables.ts";
import { inParts, isOfBound } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { joinRanges } from "./join-ranges.ts";
import { selectByKey, selectFinal } from "./query.ts";
import { findSpansOf } from "./span-rows.ts";
import { NEAR, tracesByPlaces } from "./trace-rows.ts";

/** What tells of a span which trace it is in, and when. */
interface Member {
	readonly id: number;
	readonly projectId: number;
	readonly traceRowId: number;
	readonly traceId: string;
	readonly startMicros: number;
}

const COLUMNS = pickColumns(SPANS.columns, [
	...([
		"id",
		"span_id",
		"parent_span_id",
		"start_micros",
		"start_nanos",
		"end_micros",
		"end_nanos",
		"name",
		"kind",
	] as const),
	...(["status_code", "model", "flags", "tokens_prompt", "tokens_completion", "tokens_total", "cost_total"] as const),
	...(["session_id", "user_id", "release", "environment", "api_key_id", "trace_row_id", "reading"] as const),
]);
const PLACE = pickColumns(TRACES.columns, [
	...(["id", "trace_id", "project_id", "start_micros", "last_start_micros", "span_count"] as const),
]);
/** Microseconds from spans of a page, in which most traces lie as a whole. */
const AROUND = 10_000_000;
/** Ranges of these: what lies between them is left out by the ids of the traces, without planning with many ranges. */
const MOST_AROUND = 8;

export function memberOf(row: SpanRow): Member {
	const { id, project_id, trace_row_id, trace_id, start_micros } = row;
	return {
		...{ id, projectId: project_id, traceRowId: trace_row_id },
		...{ traceId: trace_id.toString("hex"), startMicros: start_micros },
	};
}

export function memberOfSummary({ id, projectId, traceRowId, traceId, start }: SpanSummary): Member {
	return { id, projectId, traceRowId, traceId, startMicros: start.micros };
}

/** Totals of spans with their descendants, by row number of the span. */
export async function findCumulative(
	sources: RowSources,
	spans: readonly Member[],
): Promise<ReadonlyMap<number, Cumulative>> {
	const byTrace = Map.groupBy(spans, (span) => span.traceRowId);
	const parts = await inParts([...byTrace.values()], (part) => findRowsOf(sources, part));
	const rows = Map.groupBy(parts, (row) => row.trace_row_id);
	const result = new Map<number, Cumulative>();
	for (const [traceRowId, members] of byTrace) {
		const cumulativeOf = cumulativeOfRows(rows.get(traceRowId) ?? []);
		for (const { id } of members) {
			const cumulative = cumulativeOf(id);
			if (cumulative !== undefined) result.set(id, cumulative);
		}
	}
	return result;
}

/** Of spans that are all of one trace. */
export function cumulativeIn(rows: readonly SpanRow[]): ReadonlyMap<number, Cumulative> {
	const cumulativeOf = cumulativeOfRows(rows);
	return new Map(
		rows.flatMap(({ id }) => {
			const cumulative = cumulativeOf(id);
			return cumulative === undefined ? [] : [[id, cumulative] as const];
		}),
	);
}

type Row = Pick<SpanRow, keyof typeof COLUMNS>;
type Place = RowOf<typeof PLACE>;

/** All spans of traces of which some are known; what is near these is read while it is asked how many there are. */
async function findRowsOf(sources: RowSources, known: readonly (readonly Member[])[]): Promise<Row[]> {
	const { shard } = sources;
	const [traces, near] = await Promise.all([findPlaces(shard, known), findNear(shard, known)]);
	const rows = Map.groupBy(near, (row) => row.trace_row_id);
	const isWhole = (own: readonly Row[] = [], count: number) => own.length === count && !own.some(isOlder);
	const others = traces.filter(({ id, span_count }) => !isWhole(rows.get(id), span_count));
	for (const { id } of others) rows.delete(id);
	return [...[...rows.values()].flat(), ...(await renewSpans(sources, await findSpansOf(shard, others)))];
}

/** Most rows of traces lie near their spans, where they are found without asking for their places. */
async function findPlaces(shard: ShardReader, known: readonly (readonly Member[])[]): Promise<Place[]> {
	const near = await selectNear(shard, known, { table: "traces", column: "anchor_micros", columns: PLACE });
	const found = new Set(near.map(({ id }) => id));
	const far = known.flatMap(([first]) => (first === undefined || found.has(first.traceRowId) ? [] : first));
	if (far.length === 0) return near;
	const where = tracesByPlaces(
		far.map(({ projectId }) => projectId),
		far.map(({ traceId }) => traceId),
	);
	const others = await selectFinal(
		shard,
		`select ${Object.keys(PLACE).join(", ")} from traces where ${where.sql}`,
		PLACE,
		where.params,
		{ traceIds: () => far.map(({ traceId }) => traceId) },
	);
	return [...near, ...others];
}

function findNear(shard: ShardReader, known: readonly (readonly Member[])[]): Promise<Row[]> {
	return selectNear(shard, known, { table: "spans", column: "start_micros", columns: COLUMNS });
}

interface NearBy<Of extends Columns> {
	readonly table: "spans" | "traces";
	/** The time by which rows lie. */
	readonly column: string;
	readonly columns: Of;
}

/** Rows of these traces that lie near their spans; none where that is too much. */
async function selectNear<Of extends Columns>(
	shard: ShardReader,
	known: readonly (readonly Member[])[],
	{ table, column, columns }: NearBy<Of>,
): Promise<RowOf<Of>[]> {
	const members = known.flat();
	const ranges = joinRanges(
		members.map(({ startMicros }) => [startMicros - AROUND, startMicros + AROUND]),
		MOST_AROUND,
		NEAR,
	);
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		members.map(({ projectId }) => projectId),
	);
	where.addBetweenAny(column, ranges);
	const traceIds = known.flatMap(([first]) => first?.traceId ?? []);
	where.addInHex("trace_id", 16, traceIds);
	try {
		return await selectByKey(
			shard,
			// All of the key, so that rows which replace each other fulfil it alike.
			`select ${Object.keys(columns).join(", ")} from ${table} final prewhere ${where.sql}`,
			columns,
			where.params,
			{ traceIds: () => traceIds },
		);
	} catch (error) {
		// Those of each trace are asked for, in parts.
		if (!isOfBound(error)) throw error;
		return [];
	}
}
