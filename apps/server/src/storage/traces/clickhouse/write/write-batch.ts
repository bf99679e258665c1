import { allEnded } from "#base/all-ended.ts";
import { present } from "#base/present.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import {
	hashInProject,
	type LogRecordOfProject,
	logOfProject,
	NO_PROJECT,
	type PackedLogRecord,
} from "#storage/traces/content/log-record.ts";
import type { TraceSpans } from "#storage/traces/content/pack-batch.ts";
import type { TracesToMark } from "#storage/traces/error-backlog.ts";
import type { NormalizedSpan, ReadTexts, WriteResult } from "#storage/traces/span-batch.ts";
import { sortOut } from "#storage/traces/totals/add-spans.ts";
import { toNode } from "#storage/traces/totals/span-node.ts";
import { TraceListChanges } from "#storage/traces/totals/trace-list-changes.ts";
import { TraceNodes, wholeTrace } from "#storage/traces/totals/trace-nodes.ts";
import type { Turn } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, LOG_RECORDS, type LogRow } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";
import { LogsBySpan, traceOfLog } from "./logs-by-span.ts";
import type { NamedProjects } from "./name-projects.ts";
import { SessionNumbers } from "./session-numbers.ts";
import { isOutdated, keyOf, readLogs, readTraces, type StoredTrace } from "./stored-traces.ts";
import { type ChangedTrace, TraceChanges } from "./trace-changes.ts";

/** Within less, nobody has looked for failures yet. */
const LONG_INSERT_MS = 3_000;

export interface BatchToWrite {
	readonly traces: readonly TraceSpans[];
	readonly duplicates: number;
	readonly logs: readonly PackedLogRecord[];
	/** Whether traces that are new take the log records of no project that wait for them. */
	readonly takesLogsOfNoProject: boolean;
	readonly readTexts: ReadTexts;
	/** As `WriterMetadata.markTraces`. */
	readonly markTraces: (traces: TracesToMark) => Promise<void>;
	readonly annotatedSessions: (rowIds: readonly number[]) => Promise<ReadonlySet<number>>;
	/** Of this process. */
	readonly namedProjects: NamedProjects;
}

/**
 * Stores a batch. The rows of spans and of their traces come after what they refer to: if the process dies in between,
 * the same export sent again finds what is missing.
 * @throws StorageUnavailable
 */
export async function writeBatch(shards: TraceShards, turn: Turn, batch: BatchToWrite): Promise<WriteResult> {
	const projectOf = (name: string) => present(turn.projects.get(name), "the row number of a project");
	const given = batch.traces.map((trace) => ({ ...trace, projectId: projectOf(trace.projectName) }));
	const givenLogs = batch.logs.map((log) => logOfProject(projectOf(log.projectName), log));
	const traceIds = [...new Set([...given.map(({ traceId }) => traceId), ...batch.logs.map(({ traceId }) => traceId)])];
	const sessions = new SessionNumbers(shards, turn, batch.annotatedSessions);
	const { stored, newLogs, claimed, opened, changed, changes, marked, written, duplicates } = await turn.beforeInserts(
		async () => {
			const [stored, storedLogs] = await Promise.all([
				readTraces(shards, given, turn.oldestOther),
				readLogs(shards, traceIds),
				sessions.read(given.flatMap(sessionsOf)),
			]);
			const { opened, ...counts } = sortOutAll(given, stored, { shards, turn });
			const claimed = batch.takesLogsOfNoProject ? claim(storedLogs, opened, turn) : NOTHING_CLAIMED;
			const logs = new LogsBySpan([...storedLogs, ...claimed.rows]);
			const newLogs = givenLogs.filter((log) => logs.add(log));
			const changes = new TraceChanges(shards, turn, { logs, readTexts: batch.readTexts, sessions });
			const changed = [...opened, ...(await changes.tracesOfLogs(newLogs, opened))];
			await changes.prepare(changed);
			const marked = tracesToMark(given, stored, { opened, changed });
			await batch.markTraces(marked);
			return { stored, newLogs, claimed, opened, changed, changes, marked, ...counts };
		},
	);
	const began = performance.now();
	const token = `batch ${turn.batch}`;
	const byShard = Map.groupBy(opened, ({ shard }) => shard);
	const logShards = logsByShard(shards, newLogs, [...stored.values(), ...changed]);
	await allEnded([
		...[...byShard].map(([shard, traces]) =>
			insertRows(
				shard,
				CONTENTS,
				traces.flatMap((trace) => contentRows(trace, turn)),
				token,
			),
		),
		...[...logShards].map(([shard, logs]) =>
			insertRows(
				shard,
				LOG_RECORDS,
				logs.map((log) => logRow(log, turn)),
				token,
			),
		),
		changes.insertPlaces(token),
		...(claimed.rows.length === 0 ? [] : shards.list.map((shard) => insertClaimed(shard, opened, claimed, token))),
		...[...new Set([...byShard.keys(), ...logShards.keys()])].map((shard) => batch.namedProjects.name(shard, turn)),
		changes.insertSessions(token),
	]);
	await changes.insertSpans(token);
	// Whoever looks for failures may have done so before there was anything to see.
	if (performance.now() - began > LONG_INSERT_MS) await batch.markTraces(marked);

	const listed = new TraceListChanges();
	for (const { place } of changed) listed.add(place.project_id, place.id);
	return {
		written,
		duplicates: batch.duplicates + duplicates,
		logRecords: newLogs.length,
		changes: listed.list(),
	};
}

