import { csvLine } from "#http/csv-line.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan } from "#storage/traces/trace-store.ts";
import { toSpan } from "../spans/span-views.ts";

const COLUMNS = [
	"trace_id",
	"span_id",
	"parent_id",
	"name",
	"span_kind",
	"start_time",
	"end_time",
	"latency_ms",
	"status_code",
	"status_message",
	"model",
	"provider",
	"token_count_prompt",
	"token_count_completion",
	"token_count_total",
	"total_cost",
	"session_id",
	"user_id",
	"input",
	"output",
	"attributes",
] as const;

/** Spans as a CSV table; input and output as people read them, attributes as JSON. */
export async function* spansCsv(
	chunks: AsyncIterable<readonly StoredSpan[]>,
	options: { readonly escapeFormulas: boolean },
): AsyncGenerator<string> {
	yield csvLine(COLUMNS, options);
	for await (const stored of chunks) yield stored.map((span) => csvLine(toCells(span), options)).join("");
}

function toCells(stored: StoredSpan): (string | number | null)[] {
	const understood = understandSpan(stored);
	const { context, attributes, ...span } = toSpan(understood, undefined);
	return [
		context.trace_id,
		context.span_id,
		span.parent_id,
		span.name,
		span.span_kind,
		span.start_time,
		span.end_time,
		span.latency_ms,
		span.status_code,
		span.status_message,
		span.model,
		span.provider,
		span.token_count_prompt,
		span.token_count_completion,
		span.token_count_total,
		span.total_cost,
		span.session_id,
		span.user_id,
		understood.meaning.input_text ?? null,
		understood.meaning.output_text ?? null,
		JSON.stringify(attributes),
	];
}
