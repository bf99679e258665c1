import { sql, type Transaction } from "kysely";
import type { Context } from "#context.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { hexOf } from "#storage/sql-pieces.ts";
import type { UploadedRow } from "./upload/uploaded-rows.ts";
import type { SpanLink } from "./version-writer.ts";

/** The stored spans that rows name, by the id that is stored; with none, or several of the same id, the first. */
export async function findLinkedSpans(
	{ traces }: Context,
	transaction: Transaction<Tables>,
	rows: readonly UploadedRow[],
): Promise<Map<string, SpanLink>> {
	const named = rows.flatMap(({ spanId }) => (spanId === undefined ? [] : spanId));
	if (named.length === 0) return new Map();
	const ids = await traces.findSpanRows([...new Set(named)]);
	const { rows: spans } = await sql<{ rowId: number; traceId: string; spanId: string; storedId: string }>`
		select spans.id as "rowId", ${hexOf(sql`spans.span_id`)} as "storedId",
			coalesce(of_trace.text, ${hexOf(sql`traces.trace_id`)}) as "traceId",
			coalesce(of_span.text, ${hexOf(sql`spans.span_id`)}) as "spanId"
		from spans
		join traces on traces.id = spans.trace_row_id
		left join sent_ids as of_trace on of_trace.trace_id = traces.trace_id and of_trace.id = traces.trace_id
		left join sent_ids as of_span on of_span.trace_id = traces.trace_id and of_span.id = spans.span_id
		where spans.id in ${listed(ids)}
		order by spans.id desc`.execute(transaction);
	return new Map(spans.map(({ storedId, ...span }) => [storedId, span]));
}
