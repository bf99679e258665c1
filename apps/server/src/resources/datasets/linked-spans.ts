import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { UploadedRow } from "./upload/uploaded-rows.ts";
import { linkTo, type SpanLink } from "./version-writer.ts";

/** The spans that rows name, by stored id; if several have the same id, the one stored first. */
export async function findLinkedSpans(
	traces: TraceReader,
	rows: readonly UploadedRow[],
): Promise<ReadonlyMap<string, SpanLink>> {
	const named = rows.flatMap(({ spanId }) => (spanId === undefined ? [] : spanId));
	if (named.length === 0) return new Map();
	const spans = await traces.findEntitiesById("span", named);
	const newestFirst = spans.toSorted((a, b) => b.rowId - a.rowId);
	return new Map(newestFirst.map((span) => [span.storedId, linkTo(span)]));
}
