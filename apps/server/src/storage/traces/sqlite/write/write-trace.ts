import { present } from "#base/present.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { NormalizedSpan } from "#storage/traces/span-batch.ts";
import {
	addSpans,
	followsOn,
	moveSpend,
	type OpenedTrace,
	sortOut,
	textsAfter,
	usersToMove,
} from "#storage/traces/totals/add-spans.ts";
import { changeTrace, type TraceChange } from "#storage/traces/totals/change-trace.ts";
import { endSpans } from "#storage/traces/totals/end-spans.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import type { SpanLocation } from "#storage/traces/totals/span-row.ts";
import { NO_STORED_NODES, TraceNodes } from "#storage/traces/totals/trace-nodes.ts";
import { rollupOfRow, type TraceRow } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import type { WriteTransaction } from "./write-transaction.ts";

export function openTrace(
	{ traces }: WriteTransaction,
	projectId: number,
	traceId: string,
	spans: readonly NormalizedSpan[],
): OpenedTrace {
	const row = traces.findTrace(projectId, Buffer.from(traceId, "hex"));
	if (row === undefined)
		return { projectId, traceId, row, nodes: new TraceNodes(NO_STORED_NODES), fresh: spans, ended: [] };
	const nodes = new TraceNodes(traces.storedNodes(row.id, row.span_count));
	return { projectId, traceId, row, nodes, ...sortOut(spans, nodes) };
}

/** Adds the new spans and ends those that run, and updates every total. @returns the row number of the trace */
export function writeTrace(
	transaction: WriteTransaction,
	trace: OpenedTrace,
	locationOf: (span: NormalizedSpan) => SpanLocation,
): number {
	const { traces } = transaction;
	const { projectId, traceId, row, nodes, fresh } = trace;
	if (!trace.ended.every(followsOn)) return rebuildWithSpans(transaction, trace, locationOf);
	const id = row?.id ?? transaction.rowNumbers.take("traces");
	const stored = row === undefined ? undefined : rollupOfRow(row, (span) => traces.nodeById(span));
	const result = addSpans(trace, stored, locationOf, transaction);
	const users = usersToMove(row, result);
	if (row !== undefined && users !== undefined) moveSpend(transaction, trace, users, traces.nodesOfTrace(row.id));
	for (const [index, span] of fresh.entries())
		traces.insertSpan(present(result.added[index], "an added span"), projectId, id, locationOf(span));
	for (const node of result.ended)
		traces.endSpan(node, projectId, id, locationOf(present(node.source, "the span that ends it")));
	for (const node of nodes.marked) traces.writeFlags(node);
	const texts = textsAfter(row, result, {
		llmNodes: () => traces.llmNodes(id),
		nodeById: (span) => traces.nodeById(span),
		textsOf: (node) => transaction.textsOf(trace, node),
	});
	saveTrace(transaction, { id, projectId, traceId, stored: row, rollup: result.rollup, texts });
	return id;
}

/** Ends stored spans of a trace, adds the new ones, and computes its totals anew. @returns its row number */
function rebuildWithSpans(
	transaction: WriteTransaction,
	trace: OpenedTrace,
	locationOf: (span: NormalizedSpan) => SpanLocation,
): number {
	const { traces } = transaction;
	const { projectId, traceId } = trace;
	const row = present(trace.row, "the row of a trace with stored spans");
	const result = endSpans(trace, traces.nodesOfTrace(row.id), locationOf, transaction);
	for (const [index, span] of trace.fresh.entries())
		traces.insertSpan(present(result.added[index], "an added span"), projectId, row.id, locationOf(span));
	for (const node of result.ended)
		traces.endSpan(node, projectId, row.id, locationOf(present(node.source, "the span that ends it")));
	for (const node of result.flagged) traces.writeFlags(node);
	const texts = chooseTexts(undefined, {
		root: result.rollup.root,
		added: [],
		all: () => result.nodes.filter((node) => node.kind === LLM),
		byId: (span) => traces.nodeById(span),
		textsOf: (node) => transaction.textsOf(trace, node),
	});
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, "drop_unannotated");
	saveTrace(transaction, { id: row.id, projectId, traceId, stored: row, rollup: result.rollup, texts });
	return row.id;
}

/** Updates the first input and last output of a trace after log records came for its spans. */
export function refreshTexts(transaction: WriteTransaction, traceId: string, row: TraceRow): void {
	const { traces } = transaction;
	const rollup = rollupOfRow(row, (id) => traces.nodeById(id));
	const texts = chooseTexts(undefined, {
		root: rollup.root,
		added: [],
		all: () => traces.llmNodes(row.id),
		byId: (id) => traces.nodeById(id),
		textsOf: (node) => transaction.textsOf({ projectId: row.project_id, traceId }, node),
	});
	saveTrace(transaction, { id: row.id, projectId: row.project_id, traceId, stored: row, rollup, texts });
}

/** Writes a trace's row, and applies its change to its session and to the hour in which it starts. */
export function saveTrace(transaction: WriteTransaction, change: TraceChange, whenEmpty?: WhenEmpty): void {
	const { projectId, rollup } = change;
	const sessionId = rollup.session?.sessionId ?? null;
	const sessionRowId = sessionId === null ? null : transaction.sessionRows.findOrInsert(projectId, sessionId, rollup);
	const row = changeTrace(transaction, change, sessionRowId, whenEmpty);
	if (change.stored === undefined) transaction.traces.insertTrace(row);
	else transaction.traces.updateTrace(row);
}
