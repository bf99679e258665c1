import type { NormalizedSpan } from "../../span-batch.ts";
import { addToRollup, addUsage, noTotals, type Rollup, startRollup, type Totals, userOf } from "../../totals/rollup.ts";
import { LLM } from "../../totals/span-kinds.ts";
import { toNode } from "../../totals/span-node.ts";
import { NO_STORED_NODES, TraceNodes } from "../../totals/trace-nodes.ts";
import { type ChosenTexts, chooseTexts, type TraceTexts } from "../../totals/trace-texts.ts";
import type { SpanPlace, TraceRow } from "./trace-statements.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** A trace that spans of the batch belong to, as it is stored. */
export interface OpenedTrace {
	readonly projectId: number;
	readonly traceId: string;
	readonly row: TraceRow | undefined;
	readonly nodes: TraceNodes;
	/** Spans of the batch that are not stored yet. */
	readonly fresh: readonly NormalizedSpan[];
}

export function openTrace(
	{ traces }: WriteTransaction,
	projectId: number,
	traceId: string,
	spans: readonly NormalizedSpan[],
): OpenedTrace {
	const row = traces.findTrace(projectId, Buffer.from(traceId, "hex"));
	if (row === undefined) return { projectId, traceId, row, nodes: new TraceNodes(NO_STORED_NODES), fresh: spans };
	const nodes = new TraceNodes(traces.storedNodes(row.id, row.span_count));
	const fresh = spans.filter((span) => !nodes.has(span.spanId, span.start.micros, span.start.nanos));
	return { projectId, traceId, row, nodes, fresh };
}

/** Adds the fresh spans, whose content is stored at `places`, and brings every total up to date. @returns the row number */
export function writeTrace(
	transaction: WriteTransaction,
	{ projectId, traceId, row: stored, nodes, fresh }: OpenedTrace,
	placeOf: (span: NormalizedSpan) => SpanPlace,
): number {
	const { traces } = transaction;
	const traceRowId = stored?.id ?? transaction.rowNumbers.take("traces");
	const places = fresh.map(placeOf);
	const added = fresh.map((span, index) => toNode(places[index]?.id ?? 0, span));
	for (const node of added) nodes.add(node);
	for (const [index, node] of added.entries()) {
		const place = places[index];
		if (place !== undefined) traces.insertSpan(node, projectId, traceRowId, place);
	}
	for (const node of nodes.marked) traces.writeFlags(node);

	const [first] = added;
	if (first === undefined) throw new Error("a trace is written only when it gets spans");
	const rollup = stored === undefined ? startRollup(first) : rollupOfRow(transaction, stored);
	for (const node of added) {
		addToRollup(rollup, node);
		transaction.hours.addSpan(projectId, node, 1);
	}
	for (const node of nodes.marked) {
		if (node.aggregate) continue;
		addUsage(rollup, node, -1);
		transaction.hours.discountSpan(projectId, node);
	}
	const byId = new Map(added.map((node) => [node.id, node]));
	const llmAdded = added.filter((node) => node.kind === LLM);
	const texts = chooseTexts(stored === undefined ? undefined : chosenOfRow(stored), {
		root: rollup.root,
		added: llmAdded,
		all: () => (stored === undefined ? llmAdded : traces.llmNodes(traceRowId).map((node) => byId.get(node.id) ?? node)),
		byId: (id) => byId.get(id) ?? traces.nodeById(id),
		textsOf: (node) => transaction.textsOf(traceId, node),
	});
	saveTrace(transaction, { id: traceRowId, projectId, traceId, stored, rollup, texts });
	return traceRowId;
}

/** Log records have come for spans of a trace: what they say may be its first input or last output. */
export function refreshTexts(transaction: WriteTransaction, traceId: string, row: TraceRow): void {
	const rollup = rollupOfRow(transaction, row);
	const texts = chooseTexts(undefined, {
		root: rollup.root,
		added: [],
		all: () => transaction.traces.llmNodes(row.id),
		byId: (id) => transaction.traces.nodeById(id),
		textsOf: (node) => transaction.textsOf(traceId, node),
	});
	saveTrace(transaction, { id: row.id, projectId: row.project_id, traceId, stored: row, rollup, texts });
}

function rollupOfRow({ traces }: WriteTransaction, row: TraceRow): Rollup {
	return {
		spans: row.span_count,
		errors: row.error_count,
		prompt: row.tokens_prompt,
		completion: row.tokens_completion,
		total: row.tokens_total,
		costPico: row.cost_pico,
		costed: row.costed_spans,
		startMicros: row.start_micros,
		startNanos: row.start_nanos,
		endMicros: row.end_micros,
		endNanos: row.end_nanos,
		root: traces.nodeById(row.root_span),
		user: row.user_span === null ? undefined : traces.nodeById(row.user_span),
		session: row.session_span === null ? undefined : traces.nodeById(row.session_span),
	};
}

