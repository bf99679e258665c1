/** Too many wait already, or it took too long. */
export class NoTurn extends Error {
	override readonly name = "NoTurn";
}

/** So many at a time, the others in the order in which they came. */
export class BoundedTurns {
	readonly #waiting = new Set<() => void>();
	readonly #maxWaiting: number;
	#free: number;

	constructor(atOnce: number, maxWaiting: number) {
		this.#free = atOnce;
		this.#maxWaiting = maxWaiting;
	}

	/** @throws NoTurn when `signal` comes before the turn, or at once when too many wait */
	async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
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
		if (signal?.aborted || this.#waiting.size >= this.#maxWaiting) throw new NoTurn();
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				this.#waiting.delete(begin);
				reject(new NoTurn());
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
