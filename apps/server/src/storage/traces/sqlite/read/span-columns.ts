export const SPAN_SUMMARY_COLUMNS = "spans.*, traces.trace_id as trace_id, traces.end_micros as heard_micros";
/** `cross join` keeps SQLite from starting at the traces. */
export const SPAN_SUMMARY_JOINS = "cross join traces on traces.id = spans.trace_row_id";
