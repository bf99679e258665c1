import { sql, type Transaction } from "kysely";
import type { Context } from "#context.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { hexOf } from "#storage/sql-pieces.ts";
import type { UploadedRow } from "./uploaded-rows.ts";
import type { SpanLink } from "./version-writer.ts";

/** The stored spans that rows name, by hex id; with none, or several of the same id, the first. */
export async function findLinkedSpans(
	{ traces }: Context,
	transaction: Transaction<Tables>,
	rows: readonly UploadedRow[],
): Promise<Map<string, SpanLink>> {
	const hexes = rows.flatMap(({ spanId }) =>
		spanId === undefined || !/^[0-9a-f]{16}$/i.test(spanId) ? [] : spanId.toLowerCase(),
	);
	if (hexes.length === 0) return new Map();
	const ids = await traces.findSpanRows([...new Set(hexes)]);
	const { rows: spans } = await sql<{ rowId: number; traceId: string; spanId: string }>`
		select spans.id as "rowId", ${hexOf(sql`traces.trace_id`)} as "traceId", ${hexOf(sql`spans.span_id`)} as "spanId"
		from spans
		join traces on traces.id = spans.trace_row_id
		where spans.id in ${listed(ids)}
		order by spans.id desc`.execute(transaction);
	return new Map(spans.map((span) => [span.spanId, span]));
}
