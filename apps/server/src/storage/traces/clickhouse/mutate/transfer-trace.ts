import type { Kysely } from "kysely";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import { hashInProject, hashOfLog } from "#storage/traces/content/log-record.ts";
import { findDuplicates } from "#storage/traces/mutate/duplicates.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { annotatedSessions, type MetadataReferences } from "../metadata/references.ts";
import type { Turn } from "../metadata/turns.ts";
import { readTogether } from "../read/contents.ts";
import { findRows } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, LOG_RECORDS, type LogRow, type SpanRow, type TraceRow } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { LogsBySpan } from "../write/logs-by-span.ts";
import { SessionNumbers } from "../write/session-numbers.ts";
import { byTime, keyOf, readLogs, readTraces, type StoredTrace } from "../write/stored-traces.ts";
import { type ChangedTrace, TraceChanges } from "../write/trace-changes.ts";
import { forgetContents } from "./forget.ts";

interface Transfer {
	readonly shards: TraceShards;
	readonly turn: Turn;
	readonly db: Kysely<Tables>;
	readonly references: MetadataReferences;
}

/**
 * Moves a trace to another project, where it is merged with a trace of the same id, and its session with one of the
 * same id. It is there before it leaves the former project. One that died in between is completed by the same call.
 * @returns the row number of the trace that has the spans now; undefined when the trace is gone
 */
export async function transferTrace(
	{ shards, turn, db, references }: Transfer,
	row: TraceRow,
	destination: number,
): Promise<number | undefined> {
	const traceId = row.trace_id.toString("hex");
	const keys = [row.project_id, destination].map((projectId) => ({ projectId, traceId }));
	const traces = await readTraces(shards, keys, turn.oldestOther);
	const from = traces.get(keyOf({ projectId: row.project_id, traceId }));
	if (from === undefined || from.place.id !== row.id || from.row === undefined) return undefined;
	const to = traces.get(keyOf({ projectId: destination, traceId }));
	const shard = to?.shard ?? from.shard;
	const target = to?.place ?? { ...from.place, project_id: destination, version: turn.version };
	// A move that died has brought some already.
	const arrived = new Set(to?.spans.map((span) => span.row.id));
	const left = from.spans.filter((span) => !arrived.has(span.row.id));
	const duplicates = findDuplicates(
		left.map(({ node }) => node),
		(to?.spans ?? []).map(({ node }) => node),
	);
	const adopted = left
		.filter((span) => !duplicates.has(span.row.id))
		.map((span) => ({ ...span.row, project_id: destination, trace_row_id: target.id }));
	const token = `batch ${turn.batch}`;
	const ofTrace = await shards.onEachOf(
		[traceId],
		(id) => id,
		async (shard, own) => (await readLogs(shard, own)).map((log) => ({ shard, log })),
	);
	const leavingLogs = ofTrace.filter(({ log }) => log.project_id === row.project_id);
	const arrivingLogs = logsOfDestination(
		ofTrace.map(({ log }) => log),
		{ from: row.project_id, to: destination },
		turn,
	);
	const logs = new LogsBySpan([...ofTrace.map(({ log }) => log), ...arrivingLogs].toSorted(byTime));
	const sources = { logs, readTexts: readStoredTexts };
	const isAnnotated = (rowIds: readonly number[]) => annotatedSessions(db, rowIds);

	const sessions = () => new SessionNumbers(shards, turn, isAnnotated);
	const arriving = new TraceChanges(shards, turn, { ...sources, sessions: sessions() });
	const gone = (to?.spans ?? []).map((span) => span.row).filter(({ id }) => duplicates.has(id));
	const projects = { from: row.project_id, to: destination };
	if (shard === from.shard) await copyContents(shard, turn, projects, adopted);
	else await moveContents({ from: from.shard, to: shard }, turn, projects, adopted);
	await insertRows(shard, LOG_RECORDS, arrivingLogs, `${token} to`);
	await arriving.prepare([arrivingTrace(to, target, { shard, adopted, removed: gone.map(({ id }) => id) })]);
	await arriving.insertPlaces(`${token} to`);
	await arriving.insertSessions(`${token} to`);
	await arriving.insertSpans(`${token} to`);
	await forgetContents(shard, turn, gone, `${token} to`);

	const session = arriving.sessionOf(target.id);
	const isSameSession = session !== undefined && session.sessionId === row.session_id;
	const leaving = new TraceChanges(shards, turn, {
		...{ ...sources, sessions: sessions() },
		whenEmpty: isSameSession ? "drop" : "drop_unannotated",
	});
	await leaving.prepare([leavingTrace(from)]);
	const emptied = await leaving.insertSpans(`${token} from`);
	await leaving.insertPlaces(`${token} from`);
	await forgetContents(
		from.shard,
		turn,
		from.spans.map(({ row: span }) => span),
		`${token} from`,
	);

	for (const [place, own] of Map.groupBy(leavingLogs, (one) => one.shard)) {
		const gone = own.map(({ log }) => ({ ...log, data: Buffer.alloc(0), version: turn.version, is_deleted: 1 }));
		await insertRows(place, LOG_RECORDS, gone, `${token} from`);
	}

	if (target.id === row.id) await references.traceMoved(row.id, destination);
	else await references.traceMerged({ from: row.id, to: target.id, projectId: destination, spans: duplicates });
	const [emptySession] = emptied;
	if (emptySession !== undefined && session !== undefined && isSameSession)
		await references.sessionMerged({ from: emptySession, to: session.rowId, projectId: destination });
	return target.id;
}

