import type { ReadableDatabase } from "#storage/database.ts";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import type { TraceReader, TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import { readAnnotations } from "./annotations.ts";
import { checkSize, type TargetContext } from "./context.ts";
import { checkSpans, readSpans } from "./read-spans.ts";
import { ownValues } from "./span-context.ts";
import {
	conversationOf,
	conversationText,
	documentsOf,
	errorOf,
	inputOf,
	latencyOf,
	milliseconds,
	outputOf,
	toolCallsOf,
} from "./span-values.ts";
import { trajectoryText } from "./trajectory.ts";

/** The context of a trace. @throws ContextTooLarge; undefined when it has no spans any more */
export async function traceContext(
	{ traces, db }: { readonly traces: TraceReader; readonly db: ReadableDatabase },
	trace: TraceWithoutTexts,
): Promise<TargetContext | undefined> {
	checkSpans(trace.spanCount);
	const [annotations, spans] = await Promise.all([readAnnotations(db, "trace", trace.id), readSpans(traces, trace)]);
	const values = valuesOfSpans(spans, trace.rootSpanRowId);
	if (values === undefined) return undefined;
	const context = {
		...values,
		latency_ms: trace.runningCount === 0 ? milliseconds(trace) : null,
		tokens: trace.tokens,
		cost: trace.totalCost,
		annotations,
	};
	return checkSize(context, "trace");
}

/** What the spans of a trace say together. */
function valuesOfSpans(spans: readonly UnderstoodSpan[], rootSpanRowId: number): TargetContext | undefined {
	const root = spans.find(({ summary }) => summary.id === rootSpanRowId) ?? spans[0];
	if (root === undefined) return undefined;
	const depths = depthsOf(spans);
	const own = ownValues(root);
	const carriedOut = spans.filter(({ summary }) => summary.kind === "TOOL").flatMap(toolCallsOf);
	return {
		...own,
		...textsOfTrace(root, spans),
		spans: spans.map((span) => ({
			name: span.summary.name,
			kind: span.summary.kind,
			depth: depths.get(span.summary.id) ?? 0,
			input: inputOf(span),
			output: outputOf(span),
			error: errorOf(span),
			latency_ms: latencyOf(span),
		})),
		trajectory: trajectoryText(spans),
		tool_calls: carriedOut.length > 0 ? carriedOut : spans.flatMap(toolCallsOf),
		documents: documentsOfTrace(spans),
		conversation: conversationText(conversationOf(root)),
	};
}

/** Those of the root; where it has none, the first input and the last output of any span. */
export function textsOfTrace(
	root: UnderstoodSpan,
	spans: readonly UnderstoodSpan[],
): { readonly input_text: string | null; readonly output_text: string | null } {
	const first = () => spans.find(({ meaning }) => meaning.input_text !== undefined)?.meaning.input_text;
	const last = () => spans.findLast(({ meaning }) => meaning.output_text !== undefined)?.meaning.output_text;
	return {
		input_text: root.meaning.input_text ?? first() ?? null,
		output_text: root.meaning.output_text ?? last() ?? null,
	};
}

/** What retrievers found; of other spans where there are none. */
function documentsOfTrace(spans: readonly UnderstoodSpan[]): readonly object[] {
	const found = spans
		.filter(({ summary }) => summary.kind === "RETRIEVER")
		.flatMap(({ meaning }) => documentsOf(meaning));
	return found.length > 0 ? found : spans.flatMap(({ meaning }) => documentsOf(meaning));
}

/** How many spans are above each, by row number. */
function depthsOf(spans: readonly UnderstoodSpan[]): ReadonlyMap<number, number> {
	const bySpanId = new Map(spans.map((span) => [span.summary.spanId, span]));
	const depths = new Map<number, number>();
	for (const span of spans) {
		const above: UnderstoodSpan[] = [];
		let at: UnderstoodSpan | undefined = span;
		while (at !== undefined && !depths.has(at.summary.id) && !above.includes(at)) {
			above.push(at);
			at = bySpanId.get(at.summary.parentSpanId ?? "");
		}
		let depth = at === undefined ? -1 : (depths.get(at.summary.id) ?? -1);
		for (const each of above.reverse()) {
			depth += 1;
			depths.set(each.summary.id, depth);
		}
	}
	return depths;
}
