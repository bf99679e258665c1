/** Deletes the entries of a map that were set first, until there are no more than `most`. */
export function forgetOldest<Key>(map: Map<Key, unknown>, most: number): void {
	for (const key of map.keys()) {
		if (map.size <= most) return;
		map.delete(key);
	}
}
