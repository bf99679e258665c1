// Whether rows of the store are annotated. Besides filters, this is the only place where the stores read the
// annotations and the items of review queues, which belong to the metadata tables.

/**
 * Condition on a row of `traces`: it, its session, or one of its spans or documents is annotated, or is an item of a review
 * queue that is not archived.
 */
export const TRACE_IS_ANNOTATED = `(
	exists (select 1 from annotations where annotations.trace_row_id = traces.id)
	or exists (
		select 1 from annotations
		where annotations.session_row_id = traces.session_row_id and annotations.target = 'session'
	)
	or exists (
		select 1 from review_items join review_queues on review_queues.id = review_items.queue_id
		where review_items.trace_row_id = traces.id and review_queues.archived_at is null
	)
	or exists (
		select 1 from review_items join review_queues on review_queues.id = review_items.queue_id
		where review_items.trace_row_id is null and review_items.target_row_id = traces.session_row_id
			and review_queues.target = 'session' and review_queues.archived_at is null
	)
)`;

/** Selects the row numbers of all traces for which that is true. */
export const ANNOTATED_TRACES = `
	select trace_row_id from annotations where trace_row_id is not null
	union
	select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
	where annotations.session_row_id is not null and annotations.target = 'session'
	union
	select review_items.trace_row_id from review_items join review_queues on review_queues.id = review_items.queue_id
	where review_items.trace_row_id is not null and review_queues.archived_at is null
	union
	select traces.id from review_items
		join review_queues on review_queues.id = review_items.queue_id
		join traces on traces.session_row_id = review_items.target_row_id
	where review_items.trace_row_id is null and review_queues.target = 'session' and review_queues.archived_at is null`;

/** Condition on a row of `sessions`: it is annotated, or an item of a review queue that is not archived. */
export const SESSION_IS_ANNOTATED = `(
	exists (select 1 from annotations where session_row_id = sessions.id)
	or exists (
		select 1 from review_items join review_queues on review_queues.id = review_items.queue_id
		where review_items.trace_row_id is null and review_items.target_row_id = sessions.id
			and review_queues.target = 'session' and review_queues.archived_at is null
	)
)`;
