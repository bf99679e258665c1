import type { ClientBase } from "pg";

/**
 * A call of a sequence hands out a chunk of this many numbers, the one it returns being the last: writers meet at the
 * sequence rarely, and `setval` to any number that is in use leaves the next chunk free.
 */
export const CHUNKS = { traces: 100, spans: 1_000, blocks: 100 } as const;

type RowKind = keyof typeof CHUNKS;
const KINDS = ["traces", "spans", "blocks"] as const;

interface Chunk {
	next: number;
	readonly last: number;
}

/** Row numbers that are handed out once and never again, by any process; those that a connection leaves over are lost. */
export class RowNumbers {
	readonly #chunks: Readonly<Record<RowKind, Chunk[]>> = { traces: [], spans: [], blocks: [] };

	/** Makes sure that so many can be taken. */
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

	#left(kind: RowKind): number {
		return this.#chunks[kind].reduce((sum, { next, last }) => sum + last - next + 1, 0);
	}
}
