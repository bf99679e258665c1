import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { userOf } from "#storage/traces/totals/rollup.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import { type SpanNode, toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import { saveTrace } from "../write/write-trace.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";

/** Subtracts spans of a trace from the totals by hour and from what was spent; `rebuildTrace` adds the remaining ones again. */
export function withdrawSpans(
	{ hours, spend }: WriteTransaction,
	row: Pick<TraceRow, "project_id" | "user_id">,
	nodes: readonly SpanNode[],
): void {
	// That of a trace that is being deleted is negated.
	const projectId = Math.abs(row.project_id);
	for (const node of nodes) {
		hours.addSpan(projectId, node, -1);
		spend.addSpan(projectId, node, row.user_id, -1);
	}
}

/**
 * Recomputes everything about a trace from its current spans, at least one, and adds these to the totals by hour.
 * @param row the stored row of the trace
 */
export function rebuildTrace(transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	const { traces } = transaction;
	const stored = traces.nodesOfTrace(row.id);
	if (stored.length === 0) throw new Error(`trace row ${row.id} has no spans to rebuild from`);
	const { rollup, changed } = rebuildRollup(stored);
	for (const node of changed) traces.writeFlags(node);
	const user = userOf(rollup);
	for (const node of stored) {
		transaction.hours.addSpan(row.project_id, node, 1);
		transaction.spend.addSpan(row.project_id, node, user, 1);
	}
	const traceId = toHex(row.trace_id);
	const texts = chooseTexts(undefined, {
		root: rollup.root,
		added: [],
		all: () => stored.filter((node) => node.kind === LLM),
		byId: (id) => traces.nodeById(id),
		textsOf: (node) => transaction.textsOf({ projectId: row.project_id, traceId }, node),
	});
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, whenEmpty);
	saveTrace(transaction, { id: row.id, projectId: row.project_id, traceId, stored: row, rollup, texts }, whenEmpty);
}
