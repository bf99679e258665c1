import { TRACE_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import {
	BEFORE_CURSOR,
	beforeCursorParams,
	CURSOR_COLUMNS,
	type ExpiredTraces,
	type TraceCursor,
} from "#storage/traces/expiry/expired-traces.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { query } from "../read/query.ts";
import { deleteBatch } from "./delete-traces.ts";
import { lockTracesExclusively } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

/** Rows that one transaction reads. */
const BATCH_ROWS = 250;

export interface ExpiryStep {
	readonly deleted: readonly TraceRow[];
	/** Number of traces that are kept because they are annotated. */
	readonly kept: number;
	/** Where to continue. */
	readonly after: TraceCursor;
	readonly done: boolean;
}

/** Deletes the next batch of expired traces. */
export async function deleteExpired(
	transaction: MutationTransaction,
	{ projectId, keepAnnotated, after, before }: ExpiredTraces,
): Promise<ExpiryStep> {
	const { client } = transaction;
	const found = await query<Pick<TraceRow, "id" | "start_micros" | "end_micros">>(
		client,
		`select id, start_micros, end_micros from traces
		where project_id = ? and start_micros >= ? and (${CURSOR_COLUMNS}) > (?, ?, ?) and ${BEFORE_CURSOR}
		order by ${CURSOR_COLUMNS} limit ${BATCH_ROWS}`,
		[projectId, ...beforeCursorParams(after), ...beforeCursorParams(before)],
	);
	const ids = found.map(({ id }) => id);
	const locked = new Map((await lockTracesExclusively(client, ids)).map((row) => [row.id, row]));
	const annotated = keepAnnotated ? await findAnnotated(client, [...locked.values()]) : new Set<number>();
	// Some may have been deleted or moved meanwhile.
	const rows = found.flatMap(({ id }) => locked.get(id) ?? []).filter((row) => row.project_id === projectId);
	const going = rows.filter((row) => !annotated.has(row.id));
	const deleted = going.slice(0, await deleteBatch(transaction, going, "drop"));
	// What follows the last trace of a full batch is left to the next one.
	const next = going[deleted.length];
	const end = next === undefined ? found.length : ids.indexOf(next.id);
	const dealtWith = found.slice(0, end);
	const last = dealtWith.at(-1);
	return {
		deleted,
		kept: dealtWith.filter(({ id }) => annotated.has(id)).length,
		after: last === undefined ? after : [last.start_micros, last.end_micros - last.start_micros, last.id],
		done: next === undefined && found.length < BATCH_ROWS,
	};
}

/** Which of these locked traces are annotated. Until the transaction ends, nobody can annotate their sessions either. */
export async function findAnnotated(client: MutationTransaction["client"], traces: readonly TraceRow[]) {
	if (traces.length === 0) return new Set<number>();
	const sessionRowIds = traces.flatMap((row) => row.session_row_id ?? []);
	if (sessionRowIds.length > 0)
		await query(client, "select from sessions where id = any(?::bigint[]) order by id for update", [sessionRowIds]);
	const rows = await query<{ id: number }>(
		client,
		`select id from traces where id = any(?::bigint[]) and ${TRACE_IS_ANNOTATED}`,
		[traces.map(({ id }) => id)],
	);
	return new Set(rows.map(({ id }) => id));
}
