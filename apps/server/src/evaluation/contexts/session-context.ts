import { formatTime } from "#http/wire-times.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import type { SessionSummary, TraceReader, TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import { readAnnotations } from "./annotations.ts";
import { checkSize, type TargetContext } from "./context.ts";
import { checkSpans, readSpans } from "./read-spans.ts";
import { conversationText, errorOf, inputOf, outputOf } from "./span-values.ts";
import { textsOfTrace } from "./trace-context.ts";
import { trajectoryText } from "./trajectory.ts";

interface Turn {
	readonly trace: TraceWithoutTexts;
	readonly root: UnderstoodSpan;
	readonly spans: readonly UnderstoodSpan[];
	readonly input_text: string | null;
	readonly output_text: string | null;
}

/** The context of a session: its traces are its turns. @throws ContextTooLarge */
export async function sessionContext(
	{ traces, db }: { readonly traces: TraceReader; readonly db: ReadableDatabase },
	session: SessionSummary,
): Promise<TargetContext> {
	checkSpans(session.spanCount);
	const [annotations, members] = await Promise.all([
		readAnnotations(db, "session", session.id),
		traces.listSessionTraces([session.id]),
	]);
	const turns: Turn[] = [];
	let spanCount = 0;
	for (const trace of members) {
		const spans = await readSpans(traces, trace);
		spanCount += spans.length;
		checkSpans(spanCount);
		const root = spans.find(({ summary }) => summary.id === trace.rootSpanRowId) ?? spans[0];
		if (root !== undefined) turns.push({ trace, root, spans, ...textsOfTrace(root, spans) });
	}
	const context = {
		turns: turns.map(({ trace, root, input_text, output_text }) => ({
			input: inputOf(root) ?? input_text,
			output: outputOf(root) ?? output_text,
			input_text,
			output_text,
			error: errorOf(root),
			trace_id: trace.traceId,
			start_time: formatTime(trace.start.micros),
		})),
		conversation: conversationText(turns.flatMap(spoken)),
		first_input: turns.find(({ input_text }) => input_text !== null)?.input_text ?? null,
		last_output: turns.findLast(({ output_text }) => output_text !== null)?.output_text ?? null,
		trajectory: turns.map(({ spans }, at) => `Turn ${at + 1}\n${trajectoryText(spans)}`).join("\n\n"),
		annotations,
	};
	return checkSize(context, "session");
}

function spoken({ root, input_text, output_text }: Turn) {
	const error = errorOf(root);
	return [
		...(input_text === null ? [] : [{ role: "user", text: input_text }]),
		...(output_text === null ? [] : [{ role: "assistant", text: output_text }]),
		...(output_text === null && error !== null ? [{ role: "error", text: error.message }] : []),
	];
}
