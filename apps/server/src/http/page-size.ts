/** How many items from the front stay below so many bytes together; at least one. */
export function fitting(items: readonly { readonly bytes: number }[], maxBytes: number): number {
	let bytes = 0;
	const first = items.findIndex((item, index) => {
		bytes += item.bytes;
		return index > 0 && bytes > maxBytes;
	});
	return first === -1 ? items.length : first;
}
