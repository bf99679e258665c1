import type { WhenEmpty } from "../mutate/batches.ts";
import type { HourChanges } from "./hour-changes.ts";
import { noTotals, type Rollup, type Totals } from "./rollup.ts";
import type { SessionChanges } from "./session-changes.ts";
import { totalsOfRow } from "./totals-columns.ts";
import type { TraceRow } from "./trace-row.ts";
import { rollupColumns } from "./trace-row-columns.ts";
import type { TraceTexts } from "./trace-texts.ts";

export interface TraceChange {
	readonly id: number;
	readonly projectId: number;
	readonly traceId: string;
	/** The former row; undefined for a new trace. */
	readonly stored: TraceRow | undefined;
	readonly rollup: Rollup;
	readonly texts: TraceTexts;
}

/** Changes of totals other than those of traces. */
export interface TotalsChanges {
	readonly hours: HourChanges;
	readonly sessions: SessionChanges;
}

/**
 * Applies a trace's change to its session and to the hour in which it starts.
 * @param sessionRowId row number of the session that `change.rollup.session` names
 * @returns the row to write
 */
export function changeTrace(
	totals: TotalsChanges,
	change: TraceChange,
	sessionRowId: number | null,
	whenEmpty: WhenEmpty = "drop_unannotated",
): TraceRow {
	const { stored, rollup, projectId } = change;
	changeSessions(totals.sessions, change, sessionRowId, whenEmpty);
	if (
		stored === undefined ||
		stored.start_micros !== rollup.startMicros ||
		stored.root_kind !== rollup.root.kind ||
		stored.root_model !== rollup.root.model
	) {
		if (stored !== undefined)
			totals.hours.addTrace(projectId, stored.start_micros, { kind: stored.root_kind, model: stored.root_model }, -1);
		totals.hours.addTrace(projectId, rollup.startMicros, rollup.root, 1);
	}
	return rowOf(change, sessionRowId);
}

function changeSessions(
	sessions: SessionChanges,
	{ stored, rollup }: TraceChange,
	sessionRowId: number | null,
	whenEmpty: WhenEmpty,
): void {
	const before = stored?.session_row_id ?? null;
	if (before !== null && before !== sessionRowId) sessions.shrink(before, whenEmpty);
	if (sessionRowId === null) return;
	if (stored !== undefined && sessionRowId === before) sessions.grow(sessionRowId, 0, growth(rollup, stored), rollup);
	else sessions.grow(sessionRowId, 1, growth(rollup, undefined), rollup);
}

function growth(rollup: Rollup, stored: TraceRow | undefined): Totals {
	const before = stored === undefined ? noTotals() : totalsOfRow(stored);
	return {
		spans: rollup.spans - before.spans,
		running: rollup.running - before.running,
		errors: rollup.errors - before.errors,
		prompt: rollup.prompt - before.prompt,
		completion: rollup.completion - before.completion,
		total: rollup.total - before.total,
		costMicro: rollup.costMicro - before.costMicro,
		costPico: rollup.costPico - before.costPico,
		costed: rollup.costed - before.costed,
	};
}

function rowOf({ id, projectId, traceId, rollup, texts }: TraceChange, sessionRowId: number | null): TraceRow {
	return {
		id,
		project_id: projectId,
		trace_id: Buffer.from(traceId, "hex"),
		session_row_id: sessionRowId,
		...rollupColumns(rollup),
		input_span: texts.inputSpan,
		output_span: texts.outputSpan,
	};
}
