import type { Kysely } from "kysely";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { annotatedSessions } from "../metadata/references.ts";
import type { Turn } from "../metadata/turns.ts";
import { LogsBySpan } from "../write/logs-by-span.ts";
import { readLogs, type StoredTrace } from "../write/stored-traces.ts";
import { type ChangedTrace, TraceChanges } from "../write/trace-changes.ts";
import { forgetContents, forgetLogs } from "./forget.ts";

interface Within {
	readonly shard: Shard;
	readonly db: Kysely<Tables>;
	readonly turn: Turn;
}

/** Row numbers. */
export interface Gone {
	readonly spans: readonly number[];
	readonly traces: readonly number[];
	readonly sessions: readonly number[];
}

/** A stored trace of which only these things change. */
export function unchanged({ place, row, spans }: StoredTrace, changes: Partial<ChangedTrace>): ChangedTrace {
	return { place, isNew: false, before: row, stored: spans, added: [], ended: new Map(), ...changes };
}

/** Writes what a turn changes of stored traces, with their totals. @returns what is gone */
export async function applyChanges(
	{ shard, db, turn }: Within,
	traces: readonly ChangedTrace[],
	{ whenEmpty, token }: { readonly whenEmpty: WhenEmpty; readonly token: string },
): Promise<Gone> {
	const traceIds = [...new Set(traces.map(({ place }) => place.trace_id.toString("hex")))];
	const changes = new TraceChanges(shard, turn, {
		logs: new LogsBySpan(await readLogs(shard, traceIds)),
		readTexts: readStoredTexts,
		hours: new HourChanges(),
		whenEmpty,
		annotatedSessions: (rowIds) => annotatedSessions(db, rowIds),
	});
	await changes.prepare(traces);
	await changes.insertSessions(token);
	await changes.insertSpans(token);
	const sessions = await changes.insertTotals(token);
	// By its place a trace is found again if this ends here.
	await changes.insertPlaces(token);
	const spans = traces.flatMap(({ stored, removed }) =>
		stored.map(({ row }) => row).filter(({ id }) => removed?.has(id)),
	);
	const whole = traces.filter(({ stored, removed }) => stored.length === (removed?.size ?? 0));
	await forgetContents(shard, turn, spans, token);
	await forgetLogs(shard, turn, spans, whole, token);
	return { spans: spans.map(({ id }) => id), traces: whole.map(({ place }) => place.id), sessions };
}
