import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { TraceChange } from "#storage/traces/totals/change-trace.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { userOf } from "#storage/traces/totals/rollup.ts";
import { type SpanNode, toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { writeFlags } from "../write/trace-rows.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { chooseStoredTexts } from "./stored-texts.ts";
import type { TraceSpan } from "./traces.ts";

/** Subtracts spans of a trace from the totals by hour and from what was spent; `rebuildTraces` adds the remaining ones again. */
export function withdrawSpans(
	{ hours, spend }: WriteTransaction,
	row: Pick<TraceRow, "project_id" | "user_id">,
	spans: readonly Pick<TraceSpan, "node">[],
): void {
	// That of a trace that is being deleted is negated.
	const projectId = Math.abs(row.project_id);
	for (const { node } of spans) {
		hours.addSpan(projectId, node, -1);
		spend.addSpan(projectId, node, row.user_id, -1);
	}
}

export interface ChangedTrace {
	/** The stored row, with the trace's current project and session. */
	readonly row: TraceRow;
	/** All spans that the trace has now, at least one. */
	readonly spans: readonly TraceSpan[];
}

/** Recomputes everything about traces from their spans, and adds these to the totals by hour. */
export async function rebuildTraces(
	transaction: WriteTransaction,
	traces: readonly ChangedTrace[],
	whenEmpty: WhenEmpty,
): Promise<void> {
	const { client, hours, spend, sessions } = transaction;
	const changes: TraceChange[] = [];
	const flagged: SpanNode[] = [];
	for (const { row, spans } of traces) {
		const { rollup, changed } = rebuildRollup(spans.map(({ node }) => node));
		flagged.push(...changed);
		const user = userOf(rollup);
		for (const { node } of spans) {
			hours.addSpan(row.project_id, node, 1);
			spend.addSpan(row.project_id, node, user, 1);
		}
		if (row.session_row_id !== null) sessions.shrink(row.session_row_id, whenEmpty);
		const texts = await chooseStoredTexts(client, row.project_id, spans, rollup.root);
		changes.push({ id: row.id, projectId: row.project_id, traceId: toHex(row.trace_id), stored: row, rollup, texts });
	}
	await writeFlags(client, flagged);
	await transaction.saveTraces(changes, whenEmpty);
}
