import type { FilterTarget } from "@spanward/filter-language";

/** Examples of docs/filters.md that can be tried as they stand. */
export const WORDS = ["order timed out", '"timeout"'] as const;

export const EXAMPLES: Readonly<Record<FilterTarget, readonly string[]>> = {
	span: [
		"latency_ms > 1000 and 'timeout' in output.value",
		"span_kind == 'LLM' and llm.model_name in ['gpt-4o', 'gpt-4.1']",
		"annotations['quality'].score < 0.5 or annotations['quality'] is None",
		"metadata['tenant'] == 't-042' and start_time >= '2026-01-31T12:00:00Z'",
	],
	trace: [
		"any(x.span_kind == 'TOOL' and x.status_code == 'ERROR' for x in spans)",
		"total_cost > 0.10 and 'refund' in input",
		"len([x for x in spans if x.span_kind == 'TOOL']) > 5",
		"any(a.name == 'quality' and a.score < 0.5 for a in span_annotations)",
	],
	session: [
		"num_traces > 3 and session_annotations['solved'].label == 'no'",
		"'cancel' in any_input and num_traces_with_error > 0",
		"any(t.latency_ms > 10000 and any(x.span_kind == 'RETRIEVER' for x in t.spans) for t in traces)",
	],
};
