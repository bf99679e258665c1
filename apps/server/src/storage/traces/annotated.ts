// Whether rows of the store are annotated. Besides filters, this is the only place where the stores read the
// annotations, which belong to the metadata tables.

/** Condition on a row of `traces`: it, its session, or one of its spans or documents is annotated. */
export const TRACE_IS_ANNOTATED = `(
	exists (select 1 from annotations where annotations.trace_row_id = traces.id)
	or exists (
		select 1 from annotations
		where annotations.session_row_id = traces.session_row_id and annotations.target = 'session'
	)
)`;

/** Selects the row numbers of all traces for which that is true. */
export const ANNOTATED_TRACES = `
	select trace_row_id from annotations where trace_row_id is not null
	union
	select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
	where annotations.session_row_id is not null and annotations.target = 'session'`;

/** Condition on a row of `sessions`. */
export const SESSION_IS_ANNOTATED = "exists (select 1 from annotations where session_row_id = sessions.id)";
