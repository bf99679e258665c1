import type { ClientBase } from "pg";

/**
 * Each call of a sequence reserves a chunk of this many numbers, of which it returns the last: writers rarely meet at
 * the sequence, and after `setval` to any used number the next chunk is free.
 */
export const CHUNKS = { traces: 100, spans: 1_000, blocks: 100 } as const;

type RowKind = keyof typeof CHUNKS;
const KINDS = ["traces", "spans", "blocks"] as const;

interface Chunk {
	next: number;
	readonly last: number;
}

/** Hands out row numbers that no process uses again; those that a connection has left over are lost. */
export class RowNumbers {
	readonly #chunks: Readonly<Record<RowKind, Chunk[]>> = { traces: [], spans: [], blocks: [] };

	/** Makes sure that so many numbers can be taken. */
	async reserve(client: ClientBase, wanted: Readonly<Record<RowKind, number>>): Promise<void> {
		const calls = KINDS.map((kind) => Math.max(0, Math.ceil((wanted[kind] - this.#left(kind)) / CHUNKS[kind])));
		if (calls.every((count) => count === 0)) return;
		const { rows } = await client.query({
			name: "reserve row numbers",
			text: `select 'traces' as kind, nextval('trace_numbers') as last from generate_series(1, $1::int)
				union all select 'spans', nextval('span_numbers') from generate_series(1, $2::int)
				union all select 'blocks', nextval('block_numbers') from generate_series(1, $3::int)`,
			values: calls,
		});
		for (const { kind, last } of rows as { kind: RowKind; last: number }[])
			this.#chunks[kind].push({ next: last - CHUNKS[kind] + 1, last });
	}

	take(kind: RowKind): number {
		const [chunk] = this.#chunks[kind];
		if (chunk === undefined) throw new Error(`no row numbers for ${kind}: reserve first`);
		const number = chunk.next;
		chunk.next += 1;
		if (number === chunk.last) this.#chunks[kind].shift();
		return number;
	}

	/** Where the next numbers are that are taken, both ends included; so many were reserved. */
	next(kind: RowKind, count: number): (readonly [first: number, last: number])[] {
		const ranges: (readonly [number, number])[] = [];
		let left = count;
		for (const { next, last } of this.#chunks[kind]) {
			if (left <= 0) break;
			ranges.push([next, Math.min(last, next + left - 1)]);
			left -= last - next + 1;
		}
		return ranges;
	}

	#left(kind: RowKind): number {
		return this.#chunks[kind].reduce((sum, { next, last }) => sum + last - next + 1, 0);
	}
}
