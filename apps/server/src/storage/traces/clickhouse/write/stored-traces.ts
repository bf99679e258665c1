import type { Shard } from "#storage/clickhouse/shard.ts";
import { nodeOfRow, type SpanNode } from "#storage/traces/totals/span-node.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows } from "../read/query.ts";
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
	readonly place: TracePlace;
	/** Absent when a process died before it wrote it. */
	readonly row: TraceRow | undefined;
	readonly spans: readonly StoredSpanRow[];
}

export interface StoredSpanRow {
	readonly row: SpanRow;
	readonly node: SpanNode;
}

export interface TraceKey {
	readonly projectId: number;
	readonly traceId: string;
}

/** A key of maps. */
export function keyOf({ projectId, traceId }: TraceKey): string {
	return `${projectId} ${traceId}`;
}

/** Spans of a trace that start further apart are looked for in two statements. */
const FAR_MICROS = 6 * 3_600_000_000;

/** The traces among these that are stored, with all their spans, by {@link keyOf}. */
export async function readTraces(shard: Shard, keys: readonly TraceKey[]): Promise<Map<string, StoredTrace>> {
	const wanted = new Set(keys.map(keyOf));
	const places = (await findRows(shard, TRACE_PLACES, inTraces(keys))).filter((place) =>
		wanted.has(keyOf({ projectId: place.project_id, traceId: place.trace_id.toString("hex") })),
	);
	return new Map(
		(await readPlaces(shard, places)).map((trace) => [
			keyOf({ projectId: trace.place.project_id, traceId: trace.place.trace_id.toString("hex") }),
			trace,
		]),
	);
}

/** The traces of these ids in all projects. */
export async function readTracesOfIds(shard: Shard, traceIds: readonly string[]): Promise<StoredTrace[]> {
	const places = await findRows(shard, TRACE_PLACES, new Conditions().addInHex("trace_id", 16, traceIds));
	return await readPlaces(shard, places);
}

/** The traces at these places. */
export async function readPlaces(shard: Shard, places: readonly TracePlace[]): Promise<StoredTrace[]> {
	const traces: StoredTrace[] = [];
	for (const near of nearby(places)) {
		const anchors = near.map(({ anchor_micros }) => anchor_micros);
		const where = inTraces(near.map(traceKeyOf));
		const rows = await findRows(
			shard,
			TRACES,
			where.addBetween("anchor_micros", anchors.reduce(smaller), anchors.reduce(larger)),
		);
		const rowOf = new Map(rows.map((row) => [row.id, row]));
		const spans = await spansOf(shard, near, rowOf);
		for (const place of near) traces.push({ place, row: rowOf.get(place.id), spans: spans.get(place.id) ?? [] });
	}
	return traces;
}

async function spansOf(
	shard: Shard,
	places: readonly TracePlace[],
	rowOf: ReadonlyMap<number, TraceRow>,
): Promise<Map<number, StoredSpanRow[]>> {
	const rows = places.map((place) => rowOf.get(place.id));
	const where = inTraces(places.map(traceKeyOf));
	// Of a trace without a row nothing says how far its spans reach.
	if (rows.every((row) => row !== undefined))
		where.addBetween(
			"start_micros",
			rows.map((row) => row.start_micros).reduce(smaller),
			rows.map((row) => row.last_start_micros).reduce(larger),
		);
	const found = await findRows(shard, SPANS, where);
	const spans = found.map((row) => ({ row, node: nodeOfRow(row) }));
	return Map.groupBy(spans, ({ row }) => row.trace_row_id);
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

function traceKeyOf({ project_id, trace_id }: TracePlace): TraceKey {
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

function smaller(a: number, b: number): number {
	return Math.min(a, b);
}

function larger(a: number, b: number): number {
	return Math.max(a, b);
}

/** The log records of traces, in order of time. */
export async function readLogs(shard: Shard, traceIds: readonly string[]): Promise<LogRow[]> {
	if (traceIds.length === 0) return [];
	const rows = await findRows(shard, LOG_RECORDS, new Conditions().addInHex("trace_id", 16, traceIds));
	return rows.toSorted(
		(a, b) => a.time_micros - b.time_micros || a.time_nanos - b.time_nanos || Buffer.compare(a.hash, b.hash),
	);
}

/** The sessions among these that are stored. */
export async function readSessions(
	shard: Shard,
	projectIds: readonly number[],
	sessionIds: readonly string[],
): Promise<SessionRow[]> {
	if (sessionIds.length === 0) return [];
	const where = new Conditions().addIn("project_id", "Int64", projectIds).addIn("session_id", "String", sessionIds);
	return await findRows(shard, SESSIONS, where);
}
