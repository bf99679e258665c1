import type { Keyset, Page, SpanQuery, StoredSpan, TraceReader } from "../storage/traces/trace-store.ts";

/** Content of one page in memory; spans of 2 KB fill a page of 1,000 long before. */
export const MAX_PAGE_BYTES = 32 * 1_024 * 1_024;
const FIRST_CHUNK = 32;

/**
 * As `listStoredSpans`, but the page ends where its content reaches `maxBytes`: spans may be megabytes each. It has at
 * least one span when there is one, and going on from `next` loses nothing.
 */
export async function listSpansWithin(
	traces: TraceReader,
	query: SpanQuery,
	maxBytes: number = MAX_PAGE_BYTES,
): Promise<Page<StoredSpan>> {
	const items: StoredSpan[] = [];
	let bytes = 0;
	let from: Keyset | undefined = query.from;
	let chunk = FIRST_CHUNK;
	for (;;) {
		const limit = Math.min(chunk, query.limit - items.length);
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...query,
			limit,
			...(from === undefined ? {} : { from }),
		});
		items.push(...page.items);
		for (const item of page.items) bytes += sizeOf(item);
		// A short page is a search that took long: what was found goes out.
		const done = page.items.length < limit || items.length >= query.limit || bytes >= maxBytes;
		if (done || page.next === undefined) return { ...page, items };
		from = page.next;
		const average = Math.max(1, bytes / items.length);
		chunk = Math.max(1, Math.min(4 * chunk, Math.floor((maxBytes - bytes) / average)));
	}
}

function sizeOf({ content }: StoredSpan): number {
	return content.span.length + content.logs.reduce((sum, log) => sum + log.length, 0);
}
