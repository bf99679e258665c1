const WRITE_BEGAN = 0;
const PARTITIONS_PAID = 1;
const NANOS_PER_MS = 1_000_000;

/** What the ingest threads of a process share, so that they keep the pace of the storage together. */
export class SharedPace {
	/** Two times of `now`: when the last write began, and until when the partitions that were written to are paid for. */
	readonly #times: BigInt64Array;
	readonly #now: () => bigint;

	/**
	 * @param memory of `createMemory`
	 * @param now nanoseconds of a clock that all threads have
	 */
	constructor(memory: SharedArrayBuffer, now: () => bigint = process.hrtime.bigint) {
		this.#times = new BigInt64Array(memory);
		this.#now = now;
	}

	static createMemory(): SharedArrayBuffer {
		return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
	}

	/** Begins a write, if none has begun within the interval. @returns the milliseconds to wait otherwise, else 0 */
	tryBegin(intervalMs: number): number {
		for (;;) {
			const last = Atomics.load(this.#times, WRITE_BEGAN);
			const now = this.#now();
			const wait = last === 0n ? 0 : toMs(last - now) + intervalMs;
			if (wait > 0) return wait;
			if (Atomics.compareExchange(this.#times, WRITE_BEGAN, last, now) === last) return 0;
		}
	}

	/** Begins a write that waits for no interval. */
	begin(): void {
		Atomics.store(this.#times, WRITE_BEGAN, this.#now());
	}

	/** The milliseconds until a further write to some partitions may begin: until the last ones are paid for. */
	untilPaid(): number {
		return Math.max(0, toMs(Atomics.load(this.#times, PARTITIONS_PAID) - this.#now()));
	}

	/** Notes a write to partitions. */
	pay(partitions: number, perSecond: number): void {
		const cost = BigInt(Math.ceil((partitions / perSecond) * 1_000 * NANOS_PER_MS));
		for (;;) {
			const paid = Atomics.load(this.#times, PARTITIONS_PAID);
			const now = this.#now();
			const next = (paid > now ? paid : now) + cost;
			if (Atomics.compareExchange(this.#times, PARTITIONS_PAID, paid, next) === paid) return;
		}
	}
}

function toMs(nanos: bigint): number {
	return Number(nanos) / NANOS_PER_MS;
}