function chosenOfRow(row: TraceRow): ChosenTexts {
	return {
		rootSpan: row.root_span,
		inputSpan: row.input_span,
		firstInput: row.first_input,
		outputSpan: row.output_span,
		lastOutput: row.last_output,
	};
}

interface TraceChange {
	readonly id: number;
	readonly projectId: number;
	readonly traceId: string;
	/** The row as it was; undefined for a new trace. */
	readonly stored: TraceRow | undefined;
	readonly rollup: Rollup;
	readonly texts: TraceTexts;
}

/** What becomes of a session that its last trace leaves; `drop_unannotated` keeps what people have said of it. */
export type WhenEmpty = "keep" | "drop" | "drop_unannotated";

/** Writes a trace's row, and what its change means for its session and for the hour it starts in. */
export function saveTrace(
	transaction: WriteTransaction,
	change: TraceChange,
	whenEmpty: WhenEmpty = "drop_unannotated",
): void {
	const { stored, rollup, projectId } = change;
	const sessionRowId = saveSession(transaction, change, whenEmpty);
	if (
		stored === undefined ||
		stored.start_micros !== rollup.startMicros ||
		stored.root_kind !== rollup.root.kind ||
		stored.root_model !== rollup.root.model
	) {
		if (stored !== undefined)
			transaction.hours.addTrace(
				projectId,
				stored.start_micros,
				{ kind: stored.root_kind, model: stored.root_model },
				-1,
			);
		transaction.hours.addTrace(projectId, rollup.startMicros, rollup.root, 1);
	}
	const row = rowOf(change, sessionRowId);
	if (stored === undefined) transaction.traces.insertTrace(row);
	else transaction.traces.updateTrace(row);
}

function saveSession(
	{ sessions }: WriteTransaction,
	{ projectId, stored, rollup }: TraceChange,
	whenEmpty: WhenEmpty,
): number | null {
	const sessionId = rollup.session?.sessionId ?? null;
	const before = stored?.session_row_id ?? null;
	if (sessionId === null) {
		if (before !== null) sessions.shrink(before, whenEmpty);
		return null;
	}
	const sessionRowId = sessions.findOrInsert(projectId, sessionId, rollup);
	if (stored !== undefined && sessionRowId === before) {
		sessions.grow(sessionRowId, 0, growth(rollup, stored), rollup);
	} else {
		if (before !== null) sessions.shrink(before, whenEmpty);
		sessions.grow(sessionRowId, 1, growth(rollup, undefined), rollup);
	}
	return sessionRowId;
}

function growth(rollup: Rollup, stored: TraceRow | undefined): Totals {
	const { spans, errors, prompt, completion, total, costPico, costed } = rollup;
	if (stored === undefined) return { ...noTotals(), spans, errors, prompt, completion, total, costPico, costed };
	return {
		spans: spans - stored.span_count,
		errors: errors - stored.error_count,
		prompt: prompt - stored.tokens_prompt,
		completion: completion - stored.tokens_completion,
		total: total - stored.tokens_total,
		costPico: costPico - stored.cost_pico,
		costed: costed - stored.costed_spans,
	};
}

function rowOf({ id, projectId, traceId, rollup, texts }: TraceChange, sessionRowId: number | null): TraceRow {
	const { root } = rollup;
	return {
		id,
		project_id: projectId,
		trace_id: Buffer.from(traceId, "hex"),
		session_row_id: sessionRowId,
		session_span: rollup.session?.id ?? null,
		start_micros: rollup.startMicros,
		start_nanos: rollup.startNanos,
		end_micros: rollup.endMicros,
		end_nanos: rollup.endNanos,
		span_count: rollup.spans,
		error_count: rollup.errors,
		tokens_prompt: rollup.prompt,
		tokens_completion: rollup.completion,
		tokens_total: rollup.total,
		cost_pico: rollup.costPico,
		costed_spans: rollup.costed,
		root_span: root.id,
		root_span_id: Buffer.from(root.spanId, "hex"),
		root_name: root.name,
		root_kind: root.kind,
		root_status: root.statusCode,
		root_model: root.model,
		user_span: rollup.user?.id ?? null,
		user_id: userOf(rollup),
		input_span: texts.inputSpan,
		output_span: texts.outputSpan,
		first_input: texts.firstInput,
		last_output: texts.lastOutput,
	};
}
