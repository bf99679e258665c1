/** Attribute keys to decode, found by their bytes. It never grows: other keys in requests leave nothing in it. */
export interface KeyTable {
	readonly names: readonly string[];
	/** The name whose UTF-8 bytes are between two positions; undefined if there is none. */
	find(bytes: Uint8Array, start: number, end: number): string | undefined;
}

interface Entry {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** Builds the table for `names`, once per process. */
export function createKeyTable(names: readonly string[]): KeyTable {
	const unique = [...new Set(names)];
	const mask = 2 ** Math.ceil(Math.log2(unique.length * 4 + 16)) - 1;
	const buckets: (Entry[] | undefined)[] = Array.from({ length: mask + 1 }, () => undefined);
	for (const name of unique) {
		const bytes = Buffer.from(name);
		const slot = hash(bytes, 0, bytes.length) & mask;
		const bucket = buckets[slot];
		if (bucket === undefined) buckets[slot] = [{ name, bytes }];
		else bucket.push({ name, bytes });
	}
	return {
		names: unique,
		find(bytes, start, end) {
			const bucket = buckets[hash(bytes, start, end) & mask];
			if (bucket === undefined) return undefined;
			for (const entry of bucket) {
				if (equal(entry.bytes, bytes, start, end)) return entry.name;
			}
			return undefined;
		},
	};
}

/** FNV-1a over the length and at most the last 24 bytes: dotted keys differ at their ends. */
function hash(bytes: Uint8Array, start: number, end: number): number {
	let value = 0x811c9dc5 ^ (end - start);
	for (let index = Math.max(start, end - 24); index < end; index++) {
		value = Math.imul(value ^ (bytes[index] ?? 0), 0x01000193);
	}
	return value ^ (value >>> 15);
}

function equal(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
	if (name.length !== end - start) return false;
	for (let index = 0; index < name.length; index++) {
		if (name[index] !== bytes[start + index]) return false;
	}
	return true;
}
