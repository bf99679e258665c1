import { chunksOf } from "#base/chunks.ts";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { nodeOfRow, type SpanNode } from "#storage/traces/totals/span-node.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import { inParts, inRanges } from "../read/bounds.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import {
	LOG_RECORDS,
	type LogRow,
	SESSIONS,
	type SessionRow,
	SPANS,
	type SpanRow,
	TRACE_PLACES,
	TRACES,
	type TracePlace,
	type TraceRow,
} from "../tables.ts";

/** A trace as it is stored. */
export interface StoredTrace {
	/** Where it is, with all its spans. */
	readonly shard: Shard;
	readonly place: TracePlace;
	/** Absent when a process died before it wrote it, or when spans were to be deleted. */
	readonly row: TraceRow | undefined;
	readonly spans: readonly StoredSpanRow[];
}

export interface StoredSpanRow {
	readonly row: SpanRow;
	readonly node: SpanNode;
}

/** Whether the row of a trace tells of other spans than there are: a batch has ended between the two. */
export function isOutdated({ row, spans }: StoredTrace): boolean {
	if (row === undefined) return true;
	return row.span_count !== spans.length || spans.some((span) => span.row.version > row.version);
}

/** A key of maps. */
export function keyOf({ projectId, traceId }: TraceKey): string {
	return `${projectId} ${traceId}`;
}

/** Spans of a trace that start closer to each other are read together. */
const LEAST_MICROS = 1_000;
/** What starts further apart is looked for in two ranges of time. */
const FAR_MICROS = 6 * 3_600_000_000;
/** Of one statement. */
const MOST_RANGES = 50;

/**
 * The traces among these that are stored, with all their spans, by {@link keyOf}.
 * @param unsettled the lowest batch whose spans the rows of their traces may not tell of: it may have been left behind
 */
export async function readTraces(
	shards: TraceShards,
	keys: readonly TraceKey[],
	unsettled: number | undefined,
): Promise<Map<string, StoredTrace>> {
	const wanted = new Set(keys.map(keyOf));
	const traces = await shards.onEachOf(keys, traceIdOf, async (shard, own) => {
		const found = await inParts(own, (part) => findRows(shard, TRACE_PLACES, inTraces(part)));
		const places = found.filter((place) => wanted.has(keyOf(traceKeyOf(place))));
		return await readPlaces(shard, places, unsettled);
	});
	return new Map(traces.toSorted(bySpans).map((trace) => [keyOf(traceKeyOf(trace.place)), trace]));
}

/** Of two places of one trace, one may be left of a batch that ended before it wrote spans. */
function bySpans(a: StoredTrace, b: StoredTrace): number {
	return a.spans.length - b.spans.length;
}

/** The traces of these ids in all projects. @param unsettled as of {@link readTraces} */
export async function readTracesOfIds(
	shards: TraceShards,
	traceIds: readonly string[],
	unsettled: number | undefined,
): Promise<StoredTrace[]> {
	return await shards.onEachOf(traceIds, itself, async (shard, own) => {
		const places = await inParts(own, (part) =>
			findRows(shard, TRACE_PLACES, new Conditions().addInHex("trace_id", 16, part)),
		);
		return await readPlaces(shard, places, unsettled);
	});
}

function itself(traceId: string): string {
	return traceId;
}

function traceIdOf({ traceId }: TraceKey): string {
	return traceId;
}

/** The traces at these places of a shard. @param unsettled as of {@link readTraces} */
export async function readPlaces(
	shard: Shard,
	places: readonly TracePlace[],
	unsettled: number | undefined,
): Promise<StoredTrace[]> {
	const traces: StoredTrace[] = [];
	for (const groups of chunksOf(nearby(places), MOST_RANGES)) {
		const inChunk = groups.flat();
		const rows = await inParts(inChunk, (part) => {
			const anchors = nearby(part).map((near) => rangeOf(near.map(({ anchor_micros }) => anchor_micros)));
			return findRows(shard, TRACES, inTraces(part.map(traceKeyOf)).addBetweenAny("anchor_micros", anchors));
		});
		const rowOf = new Map(rows.map((row) => [numberOf(row), row]));
		const spans = await spansOf(shard, inChunk, rowOf, unsettled);
		for (const place of inChunk) {
			const number = numberOf(place);
			traces.push({ shard, place, row: rowOf.get(number), spans: spans.get(number) ?? [] });
		}
	}
	return traces;
}

