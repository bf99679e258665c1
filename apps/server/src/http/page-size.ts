/**
 * Bytes of content that one page may hold in memory: a span may be megabytes, while 1,000 spans of the usual 2 KB are
 * far below. A page that reaches the limit ends early and has a cursor.
 */
export const MAX_PAGE_BYTES = 32 * 1_024 * 1_024;

/** How many items from the front fit into `maxBytes` together; at least one. */
export function countThatFits(items: readonly { readonly bytes: number }[], maxBytes: number): number {
	let bytes = 0;
	const first = items.findIndex((item, index) => {
		bytes += item.bytes;
		return index > 0 && bytes > maxBytes;
	});
	return first === -1 ? items.length : first;
}
