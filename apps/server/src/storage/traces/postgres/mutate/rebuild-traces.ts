import type { WhenEmpty } from "../../mutate/batches.ts";
import { changeTrace } from "../../totals/change-trace.ts";
import { rebuildRollup } from "../../totals/rebuild.ts";
import type { Rollup } from "../../totals/rollup.ts";
import { type SpanNode, toHex } from "../../totals/span-node.ts";
import type { TraceRow } from "../../totals/trace-row.ts";
import type { TraceTexts } from "../../totals/trace-texts.ts";
import { type SessionKey, sessionKey, sessionNumbers } from "../write/session-rows.ts";
import { updateTraces, writeFlags } from "../write/trace-rows.ts";
import { chooseStoredTexts } from "./stored-texts.ts";
import type { TraceSpan } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

/** Takes spans out of the totals by hour; `rebuildTraces` puts back those that are left. */
export function withdrawSpans(
	{ hours }: MutationTransaction,
	projectId: number,
	spans: readonly Pick<TraceSpan, "node">[],
): void {
	for (const { node } of spans) hours.addSpan(projectId, node, -1);
}

export interface ChangedTrace {
	/** As it is stored; its project and session are where the trace is now. */
	readonly row: TraceRow;
	/** All it has now, of which there is at least one. */
	readonly spans: readonly TraceSpan[];
}

/**
 * Computes everything that is kept about traces anew from their spans, and adds these to the totals by hour.
 * @returns the rows as they are now
 */
export async function rebuildTraces(
	transaction: MutationTransaction,
	traces: readonly ChangedTrace[],
	whenEmpty: WhenEmpty,
): Promise<TraceRow[]> {
	const { client, hours, sessions } = transaction;
	const rebuilt: { row: TraceRow; rollup: Rollup; texts: TraceTexts; session: SessionKey | undefined }[] = [];
	const flagged: SpanNode[] = [];
	for (const { row, spans } of traces) {
		const { rollup, changed } = rebuildRollup(spans.map(({ node }) => node));
		flagged.push(...changed);
		for (const { node } of spans) hours.addSpan(row.project_id, node, 1);
		const texts = await chooseStoredTexts(client, spans, rollup.root);
		const sessionId = rollup.session?.sessionId ?? undefined;
		const session = sessionId === undefined ? undefined : { projectId: row.project_id, sessionId };
		rebuilt.push({ row, rollup, texts, session });
	}
	await writeFlags(client, flagged);
	const numbers = await sessionNumbers(
		client,
		rebuilt.flatMap(({ session }) => session ?? []),
	);
	const rows = rebuilt.map(({ row, rollup, texts, session }) => {
		const sessionRowId = session === undefined ? null : (numbers.get(sessionKey(session)) ?? null);
		if (session !== undefined && sessionRowId !== null) transaction.sessionKeys.set(sessionRowId, session);
		if (row.session_row_id !== null) sessions.shrink(row.session_row_id, whenEmpty);
		const change = { id: row.id, projectId: row.project_id, traceId: toHex(row.trace_id), stored: row, rollup, texts };
		return changeTrace(transaction, change, sessionRowId, whenEmpty);
	});
	await updateTraces(client, rows);
	return rows;
}
