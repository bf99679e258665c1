import { present } from "#base/present.ts";
import { checkContents, type ReadContent } from "#storage/traces/clickhouse/integrity/check-contents.ts";
import { defectsOf } from "#storage/traces/clickhouse/integrity/check-traces.ts";
import { MetadataReferences } from "#storage/traces/clickhouse/metadata/references.ts";
import type { Turn } from "#storage/traces/clickhouse/metadata/turns.ts";
import { applyChanges } from "#storage/traces/clickhouse/mutate/apply-changes.ts";
import { Conditions } from "#storage/traces/clickhouse/read/conditions.ts";
import { findEntities } from "#storage/traces/clickhouse/read/entities.ts";
import { findRows } from "#storage/traces/clickhouse/read/query.ts";
import { findSpanRows } from "#storage/traces/clickhouse/read/span-rows.ts";
import {
	type SessionRow,
	type SpanRow,
	TRACE_PLACES,
	TRACES,
	type TracePlace,
	type TraceRow,
} from "#storage/traces/clickhouse/tables.ts";
import { UNKNOWN_TEXTS } from "#storage/traces/clickhouse/texts.ts";
import { insertRows } from "#storage/traces/clickhouse/write/insert-rows.ts";
import { insertSessions } from "#storage/traces/clickhouse/write/session-numbers.ts";
import { readSessions } from "#storage/traces/clickhouse/write/stored-traces.ts";
import { sessionOf } from "#storage/traces/clickhouse/write/trace-row.ts";
import { hourOf } from "#storage/traces/totals/hour-changes.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { flagsOf, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import { reallyGone } from "../really-gone.ts";
import type { RepairTools } from "./repair-tools.ts";

/** How often a trace is looked at anew whose spans come to another session meanwhile. */
const TRIES = 5;

/** All that is stored of a trace, whatever it says of where that is. */
interface Remains {
	readonly place: TracePlace | undefined;
	readonly rows: readonly TraceRow[];
	readonly spans: readonly SpanRow[];
}

/**
 * Makes one row, one place and right totals of all that is stored of a trace, by its spans. Nobody else changes it
 * meanwhile, and it is looked at again before.
 * @returns whether something was wrong
 */
export async function repairTrace(tools: RepairTools, key: TraceKey): Promise<boolean> {
	for (let tries = 1; ; tries += 1) {
		const sessionIds = await sessionsOf(tools, key);
		const keys = [key.traceId, ...sessionIds.map((id) => `session ${id}`)];
		const repaired = await tools.turns.take({ projects: [], keys, spans: 0, traces: 2 }, async (turn) => {
			const known = new Set(sessionIds);
			const now = await sessionsOf(tools, key);
			if (!now.every((id) => known.has(id))) return undefined;
			const repaired = await repairNow(tools, turn, key, await readRemains(tools, key));
			// Other rows of the trace, of which neither its place nor its spans tell.
			return repaired || (await repairNow(tools, turn, key, await readRemains(tools, key, "everywhere")));
		});
		if (repaired !== undefined) return repaired;
		if (tries === TRIES) return false;
	}
}

async function sessionsOf(tools: RepairTools, key: TraceKey): Promise<string[]> {
	const { rows, spans } = await readRemains(tools, key);
	return [...new Set([...rows, ...spans].flatMap(({ session_id }) => session_id ?? []))];
}

/** @param where rows of traces are found fast by numbers that are known */
async function readRemains(
	{ shard }: RepairTools,
	{ projectId, traceId }: TraceKey,
	where: "by number" | "everywhere" = "by number",
): Promise<Remains> {
	const ofTrace = () => new Conditions().addEqual("project_id", "Int64", projectId).addInHex("trace_id", 16, [traceId]);
	const [[place], spans] = await Promise.all([
		findRows(shard, TRACE_PLACES, ofTrace()),
		findSpanRows(shard, ofTrace()),
	]);
	const ids = [...spans.map(({ trace_row_id }) => trace_row_id), ...(place === undefined ? [] : [place.id])];
	const rows = await findRows(shard, TRACES, ofTrace().addIn("id", "Int64", where === "everywhere" ? undefined : ids));
	return { place, rows, spans };
}

