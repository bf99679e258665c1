import { runningSql } from "#storage/traces/totals/span-node.ts";

/** Looks for the trace of spans without an end only. */
export const SPAN_SUMMARY_COLUMNS = `spans.*, case when ${runningSql("spans")}
	then (select traces.end_micros from traces where traces.id = spans.trace_row_id) end as heard_micros`;
