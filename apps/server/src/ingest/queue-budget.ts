import type { Reservation } from "./ingest.ts";

/** What a waiting request costs beside its body: its promise, its message to the worker, its connection's state. */
const REQUEST_OVERHEAD_BYTES = 2_048;

/**
 * Bounds the bytes of requests that are being received or wait for their commit. A single request is always let in, so a
 * body larger than the limit gets through once the queue is empty instead of never.
 */
export class QueueBudget {
	readonly limit: number;
	#used = 0;

	constructor(limit: number) {
		this.limit = limit;
	}

	get usedBytes(): number {
		return this.#used;
	}

	/** Undefined when there is no room. */
	reserve(bytes: number): Reservation | undefined {
		let held = 0;
		let released = false;
		const grow = (more: number): boolean => {
			if (released) return false;
			if (this.#used + more > this.limit && this.#used !== held) return false;
			this.#used += more;
			held += more;
			return true;
		};
		const release = () => {
			this.#used -= held;
			held = 0;
			released = true;
		};
		return grow(bytes + REQUEST_OVERHEAD_BYTES) ? { grow, release } : undefined;
	}
}