async function repairNow(tools: RepairTools, turn: Turn, key: TraceKey, remains: Remains): Promise<boolean> {
	const { shard, shards, db, touch } = tools;
	const { place, rows, spans } = remains;
	if (place === undefined && rows.length === 0 && spans.length === 0) return false;
	// Of a project that is no more everything goes.
	if (!(await projectExists(tools, key.projectId))) return false;
	const id = numberOf(remains);
	const row =
		rows.find((one) => one.id === id && one.anchor_micros === place?.anchor_micros) ??
		rows.find((one) => one.id === id);
	const contents = await checkContents({ shard, shards }, spans);
	const defects = row === undefined ? [] : defectsOf(row, spans, contents).filter(({ kind }) => kind !== "lost");
	const strays = spans.filter(({ trace_row_id }) => trace_row_id !== id);
	const isAtPlace = place !== undefined && place.id === id && place.anchor_micros === row?.anchor_micros;
	const session = await missingSession(tools, turn, row, spans);
	if (rows.length === 1 && isAtPlace && defects.length === 0 && strays.length === 0 && session === undefined)
		return false;
	const { version, batch } = turn;
	const token = `batch ${batch} repair`;
	if (session !== undefined) await insertSessions(shards, [session], token);
	const others = rows.filter((one) => one !== row).map((one) => ({ ...one, version, is_deleted: 1 }));
	await insertRows(shard, TRACES, others, `${token} others`);
	const righted = rightedSpans(id, spans, contents);
	const gone = await applyChanges(
		{ shards, db: db.read, turn },
		[
			{
				shard,
				place: placeOf(key, id, remains, row),
				isNew: !isAtPlace,
				// Texts are read anew.
				before: row && { ...row, input_span: null, output_span: null },
				stored: spans.map((span) => ({ row: righted.get(span.id) ?? span, node: nodeOfRow(span) })),
				added: [],
				ended: new Map(),
				replaced: righted,
			},
		],
		{ whenEmpty: "drop_unannotated", token },
	);
	await new MetadataReferences(db).deleted(await reallyGone(shards, gone));
	for (const start of [...spans, ...rows]) touch(key.projectId, hourOf(start.start_micros));
	return true;
}

/** Rows of spans that say something wrong, without that. */
function rightedSpans(
	traceRowId: number,
	spans: readonly SpanRow[],
	contents: ReadonlyMap<number, ReadContent>,
): ReadonlyMap<number, SpanRow> {
	const nodes = new Map(spans.map((span) => [span.id, nodeOfRow(span)]));
	if (spans.length > 0) rebuildRollup([...nodes.values()]);
	return new Map(
		spans.flatMap((span) => {
			const node = nodes.get(span.id);
			const isMislabeled = contents.get(span.id)?.wrong.some(({ isLost }) => !isLost) === true;
			const isRight = span.trace_row_id === traceRowId && node !== undefined && flagsOf(node) === span.flags;
			if (isRight && !isMislabeled) return [];
			const texts = isMislabeled ? UNKNOWN_TEXTS : span.texts;
			return [[span.id, { ...span, trace_row_id: traceRowId, texts }]];
		}),
	);
}

/** The row number that the trace goes on with: others know it by that of its place, or of its spans. */
function numberOf({ place, rows, spans }: Remains): number {
	const used = new Set([...rows.map(({ id }) => id), ...spans.map(({ trace_row_id }) => trace_row_id)]);
	const [first] = spans;
	if (place !== undefined && (used.has(place.id) || first === undefined)) return place.id;
	return present(rows[0]?.id ?? first?.trace_row_id, "a row number of a trace");
}

function placeOf(key: TraceKey, id: number, { spans }: Remains, row: TraceRow | undefined): TracePlace {
	const first = spans.reduce((least, { start_micros }) => Math.min(least, start_micros), Number.MAX_SAFE_INTEGER);
	return {
		trace_id: Buffer.from(key.traceId, "hex"),
		project_id: key.projectId,
		id,
		anchor_micros: row?.anchor_micros ?? first,
		version: 0,
		is_deleted: 0,
	};
}

async function projectExists({ db }: RepairTools, projectId: number): Promise<boolean> {
	const found = await db.read.selectFrom("projects").select("id").where("id", "=", projectId).executeTakeFirst();
	return found !== undefined;
}

/** The session of the trace under its former number, where its row is missing. */
async function missingSession(
	{ shards }: RepairTools,
	{ batch, version }: Turn,
	row: TraceRow | undefined,
	spans: readonly SpanRow[],
): Promise<SessionRow | undefined> {
	if (row?.session_row_id == null || spans.length === 0) return undefined;
	const { rollup } = rebuildRollup(spans.map(nodeOfRow));
	const sessionId = sessionOf(rollup);
	if (sessionId === null || sessionId !== row.session_id) return undefined;
	const [same] = await readSessions(shards, [row.project_id], [sessionId]);
	const [other] = await findEntities(shards, "session", [row.session_row_id]);
	if (same !== undefined || other !== undefined) return undefined;
	return {
		...{ project_id: row.project_id, session_id: sessionId, id: row.session_row_id, batch },
		...{ start_micros: rollup.startMicros, start_nanos: rollup.startNanos },
		...{ end_micros: rollup.endMicros, end_nanos: rollup.endNanos },
		...{ version, is_deleted: 0 },
	};
}
