/** So many at a time, the others in the order in which they came. */
export class Turns {
	readonly #waiting = new Set<() => void>();
	#free: number;

	constructor(atOnce: number) {
		this.#free = atOnce;
	}

	/** @throws the signal's reason when it comes before the turn */
	async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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

	#wait(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				this.#waiting.delete(begin);
				reject(signal.reason);
			};
			const begin = () => {
				this.#waiting.delete(begin);
				signal.removeEventListener("abort", onAbort);
				resolve();
			};
			this.#waiting.add(begin);
			signal.addEventListener("abort", onAbort, { once: true });
		});
	}
}