/** The log records of a project as those of another one, as far as that does not have them. */
function logsOfDestination(
	logs: readonly LogRow[],
	{ from, to }: { readonly from: number; readonly to: number },
	{ version }: Turn,
): LogRow[] {
	const keyOfLog = ({ span_id, hash }: LogRow) => `${span_id.toString("hex")} ${hash.toString("hex")}`;
	const there = new Set(logs.filter(({ project_id }) => project_id === to).map(keyOfLog));
	return logs
		.filter(({ project_id }) => project_id === from)
		.map((log) => ({ ...log, project_id: to, hash: hashInProject(to, hashOfLog(log.data)), version }))
		.filter((log) => !there.has(keyOfLog(log)));
}

function arrivingTrace(
	to: StoredTrace | undefined,
	place: ChangedTrace["place"],
	{
		shard,
		adopted,
		removed,
	}: { readonly shard: Shard; readonly adopted: readonly SpanRow[]; readonly removed: readonly number[] },
): ChangedTrace {
	return {
		shard,
		place,
		isNew: to === undefined,
		before: to?.row,
		stored: to?.spans ?? [],
		added: [],
		ended: new Map(),
		removed: new Set(removed),
		adopted,
	};
}

function leavingTrace({ shard, place, row, spans }: StoredTrace): ChangedTrace {
	const removed = new Set(spans.map((span) => span.row.id));
	return { shard, place, isNew: false, before: row, stored: spans, added: [], ended: new Map(), removed };
}

const COPIED = Object.keys(CONTENTS.columns)
	.map(
		(column) => ({ project_id: "{to:Int64}", batch: "{batch:Int64}", version: "{version:UInt64}" })[column] ?? column,
	)
	.join(", ");

/** Spans of which content is copied by one statement. */
const COPIED_TOGETHER = 2_000;

async function copyContents(
	shard: Shard,
	{ batch, version }: Turn,
	{ from, to }: { readonly from: number; readonly to: number },
	spans: readonly SpanRow[],
): Promise<void> {
	for (let at = 0; at < spans.length; at += COPIED_TOGETHER) {
		const part = spans.slice(at, at + COPIED_TOGETHER);
		const starts = part.map(({ start_micros }) => start_micros);
		await shard.execute(
			`insert into ${CONTENTS.name} (${Object.keys(CONTENTS.columns).join(", ")})
			select ${COPIED} from ${CONTENTS.name} final
			where project_id = {from:Int64} and start_micros between {first:Int64} and {last:Int64} and id in {ids:Array(Int64)}`,
			{
				params: {
					...{ from, to, batch, version },
					first: starts.reduce((a, b) => Math.min(a, b)),
					last: starts.reduce((a, b) => Math.max(a, b)),
					ids: part.map(({ id }) => id),
				},
			},
		);
	}
}

/** As `copyContents`, from one shard to another. */
async function moveContents(
	shards: { readonly from: Shard; readonly to: Shard },
	{ batch, version }: Turn,
	{ from, to }: { readonly from: number; readonly to: number },
	spans: readonly SpanRow[],
): Promise<void> {
	for (const part of readTogether(spans)) {
		const rows = await findRows(shards.from, CONTENTS, {
			sql: "project_id = {from:Int64} and start_micros in {starts:Array(Int64)} and id in {ids:Array(Int64)}",
			params: { from, starts: part.map(({ start_micros }) => start_micros), ids: part.map(({ id }) => id) },
		});
		const moved = rows.map((row) => ({ ...row, project_id: to, batch, version }));
		await insertRows(shards.to, CONTENTS, moved, `batch ${batch} contents from ${part[0]?.id}`);
	}
}
