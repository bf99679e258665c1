import { type UnderstoodSpan, understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { ContextTooLarge, MAX_CONTEXT_BYTES, MAX_CONTEXT_SPANS } from "./context.ts";

const PAGE_SPANS = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

/** All spans of a trace by start, with their content. @throws ContextTooLarge */
export async function readSpans(
	traces: TraceReader,
	{ projectId, traceId }: { readonly projectId: number; readonly traceId: string },
): Promise<readonly UnderstoodSpan[]> {
	const spans: UnderstoodSpan[] = [];
	let bytes = 0;
	const query = {
		projectId,
		traceIds: [traceId],
		sort: "start_time",
		order: "asc",
		limit: PAGE_SPANS,
		maxContentBytes: PAGE_BYTES,
	} as const;
	for (let page = await traces.listStoredSpans(query); ; ) {
		for (const stored of page.items) {
			bytes += bytesOf(stored);
			spans.push(understandSpan(stored));
		}
		checkSpans(spans.length);
		if (bytes > MAX_CONTEXT_BYTES) {
			throw new ContextTooLarge(`the spans of the trace have more than ${MAX_CONTEXT_BYTES} bytes`);
		}
		if (page.next === undefined) return spans;
		page = await traces.listStoredSpans({ ...query, from: page.next });
	}
}

/** @throws ContextTooLarge */
export function checkSpans(count: number): void {
	if (count <= MAX_CONTEXT_SPANS) return;
	throw new ContextTooLarge(`there are ${count} spans, ${MAX_CONTEXT_SPANS} at most`);
}

function bytesOf({ content }: StoredSpan): number {
	return content.logs.reduce((sum, log) => sum + log.byteLength, content.span.byteLength);
}