/**
 * Spans that are there already count, too: whoever sent them before may have died before it was noted that their traces are
 * to be looked at.
 */
function tracesToMark(
	given: readonly GivenTrace[],
	stored: ReadonlyMap<string, StoredTrace>,
	{ opened, changed }: Readonly<Record<"opened" | "changed", readonly ChangedTrace[]>>,
): TracesToMark {
	const placeOf = new Map([
		...[...stored].map(([key, { place }]) => [key, place.id] as const),
		...opened.map(({ place }) => [keyOf(traceOfLog(place)), place.id] as const),
	]);
	const failing = given.flatMap((trace) =>
		trace.spans.some((span) => span.mayHaveFailed) ? (placeOf.get(keyOf(trace)) ?? []) : [],
	);
	const known = new Set(failing);
	const others = changed.filter(({ isNew, place }) => !isNew && !known.has(place.id));
	return { failing, changed: others.map(({ place }) => place.id) };
}

/** Those that the spans of a trace name, of which one will be that of the trace. */
function sessionsOf({ projectId, spans }: GivenTrace) {
	const ids = new Set(spans.flatMap(({ facts }) => facts.session_id ?? []));
	return [...ids].map((sessionId) => ({ projectId, sessionId }));
}

/** Log records are put where their trace is, or will probably be. */
function logsByShard(
	shards: TraceShards,
	logs: readonly LogRecordOfProject[],
	traces: readonly Pick<ChangedTrace, "shard" | "place">[],
): Map<Shard, LogRecordOfProject[]> {
	if (logs.length === 0) return new Map();
	const known = new Map(traces.map(({ shard, place }) => [keyOf(traceOfLog(place)), shard]));
	return Map.groupBy(logs, (log) => known.get(keyOf(log)) ?? shards.ofNew(log.traceId, log.timeMicros));
}

interface Claimed {
	/** As they are now. */
	readonly rows: readonly LogRow[];
	/** What they were, deleted. */
	readonly gone: readonly LogRow[];
}

const NOTHING_CLAIMED: Claimed = { rows: [], gone: [] };

/** Gives log records of no project to the new traces that they waited for. */
function claim(logs: readonly LogRow[], opened: readonly ChangedTrace[], { version }: Turn): Claimed {
	const waiting = logs.filter(({ project_id }) => project_id === NO_PROJECT);
	if (waiting.length === 0) return NOTHING_CLAIMED;
	const fresh = opened.filter(({ isNew }) => isNew);
	const projectOf = new Map(fresh.map(({ place }) => [place.trace_id.toString("hex"), place.project_id]));
	const taken = waiting.filter(({ trace_id }) => projectOf.has(trace_id.toString("hex")));
	return {
		rows: taken.map((log) => {
			const project_id = present(projectOf.get(log.trace_id.toString("hex")), "the project of a trace");
			return { ...log, project_id, hash: hashInProject(project_id, log.hash), version };
		}),
		gone: taken.map((log) => ({ ...log, data: Buffer.alloc(0), version, is_deleted: 1 })),
	};
}

/** Log records lie with their traces; where those of no project lay is not known, so each shard hears that they are gone. */
async function insertClaimed(
	shard: Shard,
	opened: readonly ChangedTrace[],
	{ rows, gone }: Claimed,
	token: string,
): Promise<void> {
	const own = new Set(opened.filter((trace) => trace.shard === shard).map(({ place }) => keyOf(traceOfLog(place))));
	const arrived = rows.filter((row) => own.has(keyOf(traceOfLog(row))));
	await insertRows(shard, LOG_RECORDS, [...arrived, ...gone], `${token} claimed`);
}

type GivenTrace = TraceSpans & { readonly projectId: number };

/** The traces to which the batch adds something, or whose totals a process that died has not written. */
function sortOutAll(
	given: readonly GivenTrace[],
	stored: ReadonlyMap<string, StoredTrace>,
	{ shards, turn }: { readonly shards: TraceShards; readonly turn: Turn },
) {
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
		opened.push(open(trace, known, { fresh, ended, shards, turn }));
	}
	return { opened, written, duplicates };
}

interface Additions extends ReturnType<typeof sortOut> {
	readonly shards: TraceShards;
	readonly turn: Turn;
}

function open(
	trace: GivenTrace,
	known: StoredTrace | undefined,
	{ fresh, ended, shards, turn }: Additions,
): ChangedTrace {
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
		shard: known?.shard ?? shards.ofNew(trace.traceId, place.anchor_micros),
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

function logRow(log: LogRecordOfProject, { version }: Turn) {
	return {
		project_id: log.projectId,
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
