import { z } from "zod";
import { costText, counted, durationText, grouped } from "#resources/text-forms/budget.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import type { Trace as TraceSchema } from "#resources/traces/schemas.ts";
import { link } from "../arguments.ts";

type Trace = z.output<typeof TraceSchema>;

const count = z.int();
const nullableNumber = z.number().nullable();

/** A trace in lists. */
export const TraceRow = z.object({
	trace_id: z.string(),
	root_span_id: z.string().nullable().describe("Stands for the trace where a span is asked for."),
	name: z.string().nullable(),
	start_time: z.string(),
	latency_ms: nullableNumber.describe("Null while a span has no end."),
	span_count: count,
	error_count: count,
	token_count_total: count,
	total_cost: nullableNumber,
	session_id: z.string().nullable(),
	user_id: z.string().nullable(),
	input: z.string().nullable(),
	output: z.string().nullable(),
	link,
});

/** @param address of its page */
export function toTraceRow(trace: Trace, address: string): z.output<typeof TraceRow> {
	const line = (value: string | null, characters: number) => (value === null ? null : visibleLine(value, characters));
	return {
		trace_id: trace.trace_id,
		root_span_id: trace.root_span_id,
		name: line(trace.root_name, 120),
		start_time: trace.start_time,
		latency_ms: trace.latency_ms,
		span_count: trace.span_count,
		error_count: trace.error_count,
		token_count_total: trace.token_count_total,
		total_cost: trace.total_cost,
		session_id: line(trace.session_id, 200),
		user_id: line(trace.user_id, 200),
		input: line(trace.first_input, 160),
		output: line(trace.last_output, 160),
		link: address,
	};
}

export function traceLines(row: z.output<typeof TraceRow>): string {
	const facts = [
		row.start_time,
		row.latency_ms === null ? "no end yet" : durationText(row.latency_ms),
		counted(row.span_count, "span"),
		...(row.error_count > 0 ? [counted(row.error_count, "error")] : []),
		...(row.token_count_total > 0 ? [`${grouped(row.token_count_total)} tok`] : []),
		...(row.total_cost === null ? [] : [costText(row.total_cost)]),
	];
	const texts = [...(row.input ? [`\n  in: ${row.input}`] : []), ...(row.output ? [`\n  out: ${row.output}`] : [])];
	const root = row.root_span_id === null ? "" : ` root span ${row.root_span_id},`;
	return `- ${row.name ?? "no root"} [${row.trace_id}]${root} ${facts.join(" · ")}${texts.join("")}`;
}
