/** A statement with `?` for each of its values. */
export interface Statement {
	readonly sql: string;
	readonly values: readonly number[];
}

interface Move {
	/** Row numbers of what was merged: from which, and to which items of review queues move. */
	readonly from: number;
	readonly to: number;
	/** Project of what remains. */
	readonly projectId: number;
}

/**
 * Statements after which items of review queues are about what remains of a trace that was merged into another one. An item
 * of a queue that has what remains already stays about what is gone, with its reviews.
 * @param spans spans that both had: from the deleted row to the remaining one
 */
export function itemsOfMergedTrace(
	{ from, to, projectId }: Move,
	spans: ReadonlyMap<number, number>,
): readonly Statement[] {
	const inTrace = { sql: "trace_row_id = ?", values: [from] };
	return [
		...[...spans].map(([gone, stays]) => moveTarget("span", gone, stays, inTrace)),
		moveTarget("trace", from, to, inTrace),
		{
			sql: "update review_items set project_id = ?, trace_row_id = ? where trace_row_id = ?",
			values: [projectId, to, from],
		},
	];
}

/** As {@link itemsOfMergedTrace}, for a session. */
export function itemsOfMergedSession({ from, to, projectId }: Move): readonly Statement[] {
	return [
		moveTarget("session", from, to, { sql: "trace_row_id is null", values: [] }),
		{
			sql: `update review_items set project_id = ? where trace_row_id is null and target_row_id = ?
				and queue_id in (select id from review_queues where target = 'session')`,
			values: [projectId, to],
		},
	];
}

function moveTarget(kind: "span" | "trace" | "session", from: number, to: number, where: Statement): Statement {
	return {
		sql: `update review_items set target_row_id = ? where ${where.sql} and target_row_id = ?
			and queue_id in (select id from review_queues where target = '${kind}')
			and not exists (
				select 1 from review_items as present
				where present.queue_id = review_items.queue_id and present.target_row_id = ?
			)`,
		values: [to, ...where.values, from, to],
	};
}
