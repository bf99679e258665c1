import { jumpHash } from "./jump-hash.ts";

/** From when on there are so many shards. */
export interface ShardCount {
	readonly count: number;
	/** Of the starts of traces. */
	readonly fromMicros: number;
}

/**
 * How many shards there were when, and what follows of it: where a trace, a log record or a session lies. It only grows,
 * so that what lies somewhere is found there for ever. Shards are numbered from 0.
 */
export class ShardHistory {
	/** By count and time. */
	readonly counts: readonly ShardCount[];
	readonly #first: number;

	/** @param counts by count and time, at least one */
	constructor(counts: readonly ShardCount[]) {
		const [first] = counts;
		if (first === undefined) throw new RangeError("there is at least one shard");
		this.counts = counts;
		this.#first = first.count;
	}

	/** Of an installation that has always had so many shards. */
	static of(count: number): ShardHistory {
		return new ShardHistory([{ count, fromMicros: 0 }]);
	}

	/** How many shards there are. */
	get count(): number {
		return this.counts.at(-1)?.count ?? this.#first;
	}

	/** Where a trace is put that is nowhere yet, or a log record whose trace is not known. @param micros of its start */
	numberOf(traceId: string, micros: number): number {
		const then = this.counts.findLast(({ fromMicros }) => fromMicros <= micros);
		return jumpHash(traceId, then?.count ?? this.#first);
	}

	/** Where a trace, and its log records, may be: one shard, or some where shards were added. */
	numbersOf(traceId: string): readonly number[] {
		return [...new Set(this.counts.map(({ count }) => jumpHash(traceId, count)))];
	}

	/** Where a session is noted: on the shards that there were from the first, as nobody knows when a session began. */
	numberOfSession(sessionId: string): number {
		return jumpHash(sessionId, this.#first);
	}

	/** As it is noted in each shard. */
	format(): string {
		return JSON.stringify(this.counts.map(({ count, fromMicros }) => [count, fromMicros]));
	}

	/** @throws SyntaxError when it is not of {@link format} */
	static parse(text: string): ShardHistory {
		const pairs = JSON.parse(text) as readonly (readonly [number, number])[];
		return new ShardHistory(pairs.map(([count, fromMicros]) => ({ count, fromMicros })));
	}
}
