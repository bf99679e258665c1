import type { Selectable } from "kysely";
import type { WritingContext } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import { readErrorSettings } from "./project-settings.ts";
import { readFailures } from "./read-failures.ts";
import { KnownReleases, ReleaseUnknown } from "./releases.ts";
import { storeOccurrences, type TraceFailures } from "./store-occurrences.ts";

/** Traces that are read at a time, and those of one transaction. */
const MOST_TRACES = 200;
const TRACES_OF_TRANSACTION = 20;
/** With so many occurrences a transaction has no other traces. */
const MANY_OCCURRENCES = 500;
/** A trace of which fewer spans can be read than there are waits no longer than this for a replica. */
const REPLICA_WITHIN_MICROS = 600_000_000;

type Mark = Selectable<Tables["error_backlog"]>;

/** When a trace is looked at. */
export interface GroupingDelays {
	/** After so many milliseconds without a span. */
	readonly quietMs: number;
	/** So many milliseconds after the first failing one at the latest. */
	readonly longestMs: number;
}

export const DELAYS: GroupingDelays = { quietMs: 10_000, longestMs: 50_000 };

/** Pauses after some work, so that others get on. @param workedMs how long it took */
type Rest = (workedMs: number) => Promise<void>;

/**
 * Groups the failures of the traces that have waited long enough, some of them.
 * @returns whether more may be waiting
 * @throws StorageUnavailable; what is stored by then is complete
 */
export async function groupWaiting(
	context: Pick<WritingContext, "db" | "traces" | "now" | "log">,
	{ quietMs, longestMs }: GroupingDelays,
	stopped: AbortSignal,
	rest?: Rest,
): Promise<boolean> {
	const { db, now } = context;
	const marks = await db.read
		.selectFrom("error_backlog")
		.selectAll()
		.where(({ or, eb }) =>
			or([eb("last_at", "<=", now() - quietMs * 1_000), eb("first_at", "<=", now() - longestMs * 1_000)]),
		)
		.orderBy("first_at")
		.limit(MOST_TRACES)
		.execute();
	if (marks.length === 0) return false;
	const grouped = await groupMarked(context, marks, stopped, rest);
	return marks.length === MOST_TRACES && grouped > 0;
}

/** @returns how many of them are done */
async function groupMarked(
	context: Pick<WritingContext, "db" | "traces" | "now" | "log">,
	marks: readonly Mark[],
	stopped: AbortSignal,
	rest: Rest = async () => undefined,
): Promise<number> {
	const { db, traces } = context;
	let began = performance.now();
	const found = await traces.findTraces(marks.map(({ trace_row_id }) => trace_row_id));
	const traceOf = new Map(found.map((trace) => [trace.id, trace]));
	const settingsOf = await readErrorSettings(db.read, [...new Set(found.map(({ projectId }) => projectId))]);
	let part: TraceFailures[] = [];
	let grouped = 0;
	const store = async () => {
		if (part.length > 0) await storeAll(context, part);
		grouped += part.length;
		part = [];
		await rest(performance.now() - began);
		began = performance.now();
	};
	for (const mark of marks) {
		if (stopped.aborted) break;
		const failures = await readMarked(context, mark, traceOf.get(mark.trace_row_id), settingsOf);
		if (failures === undefined) continue;
		part.push(failures);
		const occurrences = part.reduce((sum, { trace }) => sum + (trace?.occurrences.length ?? 0), 0);
		if (part.length >= TRACES_OF_TRANSACTION || occurrences >= MANY_OCCURRENCES) await store();
	}
	await store();
	return grouped;
}

/** @returns undefined when the trace has to wait */
async function readMarked(
	{ traces, now, log }: Pick<WritingContext, "traces" | "now" | "log">,
	{ trace_row_id: traceRowId, generation, first_at }: Mark,
	trace: TraceWithoutTexts | undefined,
	settingsOf: Awaited<ReturnType<typeof readErrorSettings>>,
): Promise<TraceFailures | undefined> {
	if (trace === undefined) return { traceRowId, generation, trace: undefined };
	const { projectId } = trace;
	const settings = settingsOf(projectId);
	const { occurrences, isComplete } = await readFailures(traces, trace, settings);
	if (!isComplete) {
		if (now() - first_at < REPLICA_WITHIN_MICROS) return undefined;
		log.warn({ traceRowId }, "not all spans of a trace could be read to find its failures");
	}
	return { traceRowId, generation, trace: { projectId, occurrences, settings } };
}

async function storeAll(
	{ db, traces, now }: Pick<WritingContext, "db" | "traces" | "now">,
	failures: readonly TraceFailures[],
): Promise<void> {
	const releases = new KnownReleases();
	for (;;) {
		try {
			const stored = await db.write((transaction) =>
				storeOccurrences(transaction, traces, failures, { now: now(), firstSeen: releases.firstSeen }),
			);
			if (stored === "done") return;
		} catch (error) {
			if (!(error instanceof ReleaseUnknown)) throw error;
			await releases.find(db, traces, error);
		}
	}
}
