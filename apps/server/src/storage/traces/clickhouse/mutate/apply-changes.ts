import type { Kysely } from "kysely";
import { allEnded } from "#base/all-ended.ts";
import type { Tables } from "#storage/schema.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { annotatedSessions } from "../metadata/references.ts";
import type { Turn } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { LogsBySpan } from "../write/logs-by-span.ts";
import { SessionNumbers } from "../write/session-numbers.ts";
import { readLogs, type StoredTrace } from "../write/stored-traces.ts";
import { type ChangedTrace, TraceChanges } from "../write/trace-changes.ts";
import { forgetContents, forgetLogs } from "./forget.ts";

interface Within {
	readonly shards: TraceShards;
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
export function unchanged({ shard, place, row, spans }: StoredTrace, changes: Partial<ChangedTrace>): ChangedTrace {
	return { shard, place, isNew: false, before: row, stored: spans, added: [], ended: new Map(), ...changes };
}

/** Writes what a turn changes of stored traces, with their totals. @returns what is gone */
export async function applyChanges(
	{ shards, db, turn }: Within,
	traces: readonly ChangedTrace[],
	{ whenEmpty, token }: { readonly whenEmpty: WhenEmpty; readonly token: string },
): Promise<Gone> {
	const traceIds = [...new Set(traces.map(({ place }) => place.trace_id.toString("hex")))];
	const logs = await readLogs(shards, traceIds);
	const changes = new TraceChanges(shards, turn, {
		logs: new LogsBySpan(logs),
		readTexts: readStoredTexts,
		whenEmpty,
		sessions: new SessionNumbers(shards, turn, (rowIds) => annotatedSessions(db, rowIds)),
	});
	await changes.prepare(traces);
	await changes.insertSessions(token);
	const sessions = await changes.insertSpans(token);
	const removedOf = ({ stored, removed }: ChangedTrace) =>
		stored.map(({ row }) => row).filter(({ id }) => removed?.has(id));
	const spans = traces.flatMap(removedOf);
	const whole = traces.filter(({ stored, removed }) => stored.length === (removed?.size ?? 0));
	// By its place a trace is found again if this ends here.
	await allEnded([
		changes.insertPlaces(token),
		...[...Map.groupBy(traces, (trace) => trace.shard)].map(([shard, own]) =>
			forgetContents(shard, turn, own.flatMap(removedOf), token),
		),
	]);
	// While this turn lasts, none come.
	if (logs.length > 0) await forgetLogs(shards, turn, spans, whole, token);
	return { spans: spans.map(({ id }) => id), traces: whole.map(({ place }) => place.id), sessions };
}
