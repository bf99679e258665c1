import { kindOf } from "../totals/span-kinds.ts";
import type { Page, SpanOutline, SpanSummary } from "../trace-store.ts";
import { isRunningRow } from "./span-summaries.ts";

/**
 * Spans of one trace as one text: a database writes it, and a thread or a connection hands it over, in a fraction of the
 * time that as many rows need.
 */
export interface SpanOutlinesRow {
	readonly project_id: number;
	readonly trace_id: string;
	/** JSON: a list for each span with the values of {@link SPAN_OUTLINE_COLUMNS}. */
	readonly spans: string;
}

/** Of a name and a message; senders may send megabytes, of which an outline shows a line. */
const MOST_CHARACTERS = 2_000;

/** OTLP's `STATUS_CODE_ERROR`. */
const ERROR = 2;

type OutlineValues = readonly [
	id: number,
	spanId: string,
	parentSpanId: string | null,
	startMicros: number,
	endMicros: number,
	kind: number,
	statusCode: number,
	flags: number,
	name: string,
	model: string | null,
	tokens: number | null,
	cost: number | null,
	statusMessage: string | null,
];

/** Expressions on a row of `spans`. @param hex what makes the digits of a value in lower case */
export function spanOutlineColumns(hex: (value: string) => string): string {
	// For SQLite's `substr` a text ends with its first NUL.
	const beginning = (text: string) =>
		`case when octet_length(${text}) > ${MOST_CHARACTERS} then substr(${text}, 1, ${MOST_CHARACTERS}) else ${text} end`;
	return `spans.id, ${hex("spans.span_id")}, nullif(${hex("spans.parent_span_id")}, ''), spans.start_micros,
		spans.end_micros, spans.kind, spans.status_code, spans.flags, ${beginning("spans.name")}, spans.model,
		spans.tokens_total, spans.cost_total, ${beginning("spans.status_message")}`;
}

/** A page by start. @param row of the first spans, one more than `limit` at most; undefined without any */
export function toSpanOutlines(row: SpanOutlinesRow | undefined, limit: number): Page<SpanOutline> {
	if (row === undefined) return { items: [], more: false };
	const { project_id: projectId, trace_id: traceId } = row;
	const spans = (JSON.parse(row.spans) as OutlineValues[]).map((values): SpanOutline => {
		const [id, spanId, parentSpanId, startMicros, end, kind, statusCode, flags, name, model, tokens, cost, message] =
			values;
		const isRunning = isRunningRow({ flags, end_micros: end });
		return {
			id,
			projectId,
			traceId,
			spanId,
			parentSpanId,
			name,
			kind: kindOf(kind),
			startMicros,
			endMicros: end === 0 ? startMicros : end,
			isRunning,
			isError: statusCode === ERROR,
			statusMessage: message ?? "",
			model,
			tokens,
			cost,
		};
	});
	// Databases collect rows in the order in which they read them, but do not promise to.
	spans.sort((a, b) => a.startMicros - b.startMicros || a.id - b.id);
	const items = spans.slice(0, limit);
	const last = items.at(-1);
	if (spans.length <= limit || last === undefined) return { items, more: false };
	return { items, more: true, next: { value: last.startMicros, id: last.id } };
}

export function toSpanOutline(span: SpanSummary): SpanOutline {
	const { id, projectId, traceId, spanId, parentSpanId, name, kind, statusCode, statusMessage, model } = span;
	return {
		...{ id, projectId, traceId, spanId, parentSpanId, name: beginningOf(name), kind, model },
		statusMessage: beginningOf(statusMessage),
		...{ startMicros: span.start.micros, endMicros: span.end.micros, isRunning: span.heardMicros !== undefined },
		isError: statusCode === ERROR,
		...{ tokens: span.tokens.total ?? null, cost: span.cost?.total ?? null },
	};
}

/** Counts characters as databases do. */
function beginningOf(text: string): string {
	if (text.length <= MOST_CHARACTERS) return text;
	return [...text.slice(0, MOST_CHARACTERS * 2)].slice(0, MOST_CHARACTERS).join("");
}
