// Whether rows of the store are annotated. Annotations are of the metadata tables: besides filters this is all that the
// stores read of them.

/** Of a row of `traces`: itself or its session, spans or documents. */
export const TRACE_IS_ANNOTATED = `(
	exists (select 1 from annotations where annotations.trace_row_id = traces.id)
	or exists (
		select 1 from annotations
		where annotations.session_row_id = traces.session_row_id and annotations.target = 'session'
	)
)`;

/** Row numbers of all traces of which that holds. */
export const ANNOTATED_TRACES = `
	select trace_row_id from annotations where trace_row_id is not null
	union
	select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
	where annotations.session_row_id is not null and annotations.target = 'session'`;

/** Of a row of `sessions`. */
export const SESSION_IS_ANNOTATED = "exists (select 1 from annotations where session_row_id = sessions.id)";
