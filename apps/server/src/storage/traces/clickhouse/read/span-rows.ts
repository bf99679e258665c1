import type { Parameters } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { type SpanSummaryRow, toSpanSummary } from "#storage/traces/rows/span-summaries.ts";
import { isRunning } from "#storage/traces/totals/span-node.ts";
import type { SpanContent, SpanSummary, StoredSpan } from "#storage/traces/trace-store.ts";
import { SPANS, type TableRow } from "../tables.ts";
import { readLogs } from "../write/stored-traces.ts";
import { readContents } from "./contents.ts";
import { findRows, selectFinal } from "./query.ts";

export type SpanRow = TableRow<typeof SPANS>;

export const SPAN_COLUMNS = Object.keys(SPANS.columns)
	.map((column) => `spans.${column} as ${column}`)
	.join(", ");

/** Spans by start. */
export async function findSpanRows(shard: Shard, sql: string, params: Parameters): Promise<SpanRow[]> {
	return await findRows(shard, SPANS, { sql, params }, "order by start_micros, id");
}

/** What lists show of spans. For those that run, their trace says until when it was heard of. */
export async function toSummaries(shard: Shard, rows: readonly SpanRow[]): Promise<SpanSummary[]> {
	const running = rows.filter(({ flags, end_micros }) => isRunning(flags) || end_micros === 0);
	const heard = new Map<number, number>();
	if (running.length > 0) {
		const traces = await selectFinal(
			shard,
			"select id, end_micros from traces where id in {ids:Array(Int64)}",
			{ id: types.Integer, end_micros: types.Integer },
			{ ids: [...new Set(running.map(({ trace_row_id }) => trace_row_id))] },
		);
		for (const { id, end_micros } of traces) heard.set(id, end_micros);
	}
	return rows.map((row) => toSpanSummary(summaryRow(row, heard.get(row.trace_row_id))));
}

function summaryRow(row: SpanRow, heardMicros: number | undefined): Omit<SpanSummaryRow, "block_id" | "ordinal"> {
	return { ...row, cost_source: row.cost_source === 0 ? null : row.cost_source, heard_micros: heardMicros ?? null };
}

/** Spans with their content; one whose content is gone has none that can be read. */
export async function toStoredSpans(shard: Shard, rows: readonly SpanRow[]): Promise<StoredSpan[]> {
	const [summaries, contents, logs] = await Promise.all([
		toSummaries(shard, rows),
		readContents(shard, rows),
		readLogs(shard, [...new Set(rows.map(({ trace_id }) => trace_id.toString("hex")))]),
	]);
	const logsBySpan = Map.groupBy(logs, (log) => `${log.trace_id.toString("hex")} ${log.span_id.toString("hex")}`);
	return summaries.map((summary) => {
		const own = (logsBySpan.get(`${summary.traceId} ${summary.spanId}`) ?? []).map(({ data }) => new Uint8Array(data));
		return { summary, content: contentOf(contents.get(summary.id), own) };
	});
}

function contentOf(content: SpanContent | undefined, logs: readonly Uint8Array[]): SpanContent {
	if (content === undefined) throw new Error("the content of a span is missing");
	return { ...content, logs };
}
