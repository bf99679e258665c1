import { chunksOf } from "#base/chunks.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";

/** Spans read at a time: their content is read from the disk and decoded. */
const CHUNK = 50;

/** How many retrieved documents these spans have, by row number. */
export async function countDocuments(
	traces: TraceReader,
	spanRowIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
	const counts = new Map<number, number>();
	for (const chunk of chunksOf([...new Set(spanRowIds)], CHUNK)) {
		const found = await Promise.all(chunk.map((rowId) => traces.findSpan(rowId)));
		for (const span of found) {
			if (span !== undefined) counts.set(span.summary.id, understandSpan(span).meaning.documents?.length ?? 0);
		}
	}
	return counts;
}

/**
 * Why a position is invalid in a span with this many documents; undefined when it is valid, and for a span that
 * records no documents, where there is nothing to check it against.
 */
export function positionFault(position: number, spanId: string, documents: number): string | undefined {
	if (documents === 0 || position < documents) return undefined;
	return `Document position ${position} is out of bounds for span ${spanId} (max: ${documents - 1})`;
}
