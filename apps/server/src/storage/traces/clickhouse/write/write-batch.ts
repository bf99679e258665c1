import { present } from "#base/present.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { PackedLogRecord } from "#storage/traces/content/log-record.ts";
import type { TraceSpans } from "#storage/traces/content/pack-batch.ts";
import type { NormalizedSpan, ReadTexts, WriteResult } from "#storage/traces/span-batch.ts";
import { sortOut } from "#storage/traces/totals/add-spans.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { toNode } from "#storage/traces/totals/span-node.ts";
import { TraceListChanges } from "#storage/traces/totals/trace-list-changes.ts";
import { TraceNodes, wholeTrace } from "#storage/traces/totals/trace-nodes.ts";
import type { Turn } from "../metadata/turns.ts";
import { CONTENTS, LOG_RECORDS, PROJECTS } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";
import { LogsBySpan } from "./logs-by-span.ts";
import { keyOf, readLogs, readTraces, type StoredTrace } from "./stored-traces.ts";
import { type ChangedTrace, TraceChanges } from "./trace-changes.ts";

export interface BatchToWrite {
	readonly traces: readonly TraceSpans[];
	readonly duplicates: number;
	readonly logs: readonly PackedLogRecord[];
	readonly readTexts: ReadTexts;
	readonly annotatedSessions: (rowIds: readonly number[]) => Promise<ReadonlySet<number>>;
	/** Row numbers of projects whose names ClickHouse has; this adds to them. */
	readonly namedProjects: Set<number>;
}

/**
 * Stores a batch. The rows of spans come after what they refer to and before what sums them up: if the process dies in
 * between, the same export sent again finds what is missing.
 * @throws StorageUnavailable
 */
export async function writeBatch(shard: Shard, turn: Turn, batch: BatchToWrite): Promise<WriteResult> {
	const given = batch.traces.map((trace) => ({
		...trace,
		projectId: present(turn.projects.get(trace.projectName), "the row number of a project"),
	}));
	const traceIds = [...new Set([...given.map(({ traceId }) => traceId), ...batch.logs.map(({ traceId }) => traceId)])];
	const [stored, storedLogs] = await Promise.all([
		readTraces(shard, given, turn.oldestOther),
		readLogs(shard, traceIds),
	]);
	const logs = new LogsBySpan(storedLogs);
	const newLogs = batch.logs.filter((log) => logs.add(log));
	const { opened, written, duplicates } = sortOutAll(given, stored, turn);
	const token = `batch ${turn.batch}`;

	const changes = new TraceChanges(shard, turn, {
		logs,
		readTexts: batch.readTexts,
		hours: new HourChanges(),
		annotatedSessions: batch.annotatedSessions,
	});
	const ofLogs = await changes.tracesOfLogs(newLogs, opened);
	await changes.prepare([...opened, ...ofLogs]);
	await Promise.all([
		insertRows(
			shard,
			CONTENTS,
			opened.flatMap((trace) => contentRows(trace, turn)),
			token,
		),
		insertRows(
			shard,
			LOG_RECORDS,
			newLogs.map((log) => logRow(log, turn)),
			token,
		),
		changes.insertPlaces(token),
		nameProjects(shard, turn, batch.namedProjects),
		changes.insertSessions(token),
	]);
	await changes.insertSpans(token);
	await changes.insertTotals(token);

	const listed = new TraceListChanges();
	for (const { place } of [...opened, ...ofLogs]) listed.add(place.project_id, place.id);
	return {
		written,
		duplicates: batch.duplicates + duplicates,
		logRecords: newLogs.length,
		changes: listed.list(),
	};
}

/** A metadata database that was put back from a backup may lack projects that have spans. */
async function nameProjects(shard: Shard, { projects, batch, version }: Turn, named: Set<number>): Promise<void> {
	const unnamed = [...projects].filter(([, id]) => !named.has(id));
	await insertRows(
		shard,
		PROJECTS,
		unnamed.map(([name, id]) => ({ id, name, version, is_deleted: 0 })),
		`batch ${batch}`,
	);
	for (const [, id] of unnamed) named.add(id);
}

type GivenTrace = TraceSpans & { readonly projectId: number };

/** The traces to which the batch adds something, or whose totals a process that died has not written. */
function sortOutAll(given: readonly GivenTrace[], stored: ReadonlyMap<string, StoredTrace>, turn: Turn) {
	const opened: ChangedTrace[] = [];
	let written = 0;
	let duplicates = 0;
	for (const trace of given) {
		const known = stored.get(keyOf(trace));
		const nodes = new TraceNodes(wholeTrace((known?.spans ?? []).map(({ node }) => node)));
		const { fresh, ended } = sortOut(trace.spans, nodes);
		written += fresh.length + ended.length;
		duplicates += trace.spans.length - fresh.length - ended.length;
		const outdated = known !== undefined && isOutdated(known);
		// The hours lack what was left behind, too.
		if (outdated) turn.askForRepair();
		if (fresh.length + ended.length === 0 && known !== undefined && !outdated) continue;
		opened.push(open(trace, known, { fresh, ended, turn }));
	}
	return { opened, written, duplicates };
}

/** Whether spans were stored after the totals. */
function isOutdated({ row, spans }: StoredTrace): boolean {
	return row === undefined || spans.some((span) => span.row.version > row.version);
}

interface Additions extends ReturnType<typeof sortOut> {
	readonly turn: Turn;
}

function open(trace: GivenTrace, known: StoredTrace | undefined, { fresh, ended, turn }: Additions): ChangedTrace {
	const place = known?.place ?? {
		trace_id: Buffer.from(trace.traceId, "hex"),
		project_id: trace.projectId,
		id: turn.take("traces"),
		anchor_micros: fresh.reduce((first, { start }) => Math.min(first, start.micros), Number.MAX_SAFE_INTEGER),
		version: turn.version,
		is_deleted: 0,
	};
	const endedNodes = new Map(ended.map(({ stored: { id }, span }) => [id, toNode(id, span)]));
	return {
		place,
		isNew: known === undefined,
		before: known?.row,
		stored: known?.spans ?? [],
		added: fresh.map((span) => toNode(turn.take("spans"), span)),
		ended: endedNodes,
	};
}

function contentRows({ place, added, ended }: ChangedTrace, { batch, version }: Turn) {
	return [...added, ...ended.values()].map((node) => {
		const { bytes, scope, resource }: NormalizedSpan = present(node.source, "what a written span was made of");
		return {
			project_id: place.project_id,
			start_micros: node.startMicros,
			id: node.id,
			batch,
			span: viewOf(bytes),
			scope: viewOf(scope.bytes),
			scope_schema_url: scope.schemaUrl,
			resource: viewOf(resource.bytes),
			resource_schema_url: resource.schemaUrl,
			version,
			is_deleted: 0,
		};
	});
}

/** The same memory: a batch may have much content. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
	return Buffer.from(buffer, byteOffset, byteLength);
}

function logRow(log: PackedLogRecord, { version }: Turn) {
	return {
		trace_id: Buffer.from(log.traceId, "hex"),
		span_id: Buffer.from(log.spanId, "hex"),
		time_micros: log.timeMicros,
		time_nanos: log.timeNanos,
		hash: Buffer.from(log.hash),
		received_at: Date.now() * 1_000,
		data: Buffer.from(log.bytes),
		version,
		is_deleted: 0,
	};
}