async function spansOf(
	shard: Shard,
	places: readonly TracePlace[],
	rowOf: ReadonlyMap<string, TraceRow>,
	unsettled: number | undefined,
): Promise<Map<string, StoredSpanRow[]>> {
	const found = await inParts(places, async (part) => {
		const find = (starts: readonly (readonly [from: number, to: number])[]) =>
			findRows(shard, SPANS, inTraces(part.map(traceKeyOf)).addBetweenAny("start_micros", starts));
		const starts = nearby(part).map((near) => startsOf(near.map((place) => rowOf.get(numberOf(place)))));
		// Of a trace without a row nothing says how far its spans reach.
		if (!starts.every((range) => range !== undefined)) return await find([]);
		const [first] = starts;
		if (part.length > 1 || first === undefined) return await find(starts);
		const [from, to] = first;
		return await inRanges({ from, to: to + 1 }, LEAST_MICROS, (range) => find([[range.from, range.to - 1]]));
	});
	// They may start before or after all that the rows of their traces know of.
	const late =
		unsettled === undefined
			? []
			: await inParts(places, (part) => {
					const where = inTraces(part.map(traceKeyOf));
					return findRows(shard, SPANS, where.add(`batch >= ${where.bind("Int64", unsettled)}`));
				});
	const all = late.length === 0 ? found : [...new Map([...found, ...late].map((row) => [numberOf(row), row])).values()];
	const spans = all.map((row) => ({ row, node: nodeOfRow(row) }));
	return Map.groupBy(spans, ({ row }) => numberOf({ project_id: row.project_id, id: row.trace_row_id }));
}

/** When the spans of traces with these rows start; undefined where a row is missing. */
function startsOf(rows: readonly (TraceRow | undefined)[]): [from: number, to: number] | undefined {
	if (!rows.every((row) => row !== undefined)) return undefined;
	return rangeOf(rows.flatMap(({ start_micros, last_start_micros }) => [start_micros, last_start_micros]));
}

/** A key of maps. A move that died has left the same numbers in two projects. */
function numberOf({ project_id, id }: Pick<TracePlace, "project_id" | "id">): string {
	return `${project_id} ${id}`;
}

/** Groups of places whose traces are near each other in time. */
function nearby(places: readonly TracePlace[]): TracePlace[][] {
	const groups: TracePlace[][] = [];
	let last = Number.NEGATIVE_INFINITY;
	for (const place of places.toSorted((a, b) => a.anchor_micros - b.anchor_micros)) {
		if (place.anchor_micros - last > FAR_MICROS) groups.push([]);
		groups.at(-1)?.push(place);
		last = place.anchor_micros;
	}
	return groups;
}

export function traceKeyOf({ project_id, trace_id }: TracePlace): TraceKey {
	return { projectId: project_id, traceId: trace_id.toString("hex") };
}

function inTraces(keys: readonly TraceKey[]): Conditions {
	const where = new Conditions();
	where.addIn(
		"project_id",
		"Int64",
		keys.map(({ projectId }) => projectId),
	);
	return where.addInHex(
		"trace_id",
		16,
		keys.map(({ traceId }) => traceId),
	);
}

/** @param times at least one */
function rangeOf(times: readonly number[]): [from: number, to: number] {
	return [
		times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY),
		times.reduce((last, time) => Math.max(last, time), Number.NEGATIVE_INFINITY),
	];
}

/** The log records of traces, in order of time. */
export async function readLogs(shard: ShardReader, traceIds: readonly string[]): Promise<LogRow[]> {
	if (traceIds.length === 0) return [];
	const rows = await inParts(traceIds, (part) =>
		findRows(shard, LOG_RECORDS, new Conditions().addInHex("trace_id", 16, part), "", { traceIds: () => part }),
	);
	return rows.toSorted(byTime);
}

export function byTime(a: LogRow, b: LogRow): number {
	return a.time_micros - b.time_micros || a.time_nanos - b.time_nanos || Buffer.compare(a.hash, b.hash);
}

/** The sessions among these that are stored. */
export async function readSessions(
	shards: TraceShards,
	projectIds: readonly number[],
	sessionIds: readonly string[],
): Promise<SessionRow[]> {
	const byShard = Map.groupBy(sessionIds, (sessionId) => shards.ofSession(sessionId));
	const found = [...byShard].map(([shard, own]) =>
		inParts(own, (part) =>
			findRows(
				shard,
				SESSIONS,
				new Conditions().addIn("project_id", "Int64", projectIds).addIn("session_id", "String", part),
			),
		),
	);
	return (await Promise.all(found)).flat();
}
