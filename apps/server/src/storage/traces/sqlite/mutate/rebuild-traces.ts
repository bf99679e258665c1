import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import { type SpanNode, toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import { saveTrace } from "../write/write-trace.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";

/** Subtracts the trace's spans from the totals by hour; `rebuildTrace` adds the remaining ones again. */
export function withdrawSpans(transaction: WriteTransaction, projectId: number, nodes: readonly SpanNode[]): void {
	for (const node of nodes) transaction.hours.addSpan(projectId, node, -1);
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
	for (const node of stored) transaction.hours.addSpan(row.project_id, node, 1);
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
