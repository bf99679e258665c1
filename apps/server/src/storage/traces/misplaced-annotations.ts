/**
 * Selects annotations whose project or rows differ from those of their target, with the finding for each. A trace that
 * is being deleted has a negative project.
 */
export const MISPLACED_ANNOTATIONS: Readonly<Record<string, string>> = {
	[`annotations join spans on spans.id = annotations.span_row_id where annotations.target_row_id <> spans.id
		or annotations.trace_row_id is distinct from spans.trace_row_id or annotations.project_id <> spans.project_id`]:
		"annotations of spans are not where their span is",
	[`annotations join traces on traces.id = annotations.trace_row_id where annotations.project_id <> abs(traces.project_id)
		or annotations.target = 'trace' and annotations.target_row_id <> traces.id`]:
		"annotations of traces are not where their trace is",
	[`annotations join sessions on sessions.id = annotations.session_row_id
		where annotations.target_row_id <> sessions.id or annotations.project_id <> sessions.project_id`]:
		"annotations of sessions are not where their session is",
	[`annotations where (span_row_id is not null) <> (target in ('span', 'document'))
		or (trace_row_id is null) <> (target = 'session') or (session_row_id is not null) <> (target = 'session')`]:
		"annotations are on nothing that their kind is of",
};
