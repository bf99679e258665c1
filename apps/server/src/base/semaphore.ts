/** No permit: too many wait for one already, or it took too long. */
export class NoPermit extends Error {
	override readonly name = "NoPermit";
}

/** Runs so many pieces of work at a time, the others in order of arrival; with one permit, a mutex. */
export class Semaphore {
	readonly #waiting = new Set<() => void>();
	readonly #maxWaiting: number;
	#free: number;

	/** @param maxWaiting how many may wait for a permit */
	constructor(permits: number, maxWaiting = Number.POSITIVE_INFINITY) {
		this.#free = permits;
		this.#maxWaiting = maxWaiting;
	}

	/** @throws NoPermit when `signal` aborts before there is a permit, or at once when too many wait */
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		if (this.#free > 0) this.#free--;
		else await this.#wait(signal);
		try {
			return await work();
		} finally {
			const [next] = this.#waiting;
			if (next === undefined) this.#free++;
			else next();
		}
	}

	#wait(signal: AbortSignal | undefined): Promise<void> {
		if (signal?.aborted || this.#waiting.size >= this.#maxWaiting) throw new NoPermit();
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				this.#waiting.delete(begin);
				reject(new NoPermit());
			};
			const begin = () => {
				this.#waiting.delete(begin);
				signal?.removeEventListener("abort", onAbort);
				resolve();
			};
			this.#waiting.add(begin);
			signal?.addEventListener("abort", onAbort, { once: true });
		});
	}
}
