import type { LogRecordOfProject } from "#storage/traces/content/log-record.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import { rollupOfRow, type TraceRow } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import { lockTracesToUpdate } from "./trace-rows.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/**
 * After log records came for spans of traces: updates first input and last output. The signatures of
 * the spans' blocks lack the new texts. @returns the traces
 */
export async function refreshTexts(
	transaction: WriteTransaction,
	logs: readonly LogRecordOfProject[],
): Promise<TraceRow[]> {
	if (logs.length === 0) return [];
	const { client, spans } = transaction;
	const { rows: found } = await client.query<{ id: number }>(
		`select id from traces where (trace_id, project_id) in (select * from unnest($1::bytea[], $2::bigint[]))`,
		[logs.map((log) => Buffer.from(log.traceId, "hex")), logs.map((log) => log.projectId)],
	);
	const rows = await lockTracesToUpdate(
		client,
		found.map((row) => row.id),
	);
	if (rows.length === 0) return [];
	const changes = [];
	for (const row of rows) {
		const traceId = toHex(row.trace_id);
		const rollup = await spans.settle(() => rollupOfRow(row, (id) => spans.nodeById(id)));
		const { llmNodes, nodeById, textsOf } = spans.textsOf(row.id, { projectId: row.project_id, traceId });
		const texts = await spans.settle(() =>
			chooseTexts(undefined, { root: rollup.root, added: [], all: llmNodes, byId: nodeById, textsOf }),
		);
		changes.push({ id: row.id, projectId: row.project_id, traceId, stored: row, rollup, texts });
	}
	await transaction.saveTraces(changes);
	await outdateSignatures(transaction, rows, logs);
	return rows;
}

/** Also updates rows that exist: the lock keeps the block from being signed until these records are committed. */
async function outdateSignatures(
	{ client }: WriteTransaction,
	rows: readonly TraceRow[],
	logs: readonly LogRecordOfProject[],
): Promise<void> {
	await client.query(
		`insert into block_text_waiting (block_id, month)
		select distinct blocks.id, blocks.month
		from unnest($1::bytea[], $2::bytea[], $4::bigint[]) as wanted (trace_id, span_id, project_id)
		join traces on traces.trace_id = wanted.trace_id and traces.project_id = wanted.project_id
			and traces.id = any ($3)
		join spans on spans.span_id = wanted.span_id and spans.trace_row_id = traces.id
		join blocks on blocks.id = spans.block_id
		order by blocks.id
		on conflict (block_id) do update set month = excluded.month`,
		[
			logs.map((log) => Buffer.from(log.traceId, "hex")),
			logs.map((log) => Buffer.from(log.spanId, "hex")),
			rows.map((row) => row.id),
			logs.map((log) => log.projectId),
		],
	);
}
