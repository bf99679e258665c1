import type { ReadableDatabase } from "#storage/database.ts";
import { type UnderstoodSpan, understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { readAnnotations } from "./annotations.ts";
import { checkSize, type TargetContext } from "./context.ts";
import {
	attributesOf,
	documentsOf,
	errorOf,
	inputOf,
	latencyOf,
	messagesOf,
	metadataOf,
	outputOf,
	statusOf,
	toolCallsOf,
	toolsOf,
} from "./span-values.ts";

/** The context of a span. @throws ContextTooLarge */
export async function spanContext(
	{ traces, db }: { readonly traces: TraceReader; readonly db: ReadableDatabase },
	stored: StoredSpan,
): Promise<TargetContext> {
	const span = understandSpan(stored);
	const [annotations, root] = await Promise.all([
		readAnnotations(db, "span", stored.summary.id),
		findRoot(traces, span),
	]);
	const context = {
		...ownValues(span),
		annotations,
		root: { input: inputOf(root), output: outputOf(root), name: root.summary.name },
	};
	return checkSize(context, "span");
}

/** What a span says of itself. */
export function ownValues(span: UnderstoodSpan): TargetContext {
	const { summary, meaning } = span;
	const { prompt, completion, total } = summary.tokens;
	return {
		input: inputOf(span),
		output: outputOf(span),
		input_text: meaning.input_text ?? null,
		output_text: meaning.output_text ?? null,
		input_messages: messagesOf(meaning.input_messages) ?? null,
		output_messages: messagesOf(meaning.output_messages) ?? null,
		tool_calls: toolCallsOf(span),
		tools: toolsOf(meaning),
		documents: documentsOf(meaning),
		attributes: attributesOf(span),
		metadata: metadataOf(meaning),
		name: summary.name,
		kind: summary.kind,
		model: summary.model,
		status: statusOf(span),
		error: errorOf(span),
		latency_ms: latencyOf(span),
		tokens: { prompt: prompt ?? null, completion: completion ?? null, total: total ?? null },
		cost: summary.cost?.total ?? null,
	};
}

async function findRoot(traces: TraceReader, span: UnderstoodSpan): Promise<UnderstoodSpan> {
	const { summary } = span;
	if (summary.parentSpanId === null) return span;
	const trace = await traces.findTrace(summary.traceRowId);
	if (trace === undefined || trace.rootSpanRowId === summary.id) return span;
	const root = await traces.findSpan(trace.rootSpanRowId);
	return root === undefined ? span : understandSpan(root);
}
